package main

import (
	"fmt"
	"strings"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/report"
)

// maxUnread bounds how many probes that read nothing are named.
const maxUnread = 10

// unread lists the probes that pass whatever comes, one of those that each:
// makes.
func unread(probes []*checks.Probe) []*checks.Probe {
	var list []*checks.Probe
	seen := map[source.Position]bool{}
	for _, p := range probes {
		if !seen[p.Pos] && p.ReadsNothing() {
			seen[p.Pos] = true
			list = append(list, p)
		}
	}
	return list
}

// listUnread says of each, with its place, that it would pass whatever comes.
func (a *app) listUnread(probes []*checks.Probe) {
	list := unread(probes)
	for _, p := range list[:min(len(list), maxUnread)] {
		fmt.Fprintf(a.out, "⚠ %s: probe %s reads nothing of the answer: it passes as long as anything comes back\n", report.Inert(p.Pos.String(), 0), p.Name)
	}
	if more := len(list) - maxUnread; more > 0 {
		fmt.Fprintf(a.out, "⚠ and so do %d more\n", more)
	}
	if len(list) > 0 {
		fmt.Fprintln(a.out, `  such as expect: {json: [{path: "$", exists: true}]}, or expect: {body: {contains: "…"}}`)
	}
}

// sayUnread says in one line before a run which probes pass whatever comes. A
// quiet profile does not say it: cron would mail it every time.
func (a *app) sayUnread(l *loaded, probes []*checks.Probe) {
	list := unread(probes)
	if len(list) == 0 || l.policy.Profile.Quiet {
		return
	}
	var names []string
	for _, p := range list[:min(len(list), maxUnread)] {
		names = append(names, p.Name)
	}
	if more := len(list) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("+%d", more))
	}
	text := report.Text{
		EN: "fonteviva: ⚠ nothing of the answer is read, so that anything that comes back passes: %s\n",
		PT: "fonteviva: ⚠ nada da resposta é lido, e tudo o que vier passa: %s\n",
	}
	fmt.Fprintf(a.err, text.In(l.config.language()), strings.Join(names, ", "))
}
