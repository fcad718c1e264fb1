package jsonschema

import (
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"
)

// formats are those that can be asserted (2020-12 §7.3). Others are left as
// annotations.
var formats = map[string]func(string) bool{
	"date":                  isDate,
	"time":                  isTime,
	"date-time":             isDateTime,
	"duration":              matching(`^P(?:\d+W|(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?|T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))$`),
	"email":                 isEmail,
	"hostname":              isHostname,
	"ipv4":                  func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() },
	"ipv6":                  func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is6() && a.Zone() == "" },
	"uri":                   func(s string) bool { return isURI(s, true) },
	"uri-reference":         func(s string) bool { return isURI(s, false) },
	"uuid":                  matching(`^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$`),
	"json-pointer":          matching(`^(?:/(?:[^~/]|~[01])*)*$`),
	"relative-json-pointer": matching(`^(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^~/]|~[01])*)*)$`),
	"regex":                 func(s string) bool { _, err := compilePattern(s); return err == nil },
}

// matching compiles its pattern when it is first asked.
func matching(pattern string) func(string) bool {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
	return func(s string) bool { return compiled().MatchString(s) }
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil && len(s) == len(time.DateOnly)
}

var timeForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:[Zz]|([-+])([01]\d|2[0-3]):([0-5]\d))$`)
})

// isTime reads full-time of RFC 3339 §5.6; a leap second is the last of a day
// in UTC.
func isTime(s string) bool {
	m := timeForm().FindStringSubmatch(s)
	if m == nil {
		return false
	}
	if m[3] != "60" {
		return true
	}
	minutes := func(h, min string) int {
		if h == "" {
			return 0
		}
		return (int(h[0]-'0')*10+int(h[1]-'0'))*60 + int(min[0]-'0')*10 + int(min[1]-'0')
	}
	offset := minutes(m[5], m[6])
	if m[4] == "-" {
		offset = -offset
	}
	return ((minutes(m[1], m[2])-offset)%1440+1440)%1440 == 23*60+59
}

func isDateTime(s string) bool {
	return len(s) > 11 && (s[10] == 'T' || s[10] == 't') && isDate(s[:10]) && isTime(s[11:])
}

// isEmail reads a mailbox of RFC 5321 §4.1.2 without a display name.
func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 0 {
		return false
	}
	domain := s[at+1:]
	if literal, ok := strings.CutPrefix(domain, "["); ok {
		literal, ok = strings.CutSuffix(literal, "]")
		address, isSix := strings.CutPrefix(literal, "IPv6:")
		a, err := netip.ParseAddr(address)
		if !ok || err != nil || a.Is6() != isSix {
			return false
		}
	} else if !isHostname(domain) {
		return false
	}
	a, err := mail.ParseAddress(s[:at] + "@example.org")
	return err == nil && a.Name == "" && !strings.ContainsAny(s[:1], " <")
}

// isHostname reads a name of RFC 1123 §2.1; an A-label is taken as it is.
func isHostname(s string) bool {
	if s == "" || len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if len(label) > 3 && label[2:4] == "--" && !strings.EqualFold(label[:2], "xn") {
			return false
		}
		for _, c := range []byte(label) {
			if letter := c|0x20 >= 'a' && c|0x20 <= 'z'; !letter && (c < '0' || c > '9') && c != '-' {
				return false
			}
		}
	}
	return true
}

var uriCharacters = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$`)
})

// isURI reads a URI, or a reference, of RFC 3986.
func isURI(s string, absolute bool) bool {
	if !uriCharacters().MatchString(s) || strings.Count(s, "#") > 1 {
		return false
	}
	u, err := url.Parse(s)
	if err != nil || (absolute && u.Scheme == "") {
		return false
	}
	rest := strings.TrimPrefix(s, u.Scheme+":")
	if !strings.HasPrefix(rest, "//") {
		return !strings.ContainsAny(rest, "[]")
	}
	authority, after := rest[2:], ""
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority, after = authority[:end], authority[end:]
	}
	userinfo := ""
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		userinfo = authority[:at]
	}
	return !strings.ContainsAny(after, "[]") && !strings.ContainsAny(userinfo, "[]@")
}
