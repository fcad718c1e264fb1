package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/surface"
	"github.com/fonteviva/fonteviva/fetch/mcp"
	"github.com/fonteviva/fonteviva/report"
)

func (a *app) initCmd() *cobra.Command {
	var f mcpFlags
	var from bool
	var out, name string
	cmd := &cobra.Command{
		Use:   "init [URL] | init --from-mcp URL|-- COMMAND…",
		Short: "Write a declaration to begin with",
		Long: `init writes a declaration of one probe, which asks URL (or a public series, without
one), with what can be added beside it in comments. Nothing is asked. A key in the
address is better written as ${env.NAME}, which is read when the probe runs.

With --from-mcp it asks an MCP server what it offers and declares that: the accepted
surface, and one probe for each tool that says of itself that it only reads, with
example arguments from its schema. A tool that may write, or that needs a value
which its schema does not give, is written as a comment: nothing is invented, and
nothing is called that might change something. Files that are there are kept.`,
		Example: `  fonteviva init https://api.example.org/v1/prices?day=today
  fonteviva init --from-mcp https://mcp.example.org/mcp
  fonteviva init --from-mcp --name ibge -- node dist/index.js`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "-" {
				return errors.New("--output -: a declaration is a file; name one\n  see fonteviva init --help")
			}
			if !from {
				return a.begin(cmd, out, name, args)
			}
			q, err := parseMCP(args, cmd.ArgsLenAtDash())
			if err == nil && q.tool != "" {
				err = errors.New("init calls no tool")
			}
			if err != nil {
				return fmt.Errorf("%w\n  see fonteviva init --help", err)
			}
			if exists(out) {
				return kept(out)
			}
			if err := clearCredential(f.headers, f.env); err != nil {
				return err
			}
			if err := checkServer(out, &q, &f); err != nil {
				return err
			}
			defer a.signals.hold()()
			c, err := a.connectMCP(&f, q.url, q.command)
			if err != nil {
				return err
			}
			defer c.close()
			a.exit, err = c.declare(out, name, &q, &f)
			return err
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&from, "from-mcp", false, "from what an MCP server offers")
	cmd.Flags().StringVarP(&out, "output", "o", "fonteviva.yaml", "`file` to write")
	cmd.Flags().StringVar(&name, "name", "", "what the origin is called (default the server's own name, or the host of URL)")
	return cmd
}

// declare writes the surface and the declaration.
func (c *mcpClient) declare(out, name string, q *mcpQuestion, f *mcpFlags) (int, error) {
	answer, err := c.ask(mcp.Op{Verb: mcp.Surface})
	if err != nil {
		return c.failed(err, ""), nil
	}
	s, err := surface.Read(answer.Body)
	if err != nil {
		return report.ExitAmbiguous, err
	}
	if name == "" {
		name = s.Server.Name
	}
	name = probeName(name)
	lock := filepath.Join(filepath.Dir(out), "surfaces", name+".json")
	file, err := (&surface.File{Probe: name + "-surface", AcceptedAt: time.Now(), Surface: *s}).Marshal()
	if err != nil {
		return report.ExitOwn, err
	}
	if c.hide.String(string(file)) != string(file) {
		return report.ExitOwn, errors.New("what the server offers holds a secret of ours; nothing is written")
	}
	d := declarer{name: name, q: q, f: f}
	text := d.write(s)
	if err := os.MkdirAll(filepath.Dir(lock), 0o755); err != nil {
		return report.ExitOutput, &exitError{report.ExitOutput, err}
	}
	for _, w := range []struct {
		path string
		data []byte
	}{{lock, file}, {out, []byte(text)}} {
		err := create(w.path, w.data)
		if errors.Is(err, fs.ErrExist) {
			return report.ExitUsage, kept(w.path)
		}
		if err != nil {
			return report.ExitOutput, &exitError{report.ExitOutput, err}
		}
		fmt.Fprintf(c.app.out, "%s: written\n", w.path)
	}
	if _, err := checks.Load([]string{out}, checks.LoadOptions{}); err != nil {
		// What nobody can run is not left behind.
		return report.ExitOwn, &exitError{report.ExitOwn, errors.Join(err, os.Remove(out), os.Remove(lock))}
	}
	fmt.Fprintf(c.app.out, "%s; %s; then: fonteviva run%s\n", plural(d.probes, "probe", "probes"),
		plural(d.comments, "tool is a comment, with its reason", "tools are comments, each with its reason"), configFlag(out))
	return report.ExitOK, nil
}

// kept says of a file that is there that it is not written over, and what to do.
func kept(path string) error {
	return fmt.Errorf("%s is there already and is kept as it is\n  name another file with --output (and another origin with --name), or move it away", path)
}

