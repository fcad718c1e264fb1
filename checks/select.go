package checks

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fonteviva/fonteviva/checks/source"
)

// SelectionError says which names, patterns or tags select nothing, all at
// once.
type SelectionError struct{ Problems []string }

// Error gives one line for each.
func (e *SelectionError) Error() string { return strings.Join(e.Problems, "\n") }

// Select gives the probes that a name (of a probe, or of a whole matrix) or a
// pattern (path.Match: * ? [a-z]) of names and a tag of tags choose, in the order of the declaration. No name
// means every probe; several tags mean any of them, and a tag that starts with
// ! leaves out what carries it. A name, a pattern or a tag that fits no probe
// at all is a *SelectionError; a combination that leaves nothing is not.
func (d *Declaration) Select(names, tags []string) ([]*Probe, error) {
	s := selection{d: d, chosen: make([]bool, len(d.Probes))}
	for _, name := range names {
		s.name(name)
	}
	want, leave := s.tags(tags)
	if len(s.problems) > 0 {
		return nil, &SelectionError{Problems: s.problems}
	}
	var out []*Probe
	for i, p := range d.Probes {
		if (len(names) == 0 || s.chosen[i]) && (len(want) == 0 || sharesTag(p, want)) && !sharesTag(p, leave) {
			out = append(out, p)
		}
	}
	return out, nil
}

func sharesTag(p *Probe, tags []string) bool {
	return slices.ContainsFunc(p.Tags, func(t string) bool { return slices.Contains(tags, t) })
}

type selection struct {
	d        *Declaration
	chosen   []bool
	problems []string
}

func (s *selection) name(name string) {
	if _, err := path.Match(name, ""); err != nil {
		s.problem("a pattern has * ? and [a-z]", "%s is not a pattern", quoted(name))
		return
	}
	found := false
	for i, p := range s.d.Probes {
		if ok, _ := path.Match(name, p.Name); ok || p.Name == name || name != "" && p.Matrix == name {
			s.chosen[i], found = true, true
		}
	}
	if !found {
		s.problem(s.nearest(name), "no probe is named %s", quoted(name))
	}
}

// nearest is the hint for a name or a pattern that fits no probe.
func (s *selection) nearest(name string) string {
	all := make([]string, len(s.d.Probes))
	for i, p := range s.d.Probes {
		all[i] = p.Name
		if strings.EqualFold(p.Name, name) {
			return "the case of a name counts: did you mean " + quoted(p.Name) + "?"
		}
	}
	if at := strings.IndexAny(name, "*?["); at > 0 {
		// A pattern is compared by what stands before its first sign.
		heads := make([]string, len(all))
		for i := range all {
			heads[i] = all[i][:min(at, len(all[i]))]
		}
		if near := source.Suggest(name[:at], heads); near != "" && near != name[:at] {
			return "did you mean " + quoted(near+name[at:]) + "?"
		}
	}
	hint := source.DidYouMean(strings.Trim(name, "*"), all)
	if hint == "" {
		return "`fonteviva list` shows every probe"
	}
	return hint
}

// tags sorts the tags into those wanted and those left out.
func (s *selection) tags(tags []string) (want, leave []string) {
	for _, tag := range tags {
		word, isOut := strings.CutPrefix(tag, "!")
		if !slices.ContainsFunc(s.d.Probes, func(p *Probe) bool { return slices.Contains(p.Tags, word) }) {
			s.problem(source.DidYouMean(word, s.allTags()), "no probe has the tag %s", quoted(word))
		}
		if isOut {
			leave = append(leave, word)
		} else {
			want = append(want, word)
		}
	}
	return want, leave
}

func (s *selection) allTags() []string {
	var all []string
	for _, p := range s.d.Probes {
		for _, t := range p.Tags {
			if !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	return all
}

func (s *selection) problem(hint, format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	if hint != "" {
		msg += ": " + hint
	}
	s.problems = append(s.problems, msg)
}
