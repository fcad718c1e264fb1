package main

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fixtures"
	"github.com/fonteviva/fonteviva/report"
)

func (a *app) demoCmd() *cobra.Command {
	var f runFlags
	var show bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See every finding, on a simulated origin",
		Long: `demo starts a simulated origin on loopback, runs the shipped declaration against it
over real sockets and shows every finding. It exits 0 and says which exit code a
real run would have had.`,
		Example: `  fonteviva demo
  fonteviva demo -v
  fonteviva demo --show            # the declaration that it runs
  fonteviva demo --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if show {
				_, err := a.out.Write(fixtures.DemoDeclaration)
				return err
			}
			return a.demo(cmd, f)
		},
	}
	cmd.Flags().BoolVar(&show, "show", false, "print the declaration instead of running it")
	addReportFlags(cmd, &f)
	return cmd
}

func (a *app) demo(cmd *cobra.Command, f runFlags) error {
	l, err := a.load(cmd, func(o checks.LoadOptions) (*checks.Declaration, error) {
		return checks.LoadBytes("demo.yaml", fixtures.DemoDeclaration, o)
	}, f.on)
	if err != nil {
		return err
	}
	if f.reports, err = formats(l.config, f); err != nil {
		return err
	}
	origin, err := fixtures.Start()
	if err != nil {
		return &exitError{report.ExitOwn, fmt.Errorf("the simulated origin did not start: %w", err)}
	}
	defer origin.Close() //nolint:errcheck // nothing of the demo depends on how it ends
	env := origin.DemoEnv()
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	if err := a.probe(l, l.decl.Probes, f, lookup, nil); err != nil {
		return err
	}
	real := a.exit
	if a.signals.received() == 0 {
		if a.exit = report.ExitOK; a.lost {
			a.exit = report.ExitOutput
		}
	}
	text := report.Text{
		EN: "\nThis was a demo. A real run would have ended with exit code %d: see fonteviva explain %d\n",
		PT: "\nFoi uma demonstração. Uma execução real terminaria com o código %d: veja fonteviva explain %d\n",
	}
	fmt.Fprintf(a.err, text.In(l.config.language()), real, real)
	return nil
}

func (a *app) originCmd() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "origin",
		Short: "Serve the simulated origin on loopback",
		Long: `origin serves the simulated origin until it is interrupted: one route per behaviour
of live sources, wire faults included. Point a declaration at it to try things.`,
		Example: `  fonteviva origin
  fonteviva origin --listen 127.0.0.1:8080`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.serve(listen) },
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "loopback `address` of the plain HTTP door")
	return cmd
}

func (a *app) serve(listen string) error {
	host, port, err := net.SplitHostPort(listen)
	if _, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil {
		return fmt.Errorf("--listen: %q is no host and port (0 to 65535); write such as 127.0.0.1:8080", listen)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("--listen: %s is not a loopback address; the simulated origin serves this machine only", host)
	}
	defer a.signals.hold()()
	origin, err := fixtures.Start(fixtures.WithAddr(listen))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("--listen: %s is in use by another program", listen)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("--listen: this machine does not have the address %s", host)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("--listen: this user may not serve port %s; 0 takes a free one", port)
	case err != nil:
		return &exitError{report.ExitOwn, err}
	}
	fmt.Fprintf(a.out, "%s\n\n", origin.URL())
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	for _, r := range origin.Routes() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", r.Case, r.Path, r.About)
	}
	fmt.Fprintln(w)
	for _, e := range origin.Endpoints() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", e.Case, e.URL, e.About)
	}
	fmt.Fprintln(w)
	env := origin.DemoEnv()
	for _, name := range slices.Sorted(maps.Keys(env)) {
		fmt.Fprintf(w, "export %s=%s\n", name, env[name])
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(a.err, "\nserving until interrupted (Ctrl-C)")
	<-a.signals.ctx.Done()
	return origin.Close()
}