// create writes a file that is not there yet.
func create(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// probeName makes a name that a declaration takes.
func probeName(s string) string {
	var b strings.Builder
	for _, r := range s {
		alnum := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		switch {
		case alnum, b.Len() > 0 && (r == '.' || r == '_' || r == '-'):
			b.WriteRune(r)
		case b.Len() > 0:
			b.WriteByte('-')
		}
	}
	name := strings.TrimRight(b.String(), "-")
	if name == "" {
		return "mcp"
	}
	return name[:min(len(name), 80)]
}

// declarer writes a declaration, line by line. What a server says is quoted as
// JSON, which YAML is too.
type declarer struct {
	name             string
	q                *mcpQuestion
	f                *mcpFlags
	b                strings.Builder
	names            []string
	probes, comments int
}

func (d *declarer) line(format string, args ...any) { fmt.Fprintf(&d.b, format+"\n", args...) }

// checkServer says what is wrong with the server as it will be declared, before
// it is asked for anything.
func checkServer(out string, q *mcpQuestion, f *mcpFlags) error {
	d := declarer{name: "server", q: q, f: f}
	d.origin()
	d.line("probes: [{name: server, origin: server, mcp: ping}]")
	if _, err := checks.LoadBytes(out, []byte(d.b.String()), checks.LoadOptions{}); err != nil {
		return fmt.Errorf("that server cannot be declared\n%w", err)
	}
	return nil
}

// origin writes what stands before the probes.
func (d *declarer) origin() {
	d.line("version: 1\norigins:\n  %s:", d.name)
	server := map[string]any{}
	if d.q.command == nil {
		server["url"] = d.q.url
	} else {
		server["command"] = d.q.command
		if env := d.env(); len(env) > 0 {
			server["env"] = env
		}
	}
	if d.f.protocol != "auto" {
		server["protocol"] = d.f.protocol
	}
	d.line("    mcp: %s", inline(server))
	lines, variables := declaredHeaders(d.f.headers)
	for _, l := range lines {
		d.line("    %s", l)
	}
	if secrets := declaredSecrets(variables, d.q.url); secrets != "" {
		d.line("%s", secrets)
	}
}

func (d *declarer) write(s *surface.Surface) string {
	d.origin()
	d.line("probes:\n  - name: %s\n    origin: %s\n    mcp: {list: tools}\n    expect: {surface: %s}",
		d.unique("surface"), d.name, inline("surfaces/"+d.name+".json"))
	d.probes++
	for _, t := range s.Tools {
		d.tool(&t)
	}
	return d.b.String()
}

func (d *declarer) env() map[string]string {
	env := map[string]string{}
	for _, e := range d.f.env {
		name, value, given := strings.Cut(e, "=")
		if !given {
			value = "${env." + name + "}"
		}
		env[name] = value
	}
	return env
}

func (d *declarer) unique(what string) string {
	base := d.name + "-" + probeName(what)
	name := base
	for i := 2; slices.Contains(d.names, strings.ToLower(name)); i++ {
		name = fmt.Sprintf("%s-%d", base, i)
	}
	d.names = append(d.names, strings.ToLower(name))
	return name
}

// tool writes the probe of a tool, or why there is none.
func (d *declarer) tool(t *surface.Tool) {
	args, missing := examples(t.Input)
	why := ""
	switch {
	case !t.Annotations["readOnlyHint"]:
		why = "the server does not say that it only reads"
	case len(missing) > 0:
		why = "needs a real value for " + strings.Join(missing, ", ")
	case strings.Contains(t.Name, "${") || namesReference(args):
		why = "its name, or a key in its arguments, would be a reference here"
	}
	mark := "  "
	if why != "" {
		d.line("  # %s", inline(why))
		mark = "  # "
		d.comments++
	} else {
		d.probes++
	}
	ask := "{call: " + inline(t.Name)
	if len(args) > 0 {
		ask += ", arguments: " + inline(args)
	}
	expect := "{is_error: false}"
	if string(t.Output) != "null" {
		expect = "{is_error: false, output_schema: true}"
	}
	d.line("%s- name: %s", mark, d.unique(t.Name))
	for _, l := range []string{"origin: " + d.name, "mcp: " + ask + "}", "expect: " + expect} {
		d.line("%s  %s", mark, l)
	}
}

// inline is a value on one line, as JSON in which nothing is invisible: a server
// has written it, and a person reviews it. What is no character of JSON's four
// digits has YAML's eight (YAML 1.2.2 §5.7).
func inline(v any) string {
	var raw, b strings.Builder
	e := json.NewEncoder(&raw)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return "null"
	}
	for _, r := range strings.TrimSpace(raw.String()) {
		switch {
		case strconv.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
