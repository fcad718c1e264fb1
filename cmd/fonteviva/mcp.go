package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/secret"
	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/fetch/mcp"
	"github.com/fonteviva/fonteviva/report"
	"github.com/fonteviva/fonteviva/verdict"
)

// mcpFlags say how a server is spoken to.
type mcpFlags struct {
	headers, env []string
	protocol     string
	retries      int
	timeout      time.Duration
}

func (f *mcpFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVarP(&f.headers, "header", "H", nil, "a request `header`, as 'Name: value'; ${env.NAME} is the environment; repeatable")
	flags.StringArrayVar(&f.env, "env", nil, "a variable of the command, as `NAME=value` or NAME for our own; repeatable")
	flags.StringVar(&f.protocol, "protocol", "auto", "the protocol's `version`: auto, "+strings.Join(mcp.Versions(), ", "))
	flags.IntVar(&f.retries, "retries", fetch.DefaultPolicy().Retries, "attempts beyond the first, where a call may be repeated")
	flags.DurationVar(&f.timeout, "timeout", 10*time.Second, "`time` that one answer may take")
}

func (a *app) mcpCmd() *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use:   "mcp URL|-- COMMAND… | mcp call TOOL [key=value…] URL|-- COMMAND…",
		Short: "Look at one MCP server: what it offers, or the answer of one tool",
		Long: `mcp connects to a Model Context Protocol server, over Streamable HTTP or over the
pipes of a command, and lists what it offers: every page of its tools, resources
and prompts. With call it calls one tool, and shows the verdict, the time, the
answer and its provenance block. A value is read as the tool's schema says;
key:=JSON hands over any JSON.

A command is started without a shell, sees a short list of our environment, and
its process group ends with it. What a server says is shown inert. The exit code is that
of the verdict: 0, 1 (it refuses), 75 (it is down), 4 (nobody can tell), 3 (we failed).`,
		Example: `  fonteviva mcp https://mcp.example.org/mcp
  fonteviva mcp call echo message=olá http://127.0.0.1:3911/mcp
  fonteviva mcp -- node dist/index.js
  fonteviva mcp call get-sum a=1 b=2 -- node dist/index.js`,
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := parseMCP(args, cmd.ArgsLenAtDash())
			if err != nil {
				return fmt.Errorf("%w\n  see fonteviva mcp --help", err)
			}
			defer a.signals.hold()()
			c, err := a.connectMCP(&f, q.url, q.command)
			if err != nil {
				return err
			}
			defer c.close()
			if q.tool == "" {
				a.exit = c.list()
			} else {
				a.exit = c.call(q.tool, q.args)
			}
			return nil
		},
	}
	f.add(cmd)
	return cmd
}

// mcpQuestion is what the command line asks.
type mcpQuestion struct {
	url     string
	command []string
	tool    string // "" lists what the server offers
	args    []string
}

// parseMCP reads the words of the command line. The address may stand first or
// last; dash is how many words stand before --, below 0 without one.
func parseMCP(args []string, dash int) (q mcpQuestion, err error) {
	words := args
	if dash >= 0 {
		words, q.command = args[:dash], args[dash:]
		if len(q.command) == 0 {
			return q, errors.New("there is no command behind --")
		}
	}
	isURL := func(s string) bool { return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") }
	switch n := len(words); {
	case n > 0 && isURL(words[0]):
		q.url, words = words[0], words[1:]
	case n > 0 && isURL(words[n-1]):
		q.url, words = words[n-1], words[:n-1]
	}
	switch {
	case (q.url == "") == (q.command == nil):
		return q, errors.New("name exactly one server: its http:// or https:// address, or -- and its command")
	case len(words) == 0:
		return q, nil
	case words[0] != "call":
		return q, fmt.Errorf("%q is not known here; call TOOL calls a tool", words[0])
	case len(words) == 1:
		return q, errors.New("call needs the name of a tool")
	}
	q.tool, q.args = words[1], words[2:]
	for _, arg := range q.args {
		if name, _, ok := strings.Cut(arg, "="); !ok || strings.TrimSuffix(name, ":") == "" {
			return q, fmt.Errorf("%q is no argument; write key=value", arg)
		}
	}
	return q, nil
}

// check says what is wrong with the flags and the address, before anything is
// started or asked.
func (f *mcpFlags) check(url string) error {
	const maxRetries = 20 // what a declaration may say
	switch {
	case f.protocol != "auto" && !slices.Contains(mcp.Versions(), f.protocol):
		return fmt.Errorf("--protocol: %q is not known; auto, %s are", f.protocol, strings.Join(mcp.Versions(), ", "))
	case f.timeout < time.Millisecond:
		return fmt.Errorf("--timeout: expected a duration of at least 1ms, got %s", f.timeout)
	case f.retries < 0 || f.retries > maxRetries:
		return fmt.Errorf("--retries: expected a whole number from 0 to %d, got %d", maxRetries, f.retries)
	case url != "" && len(f.env) > 0:
		return errors.New("--env is a variable of a command, and this server has an address")
	case url == "" && len(f.headers) > 0:
		return errors.New("--header is for an address, and this server is a command; what it needs to know goes into --env")
	case slices.ContainsFunc(f.env, func(e string) bool { return e == "" || e[0] == '=' }):
		return errors.New("--env: a variable has a name; write NAME=value")
	case url != "":
		return fetch.CheckURL(url)
	}
	return nil
}

// mcpClient is one server, asked from the command line.
type mcpClient struct {
	app    *app
	url    string
	client *fetch.Client
	peer   *mcp.Peer
	hide   *secret.Redactor
}

func (a *app) connectMCP(f *mcpFlags, url string, command []string) (*mcpClient, error) {
	if err := f.check(url); err != nil {
		return nil, err
	}
	secrets := map[string]string{}
	header, err := parseHeaders(f.headers, secrets)
	if err != nil {
		return nil, err
	}
	policy := fetch.DefaultPolicy()
	policy.Retries = f.retries
	policy.Timeout, policy.Budget = f.timeout, max(3*f.timeout, policy.Budget)
	cfg := mcp.Config{URL: url, Command: command, Version: strings.Trim(buildVersion(), "()")}
	if f.protocol != "auto" {
		cfg.Protocol = f.protocol
	}
	c := &mcpClient{app: a, url: url, client: fetch.NewClient(fetch.Config{Policy: policy, UserAgent: userAgent(), Header: header})}
	if command != nil {
		c.url, cfg.Env = "stdio:"+strings.Join(command, " "), mcp.BaseEnv(os.LookupEnv)
		for _, e := range f.env {
			name, value, given := strings.Cut(e, "=")
			if !given {
				value, given = os.LookupEnv(name)
				if !given {
					return nil, fmt.Errorf("--env: %s is not set in the environment", name)
				}
				if secret.Unfit(value) == "" {
					secrets[name] = value
				}
			}
			cfg.Env = append(cfg.Env, name+"="+value)
		}
	}
	c.hide = secret.New(secrets)
	cfg.Hide = c.hide.Bytes
	c.peer = mcp.NewPeer(cfg)
	checks.HideProxies(c.hide, os.LookupEnv)
	return c, nil
}

// parseHeaders reads headers, and learns what of the environment they hold.
func parseHeaders(list []string, secrets map[string]string) (http.Header, error) {
	h := http.Header{}
	for _, line := range list {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("--header: %q has no colon; write 'Name: value'", name)
		}
		for {
			before, rest, found := strings.Cut(value, "${env.")
			variable, after, closed := strings.Cut(rest, "}")
			if !found || !closed {
				break
			}
			v, set := os.LookupEnv(variable)
			if !set {
				return nil, fmt.Errorf("--header: %s is not set in the environment", variable)
			}
			if secret.Unfit(v) == "" {
				secrets[variable] = v
			}
			value = before + v + after
		}
		h.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return h, nil
}

func (c *mcpClient) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	c.peer.Close(ctx)
	c.client.CloseIdle()
}

