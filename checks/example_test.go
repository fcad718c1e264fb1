package checks_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/fonteviva/fonteviva/checks"
)

// A declaration is loaded, planned and run; every probe has its result.
func ExamplePlan_Run() {
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/serie/11" {
			fmt.Fprint(w, `[{"data":"30/06/2026","valor":"0.054266"}]`)
			return
		}
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer source.Close()
	declaration := `
version: 1
origins:
  sgs: {url: "` + source.URL + `", retries: 0}
probes:
  - name: selic
    origin: sgs
    get: /serie/11
    expect: {json: [{path: "$[0].valor", type: string}]}
  - {name: ipca, origin: sgs, get: /serie/433}
`
	d, err := checks.LoadBytes("fonteviva.yaml", []byte(declaration), checks.LoadOptions{})
	if err != nil {
		fmt.Println(err) // every mistake, with its place
		return
	}
	plan, err := checks.NewPlan(d, d.Probes, checks.Options{Parallel: 4})
	if err != nil {
		fmt.Println(err) // variables that are missing
		return
	}
	for _, r := range plan.Run(context.Background()).Results {
		fmt.Println(r.Name, r.Finding, "measured:", r.Measured)
	}
	// Output:
	// selic ok measured: true
	// ipca indisponivel measured: false
}
