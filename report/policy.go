package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
)

// Cell is one place of the policy table, and which rule put it there:
// "default", "formats: in FILE:LINE:COL", "profile NAME" or the --on itself.
type Cell struct {
	Disposition Disposition `json:"disposition"`
	From        string      `json:"from"`
}

// Policy is the resolved table: what every format does with every finding. It
// is read by any number of goroutines and never changed after it was made.
type Policy struct {
	Profile     Profile
	MinMeasured *Threshold // the profile's, or the flag's
	rows        map[string]*[6]Cell
}

// PolicyRequest is what a policy is resolved from. The zero value gives the
// defaults.
type PolicyRequest struct {
	Declaration *checks.Declaration // nil: no formats: and no profiles: of its own
	Profile     string              // "" is DefaultProfile
	On          []string            // FINDING=DISPOSITION or FORMAT:FINDING=DISPOSITION, the later wins
	MinMeasured string              // "" is the profile's
}

// ResolvePolicy lays the overrides over the default table, weakest first: the
// declaration's formats:, the profile, --on. An error is the user's: a word
// that is not known (with a suggestion), a cell that may not be.
func ResolvePolicy(req PolicyRequest) (*Policy, error) {
	c := &source.Collector{}
	decl := readDeclared(req.Declaration, collectInto(c))
	if err := c.Err(); err != nil {
		return nil, err
	}
	profile, err := decl.profile(req.Profile)
	if err != nil {
		return nil, err
	}
	p := defaultPolicy()
	p.Profile, p.MinMeasured = profile, profile.MinMeasured
	for _, o := range decl.formats {
		p.set(o.format, o.finding, o.disposition, o.from)
	}
	p.applyProfile(profile)
	for _, flag := range req.On {
		if err := p.applyFlag(flag); err != nil {
			return nil, err
		}
	}
	if req.MinMeasured != "" {
		t, err := ParseThreshold(req.MinMeasured)
		if err != nil {
			return nil, fmt.Errorf("--min-measured: %w", err)
		}
		p.MinMeasured = &t
	}
	return p, nil
}

func defaultPolicy() *Policy {
	p := &Policy{rows: make(map[string]*[6]Cell)}
	for _, f := range Formats() {
		row := &[6]Cell{}
		for i, d := range f.Policy {
			row[i] = Cell{Disposition: d, From: "default"}
		}
		p.rows[f.Name] = row
	}
	return p
}

// set writes one cell; format "" means every format that has a policy.
func (p *Policy) set(format string, f checks.Finding, d Disposition, from string) {
	for name, row := range p.rows {
		if (format == "" && !dataOnly(name)) || format == name {
			row[findingIndex(f)] = Cell{Disposition: d, From: from}
		}
	}
}

func (p *Policy) applyProfile(profile Profile) {
	from := "profile " + profile.Name
	for f, d := range profile.On {
		p.set("", f, d, from)
	}
	for format, cells := range profile.Formats {
		for f, d := range cells {
			p.set(format, f, d, from)
		}
	}
}

func (p *Policy) applyFlag(flag string) error {
	left, right, ok := strings.Cut(flag, "=")
	if !ok {
		return fmt.Errorf("--on %s: write FINDING=DISPOSITION, such as --on indisponivel=fail", strconv.Quote(flag))
	}
	format, word, scoped := strings.Cut(left, ":")
	if !scoped {
		format, word = "", left
	} else if err := judges(format); err != nil {
		return fmt.Errorf("--on %s: %w", flag, err)
	}
	f, err := parseFinding(word)
	if err != nil {
		return fmt.Errorf("--on %s: %w", flag, err)
	}
	d, err := parseDisposition(right)
	if err != nil {
		return fmt.Errorf("--on %s: %w", flag, err)
	}
	if !measured(f) && d == Pass {
		return fmt.Errorf("--on %s: %w; %s", flag, errUnmeasuredPass, hintUnmeasuredPass)
	}
	p.set(format, f, d, "--on "+flag)
	return nil
}

// Cell gives one place of the table; format must be one of Formats.
func (p *Policy) Cell(format string, f checks.Finding) Cell {
	return p.rows[format][findingIndex(f)]
}

// Disposition is what a format does with a result: its cell, unless the result
// was stopped by something that fails on its own, or passes with warnings, or
// its failure is known, which warns. One that was not measured for longer than
// its limit fails whatever its cell says, known failure or not.
func (p *Policy) Disposition(format string, r *checks.Result) Disposition {
	if checks.KnownFailureOver(r) != "" && !dataOnly(format) {
		return Fail
	}
	if p.age(r) != ageFine && !dataOnly(format) {
		return Fail
	}
	if stoppedElsewhere(r) {
		return Skip
	}
	d := p.Cell(format, r.Finding).Disposition
	if d == Pass && len(r.Mismatches) > 0 && r.Finding == checks.OK || d == Fail && excused(r) {
		return Warn
	}
	return d
}

// stoppedElsewhere reports whether a result is alheio because of something
// that is told, and fails, in another place: the run's budget ended, the run
// was interrupted before the probe's turn, the probe it needs is broken.
func stoppedElsewhere(r *checks.Result) bool {
	if r.Finding != checks.Alheio || r.Detail == nil {
		return false
	}
	switch *r.Detail {
	case checks.DetailRunBudget:
		return true
	case checks.DetailInterrupted, string(fetch.Cancelled), detailDependency:
		return !r.Asked
	}
	return false
}

// detailDependency is the detail of a result whose need has no value for it.
const detailDependency = "dependency"

// formatNames lists the formats' names in the order of the table.
func formatNames() []string {
	var out []string
	for _, f := range Formats() {
		out = append(out, f.Name)
	}
	return out
}

// dataOnly reports whether a format only carries numbers.
func dataOnly(name string) bool {
	f, err := FormatNamed(name)
	return err == nil && f.DataOnly
}

// judges refuses a word that is no format, or one whose policy is not to be
// overridden.
func judges(name string) error {
	f, err := FormatNamed(name)
	if err == nil && f.DataOnly {
		err = fmt.Errorf("%s is data only: it fails nothing, so there is nothing to override", name)
	}
	return err
}

// FormatNamed finds a format; the error suggests the nearest name.
func FormatNamed(name string) (Format, error) {
	i := slices.IndexFunc(Formats(), func(f Format) bool { return f.Name == name })
	if i < 0 {
		return Format{}, fmt.Errorf("unknown format %s: %s", strconv.Quote(name), source.DidYouMean(name, formatNames()))
	}
	return Formats()[i], nil
}