func (c *mcpClient) ask(op mcp.Op) (*fetch.Answer, error) {
	return c.client.Do(c.app.signals.ctx, &fetch.Request{URL: c.url, Exchange: c.peer.Ask(op)})
}

// verdictExit is the exit code of a run that fails on the verdict.
var verdictExit = map[verdict.Verdict]int{
	verdict.Indisponivel: report.ExitTemporary, verdict.Respondeu: report.ExitContract,
	verdict.Ambiguo: report.ExitAmbiguous, verdict.Alheio: report.ExitOwn,
}

// failed shows a verdict with its facts and what to do, and gives its exit code.
// hint, where there is one, is what to do.
func (c *mcpClient) failed(err error, hint string) int {
	if sig := c.app.signals.received(); sig != 0 {
		return exitOf(sig)
	}
	if fe := verdict.Find(err); fe != nil {
		masked := *fe
		masked.Body = c.hide.Bytes(fe.Body)
		err = &masked
	}
	d := verdict.Of(err)
	fmt.Fprintf(c.app.out, "%s  %s\n", d.Verdict, c.inert(d.Motivo))
	if fe := verdict.Find(err); fe != nil {
		c.timing(&fe.Trip)
		detail := string(fe.Detail)
		r := checks.Result{Finding: checks.Finding(d.Verdict), Kind: &fe.Kind, Cause: &fe.Cause, Detail: &detail, LooksLike: &fe.LooksLike}
		facts, next := report.FactsAndNext(&r, report.EN)
		fmt.Fprintf(c.app.out, "facts  %s\nnext   %s\n", facts, cmp.Or(hint, next))
	}
	return verdictExit[d.Verdict]
}

// inert is a server's text as it may stand on a terminal.
func (c *mcpClient) inert(s string) string { return report.Inert(c.hide.String(s), 0) }

// timing says how long the question took, and by how many requests.
func (c *mcpClient) timing(t *fetch.Trip) {
	requests := 0
	for _, at := range t.Attempts {
		requests += at.Requests
	}
	fmt.Fprintf(c.app.out, "%d ms, %s, %s\n", t.Duration.Milliseconds(),
		plural(len(t.Attempts), "attempt", "attempts"), plural(requests, "request", "requests"))
}

// call calls one tool and shows its answer.
func (c *mcpClient) call(tool string, words []string) int {
	listed, err := c.ask(mcp.Op{Verb: mcp.List, Name: "tools"})
	var tools []listedTool
	if err == nil {
		tools = toolsOf(listed.Body)
	}
	args, err := arguments(words, inputOf(tools, tool))
	if err != nil {
		fmt.Fprintf(c.app.err, "fonteviva: %s\n", c.inert(err.Error()))
		return report.ExitUsage
	}
	a, err := c.ask(mcp.Op{Verb: mcp.Call, Name: tool, Arguments: args})
	if err != nil {
		return c.failed(err, c.inert(unlisted(tools, tool)))
	}
	fmt.Fprintf(c.app.out, "ok  %s\n", c.inert(tool))
	c.timing(&a.Trip)
	c.notes(a)
	c.answer(a)
	return report.ExitOK
}
