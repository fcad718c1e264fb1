package checks

import (
	"testing"

	"github.com/fonteviva/fonteviva/checks/expect"
)

func chains(t *testing.T) *Declaration {
	t.Helper()
	d, err := Load([]string{"testdata/valid/chains.yaml"}, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestMatrices(t *testing.T) {
	d := chains(t)
	var names, paths []string
	for _, p := range d.Probes[:5] {
		names, paths = append(names, p.Name), append(paths, p.Request.Path.Raw())
	}
	equal(t, "names", []string{"serie-Sao-Paulo", "serie-Rio", "plain-1", "plain-1.50", "plain-a-b-c"}, names)
	equal(t, "paths", []string{
		"/dados/11/ultimos/5?nome=S%C3%A3o+Paulo&x=${env.X}", "/dados/433/ultimos/3?nome=Rio&x=${env.X}", "/1", "/1.50", "/a/b%20c",
	}, paths)
	sp := d.Probes[0]
	equal(t, "title, matrix, tags", []string{"Série 11", "serie", "s11", "all"}, append([]string{sp.Title, sp.Matrix}, sp.Tags...))
	if sp.Pos.Line != 4 || d.Probes[1].Pos != sp.Pos {
		t.Errorf("places: %s, %s", sp.Pos, d.Probes[1].Pos)
	}
	if !sp.Expect.StatusExpected(255) || sp.Expect.StatusExpected(233) || !d.Probes[1].Expect.StatusExpected(233) {
		t.Error("the value did not reach status:")
	}
	// A number stays a number, a boolean a boolean.
	for i, body := range []string{
		`[{"code":11,"name":"São Paulo","ok":true,"asked":"São Paulo ${x}"}]`,
		`[{"code":433,"name":"Rio","ok":false,"asked":"Rio ${x}"}]`,
	} {
		o := &expect.Observation{Status: []int{255, 233}[i], Body: []byte(body), JSON: true}
		if list, err := d.Probes[i].Expect.Evaluate(t.Context(), o); err != nil || len(list) > 0 {
			t.Errorf("%s: %+v %v", d.Probes[i].Name, list, err)
		}
	}
}

func TestSelectAMatrixByItsName(t *testing.T) {
	probes, err := chains(t).Select([]string{"serie"}, nil)
	if err != nil || len(probes) != 2 || probes[1].Name != "serie-Rio" {
		t.Errorf("%v %v", probes, err)
	}
}

func TestNeedsAreAdded(t *testing.T) {
	d := chains(t)
	names := func(list []*Probe) (out []string) {
		for _, p := range list {
			out = append(out, p.Name)
		}
		return out
	}
	chained := d.Probes[5]
	equal(t, "needs", []string{"serie-Sao-Paulo", "serie-Rio", "login"}, names(chained.Needs))
	equal(t, "selection", []string{"serie-Sao-Paulo", "serie-Rio", "chained", "login"}, names(d.WithNeeds([]*Probe{chained})))
	equal(t, "nothing needed", []string{"login", "pages"}, names(d.WithNeeds([]*Probe{d.Probes[6], d.Probes[7]})))
}

func TestModesOfChains(t *testing.T) {
	d := chains(t)
	for name, want := range map[string]bool{"serie-Rio": true, "login": true, "pages": true, "links": false, "chained": false} {
		probes, err := d.Select([]string{name}, nil)
		if err != nil || probes[0].JSON != want {
			t.Errorf("%s: read as JSON: %v, %v", name, !want, err)
		}
	}
	if n := d.Probes[7].Next; n.MaxPages != 3 || n.Link != "" || n.Address == nil {
		t.Errorf("%+v", n)
	}
	if n := d.Probes[8].Next; n.MaxPages != defaultPages || n.Link != "next" {
		t.Errorf("%+v", n)
	}
}

func TestNamesOfValues(t *testing.T) {
	for value, want := range map[string]string{"11": "11", "São Paulo/SP": "Sao-Paulo-SP", "a  b": "a-b", "-x_": "-x_", "çÃo": "cAo", "日本": "", "***": "", "..": ".."} {
		if got := nameOf(value); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}
