package checks

import (
	"errors"
	"strings"
	"testing"
)

// tagged is a declaration of name:tag,tag probes.
func tagged(specs ...string) *Declaration {
	d := &Declaration{}
	for _, s := range specs {
		name, tags, _ := strings.Cut(s, ":")
		p := &Probe{Name: name}
		if tags != "" {
			p.Tags = strings.Split(tags, ",")
		}
		d.Probes = append(d.Probes, p)
	}
	return d
}

func TestSelect(t *testing.T) {
	d := tagged("selic-diaria:daily,bcb", "selic-mensal:monthly,bcb", "ipca:monthly,ibge", "ptax", "Estados:ibge")
	tests := []struct {
		names, tags string // separated by spaces
		want        string
	}{
		{"", "", "selic-diaria selic-mensal ipca ptax Estados"},
		{"ptax selic-diaria", "", "selic-diaria ptax"},
		{"selic-*", "", "selic-diaria selic-mensal"},
		{"selic-* selic-diaria *", "", "selic-diaria selic-mensal ipca ptax Estados"},
		{"?p??", "", "ipca"},
		{"[A-Z]*", "", "Estados"},
		{"", "daily ibge", "selic-diaria ipca Estados"},
		{"", "!bcb", "ipca ptax Estados"},
		{"", "monthly !ibge", "selic-mensal"},
		{"selic-*", "monthly", "selic-mensal"},
		{"ptax", "daily", ""},
	}
	for _, tt := range tests {
		got, err := d.Select(strings.Fields(tt.names), strings.Fields(tt.tags))
		if err != nil {
			t.Errorf("%q %q: %v", tt.names, tt.tags, err)
			continue
		}
		var names []string
		for _, p := range got {
			names = append(names, p.Name)
		}
		equal(t, tt.names+" "+tt.tags, tt.want, strings.Join(names, " "))
	}
}

func TestSelectNothing(t *testing.T) {
	d := tagged("selic-diaria:daily", "Estados:monthly")
	tests := []struct {
		names, tags []string
		want        []string
	}{
		{[]string{"selic-diara"}, nil, []string{`no probe is named "selic-diara": did you mean "selic-diaria"?`}},
		{[]string{"estados"}, nil, []string{`no probe is named "estados": the case of a name counts: did you mean "Estados"?`}},
		{[]string{"seliq*"}, nil, []string{`no probe is named "seliq*": did you mean "selic*"?`}},
		{[]string{""}, nil, []string{`no probe is named "": known here: selic-diaria, Estados`}},
		{[]string{"["}, nil, []string{`"[" is not a pattern: a pattern has * ? and [a-z]`}},
		{nil, []string{"dayly"}, []string{`no probe has the tag "dayly": did you mean "daily"?`}},
		{nil, []string{"!montly"}, []string{`no probe has the tag "montly": did you mean "monthly"?`}},
		{[]string{"selic-diaria", "x/y", "Estado"}, []string{"dail"}, []string{
			`no probe is named "x/y": known here: selic-diaria, Estados`,
			`no probe is named "Estado": did you mean "Estados"?`,
			`no probe has the tag "dail": did you mean "daily"?`,
		}},
	}
	for _, tt := range tests {
		got, err := d.Select(tt.names, tt.tags)
		e, ok := errors.AsType[*SelectionError](err)
		if !ok || got != nil {
			t.Errorf("%v %v: %v", tt.names, tt.tags, err)
			continue
		}
		equal(t, strings.Join(tt.names, " "), tt.want, e.Problems)
	}
}
