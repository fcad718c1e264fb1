package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/report"
)

func (a *app) validateCmd() *cobra.Command {
	var configs []string
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Check the declaration without asking anything of the network",
		Example: `  fonteviva validate
  fonteviva validate -c probes/ -c origins.yaml`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.load(cmd, func(o checks.LoadOptions) (*checks.Declaration, error) { return checks.Load(configs, o) }, nil)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s: %s of %s, valid\n", report.GuardLine(report.Inert(strings.Join(l.decl.Files, ", "), maxSaid)), plural(len(l.decl.Probes), "probe", "probes"), plural(len(l.decl.Origins), "origin", "origins"))
			if _, err := checks.NewPlan(l.decl, l.decl.Probes, checks.Options{Env: os.LookupEnv}); err != nil {
				fmt.Fprintf(a.out, "⚠ a run here would stop: %s\n", a.said(err))
			}
			for _, k := range l.decl.Overdue(time.Now()) {
				fmt.Fprintf(a.out, "⚠ %s: a known failure of %s is past its date\n", report.Inert(k.Pos.String(), 0), report.Inert(k.Probe, 100))
			}
			a.listUnread(l.decl.Probes)
			return nil
		},
	}
	addConfigFlag(cmd, &configs)
	return cmd
}

func (a *app) listCmd() *cobra.Command {
	var configs, tags []string
	cmd := &cobra.Command{
		Use:   "list [NAME|GLOB…]",
		Short: "List the declared probes",
		Example: `  fonteviva list
  fonteviva list --tag daily 'ibge-*'
  fonteviva list --format json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := a.load(cmd, func(o checks.LoadOptions) (*checks.Declaration, error) { return checks.Load(configs, o) }, nil)
			if err != nil {
				return err
			}
			probes, err := l.decl.Select(args, tags)
			if err != nil {
				return err
			}
			return a.list(probes, cmd.Flag("format").Value.String())
		},
	}
	addConfigFlag(cmd, &configs)
	cmd.Flags().StringArrayVar(&tags, "tag", nil, "only probes with this `tag`; repeatable (any of them), !tag excludes")
	cmd.Flags().Var(newChoice("text", "text", "json"), "format", "`text` or json")
	return cmd
}

// listed is a probe as list --format json writes it. What is asked of an MCP
// server has the method mcp, and for a path what is asked.
type listed struct {
	Name   string   `json:"name"`
	Title  string   `json:"title"`
	Origin string   `json:"origin"`
	Method string   `json:"method"`
	Path   string   `json:"path"`
	Tags   []string `json:"tags"`
	File   string   `json:"file"`
	Line   int      `json:"line"`
}

func (a *app) list(probes []*checks.Probe, format string) error {
	rows := make([]listed, len(probes))
	for i, p := range probes {
		rows[i] = listed{p.Name, report.Inert(p.Title, 0), p.Origin.Name, p.Request.Method, p.Request.Path.Raw(), append([]string{}, p.Tags...), report.Inert(p.Pos.File, 0), p.Pos.Line}
		if p.MCP != nil {
			rows[i].Method, rows[i].Path = "mcp", strings.TrimSpace(string(p.MCP.Verb)+" "+p.MCP.Name)
		}
	}
	if format == "json" {
		enc := json.NewEncoder(a.out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(rows)
	}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 4, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s %s\t%s\t%s\n", r.Name, r.Origin, r.Method, report.Inert(r.Path, 100), strings.Join(r.Tags, ","), report.Inert(r.Title, 100))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		// A probe without tags or title ends in the columns for them.
		if _, err := fmt.Fprintln(a.out, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) policyCmd() *cobra.Command {
	var configs, on []string
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Show what each format does with each finding, and why",
		Long: `policy prints the resolved table: default cells, then formats: of the declaration,
the profile and --on, the later the stronger. Without a declaration in the current
folder it shows the built-in table.`,
		Example: `  fonteviva policy
  fonteviva policy --profile cron
  fonteviva policy --on indisponivel=fail --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.load(cmd, func(o checks.LoadOptions) (*checks.Declaration, error) { return loadIfAny(configs, o) }, on)
			if err != nil {
				return err
			}
			if cmd.Flag("format").Value.String() == "json" {
				enc := json.NewEncoder(a.out)
				enc.SetIndent("", "  ")
				return enc.Encode(l.policy)
			}
			return report.RenderPolicy(a.out, l.policy, report.Options{Lang: l.config.language(), Color: l.config.colored(a.outTTY), Width: a.width})
		},
	}
	addConfigFlag(cmd, &configs)
	addPolicyFlags(cmd)
	cmd.Flags().StringArrayVar(&on, "on", nil, "override the policy, as `FINDING=DISPOSITION`; repeatable")
	cmd.Flags().Var(newChoice("text", "text", "json"), "format", "`text` or json")
	cmd.Flags().String("lang", "", "`language` of what a person reads: en or pt-BR")
	return cmd
}

// loadIfAny loads the named files, or the default one where it exists, or an
// empty declaration.
func loadIfAny(configs []string, o checks.LoadOptions) (*checks.Declaration, error) {
	if len(configs) == 0 && !exists("fonteviva.yaml") && !exists("fonteviva.yml") {
		return &checks.Declaration{}, nil
	}
	return checks.Load(configs, o)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}

func (a *app) explainCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain [WORD|EXIT-CODE]",
		Short: "Tell what a word of a report or an exit code means, and what to do",
		Long: `explain knows every word that stands in a report: findings and verdicts, kinds,
causes, details and notes, what a body looks like, the codes of what does not hold
(shape.key_gone), and the exit codes. Without a word it lists them.`,
		Example: `  fonteviva explain ambiguo
  fonteviva explain malformed_body
  fonteviva explain shape.key_gone
  fonteviva explain 75`,
		Args: argCount(0, 2), // exit 75
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := newConfig(cmd.Flags())
			if err != nil {
				return err
			}
			text := report.ExplainWords(c.language())
			if len(args) > 0 {
				if text, err = report.Explain(strings.Join(args, " "), c.language()); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintln(a.out, strings.TrimRight(text, "\n"))
			return err
		},
	}
	cmd.Flags().String("lang", "", "`language`: en or pt-BR")
	return cmd
}

// version is set by release builds; others take it from the build information.
var version = ""

var buildVersion = sync.OnceValue(func() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
})

// userAgent names the program and where to reach it: origins refuse clients
// that do not.
func userAgent() string {
	return "fonteviva/" + strings.Trim(buildVersion(), "()") + " (+https://github.com/fonteviva/fonteviva)"
}

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: `  fonteviva version`,
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return a.printVersion() },
	}
}

func (a *app) printVersion() error {
	_, err := fmt.Fprintf(a.out, "fonteviva %s (report version %d, %s)\n", buildVersion(), report.Version, runtime.Version())
	return err
}
