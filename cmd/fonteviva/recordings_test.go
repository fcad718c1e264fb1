package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fixtures"
)

// gone ends the script's origin: whatever is asked from then on is refused.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: gone")
	}
	ts.Check(ts.Value("origin").(*fixtures.Origin).Close())
}

// stories A B EXCEPT… demands that two JSON reports found the same of every
// probe, on the same attempts, but of those excepted.
func stories(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: stories A B EXCEPT…")
	}
	read := func(file string) string {
		var doc struct{ Results []checks.Result }
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &doc))
		var b strings.Builder
		for i := range doc.Results {
			r := &doc.Results[i]
			if slices.Contains(args[2:], r.Name) {
				continue
			}
			fmt.Fprintf(&b, "%s %s %v", r.Name, r.Finding, r.Measured)
			for _, m := range r.Mismatches {
				fmt.Fprintf(&b, " %s got %s", m.Code, m.Got)
			}
			for _, t := range r.Trips {
				fmt.Fprintf(&b, " %s of %d attempts,", t.Finding, len(t.Attempts))
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
	if a, b := read(args[0]), read(args[1]); a != b || a == "" {
		ts.Fatalf("%s tells\n%sand %s\n%s", args[0], a, args[1], b)
	}
}
