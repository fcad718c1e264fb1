package checks

import "strings"

// linkTo finds the target of the first link of a relation in Link headers (RFC
// 8288 §3), "" where there is none. A link whose anchor makes it one of another
// resource is none of the answer's.
func linkTo(headers []string, rel string) string {
	for _, h := range headers {
		for rest := h; rest != ""; {
			var target string
			var params map[string]string
			if target, params, rest = readLink(rest); target == "" && rest == "" {
				break
			}
			if _, anchored := params["anchor"]; anchored {
				continue
			}
			for _, word := range strings.Fields(params["rel"]) {
				if strings.EqualFold(word, rel) {
					return target
				}
			}
		}
	}
	return ""
}

// readLink reads one link-value and gives what follows its comma. Of a
// parameter that comes twice the first counts (RFC 8288 §3.3).
func readLink(s string) (target string, params map[string]string, rest string) {
	_, s, found := strings.Cut(s, "<")
	if !found {
		return "", nil, ""
	}
	if target, s, found = strings.Cut(s, ">"); !found {
		return "", nil, ""
	}
	params = map[string]string{}
	for s != "" {
		s = strings.TrimLeft(s, " \t;")
		if rest, isEnd := strings.CutPrefix(s, ","); isEnd {
			return target, params, rest
		}
		end := strings.IndexAny(s, "=;,")
		if end < 0 {
			break
		}
		name := strings.ToLower(strings.TrimSpace(s[:end]))
		value := ""
		if s[end] == '=' {
			value, s = readValue(strings.TrimLeft(s[end+1:], " \t"))
		} else {
			s = s[end:]
		}
		if _, again := params[name]; !again {
			params[name] = value
		}
	}
	return target, params, ""
}

// readValue reads a token or a quoted string (RFC 9110 §5.6.4).
func readValue(s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, ";, \t")
		if end < 0 {
			return s, ""
		}
		return s[:end], s[end:]
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}
