package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/report"
)

// firstSource is what a declaration begins with where no address is given.
const firstSource = "https://api.bcb.gov.br/dados/serie/bcdata.sgs.11/dados/ultimos/5?formato=json"

// begin writes a declaration of one probe, and asks nobody.
func (a *app) begin(cmd *cobra.Command, out, name string, args []string) error {
	for _, flag := range []string{"header", "env", "protocol", "retries", "timeout"} {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s is of use with --from-mcp only\n  see fonteviva init --help", flag)
		}
	}
	if len(args) > 1 || cmd.ArgsLenAtDash() >= 0 {
		return errors.New("init takes at most one URL; a command is for --from-mcp\n  see fonteviva init --help")
	}
	raw := strings.Join(args, "")
	if raw == "" {
		raw = firstSource
	}
	base, get, err := splitURL(raw)
	if err != nil {
		return err
	}
	if name == "" {
		name = base.Hostname()
	}
	text := firstDeclaration(probeName(name), base.String(), get)
	if _, err := checks.LoadBytes(out, text, checks.LoadOptions{}); err != nil {
		return fmt.Errorf("that address cannot be declared\n%w", err)
	}
	switch err := create(out, text); {
	case errors.Is(err, fs.ErrExist):
		return kept(out)
	case err != nil:
		return &exitError{report.ExitOutput, err}
	}
	_, err = fmt.Fprintf(a.out, "%s: written; now say under expect: what your code relies on, then: fonteviva run%s\n", out, configFlag(out))
	return err
}

// configFlag is what makes a command read a declaration that it does not find by
// itself.
func configFlag(path string) string {
	if path == "fonteviva.yaml" {
		return ""
	}
	return " -c '" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// splitURL parts an address into an origin's and what a probe gets of it. It
// never quotes what may hold a password. What it gets stays as it was written:
// ${env.NAME} is the environment there, too.
func splitURL(raw string) (base *url.URL, get string, err error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, "", errors.New("init takes a URL\n  such as https://api.example.org/v1/prices")
	case u.User != nil:
		return nil, "", errors.New("the URL must not hold a user or a password\n  declare auth: in the file afterwards")
	}
	_, rest, _ := strings.Cut(raw, "://")
	rest, _, _ = strings.Cut(rest, "#")
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		get = "/" + strings.TrimPrefix(rest[i:], "/")
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, get, nil
}

// firstDeclaration is one probe with what can be added to it.
func firstDeclaration(name, base, get string) []byte {
	return fmt.Appendf(nil, `version: 1

origins:
  %[1]s:
    # a live source: where it is and how to ask it
    url: %[2]s
    # user_agent: my-app/1.0 (+https://example.org/contact)
    timeout: 10s # cap of ONE attempt
    budget: 30s # TOTAL of one trip, waits included
    retries: 2 # attempts beyond the first

probes:
  - name: first # one contract: a request, and what must hold of the answer
    origin: %[1]s
    get: %[3]s
    as: json # or csv, ndjson, xml, text
    expect:
      status: 200
      max_duration: 5s # a warning, unless you say severity: fail
      # What your code relies on, such as:
      # json:
      #   - {path: "$[*].valor", type: string}
      # fresh: {path: "$[*].data", layout: DD/MM/YYYY, fail: 7d}
      # shape: shapes/first.json # how it looks now, which fonteviva accept first records
`, name, inline(base), inline(get))
}
