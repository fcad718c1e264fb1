package report

import (
	"slices"
	"strconv"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/source"
)

type declaredCell struct {
	d  Disposition
	at string
}

// readFormats reads {FORMAT: {FINDING: DISPOSITION}}.
func readFormats(raws []checks.Raw, report sink) map[string]map[checks.Finding]declaredCell {
	out := map[string]map[checks.Finding]declaredCell{}
	for _, raw := range raws {
		if !slices.Contains(formatNames(), raw.Key) {
			report(raw.KeyNode, source.DidYouMean(raw.Key, formatNames()), "unknown format %s", strconv.Quote(raw.Key))
			continue
		}
		if err := judges(raw.Key); err != nil {
			report(raw.KeyNode, "", "%v", err)
			continue
		}
		out[raw.Key] = readCells(raw, report)
	}
	return out
}

// readCells reads {FINDING: DISPOSITION}.
func readCells(raw checks.Raw, report sink) map[checks.Finding]declaredCell {
	out := map[checks.Finding]declaredCell{}
	if !isMapping(raw) {
		report(raw.Node, "such as {indisponivel: fail}", "%s takes a mapping of findings to dispositions", raw.Key)
		return out
	}
	for _, child := range raw.Children {
		f, err := parseFinding(child.Key)
		if err != nil {
			report(child.KeyNode, source.DidYouMean(child.Key, names(checks.Findings())), "unknown finding %s", strconv.Quote(child.Key))
			continue
		}
		d, err := parseDisposition(child.Value)
		if err != nil {
			report(child.Node, source.DidYouMean(child.Value, names(Dispositions())), "unknown disposition %s", strconv.Quote(child.Value))
			continue
		}
		if !measured(f) && d == Pass {
			report(child.Node, hintUnmeasuredPass, "%s: pass is refused: %v", f, errUnmeasuredPass)
			continue
		}
		out[f] = declaredCell{d, place(child.Node)}
	}
	return out
}

// isMapping reports a mapping: what else stands there would be read past. One
// that was made in code has no node.
func isMapping(raw checks.Raw) bool {
	if raw.Node.IsZero() {
		return raw.Value == ""
	}
	return raw.Node.IsMapping()
}

func place(n source.Node) string {
	if n.IsZero() {
		return "in the declaration"
	}
	return n.Pos().String()
}

func plainCells(cells map[checks.Finding]declaredCell) map[checks.Finding]Disposition {
	out := make(map[checks.Finding]Disposition, len(cells))
	for f, c := range cells {
		out[f] = c.d
	}
	return out
}
