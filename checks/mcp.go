package checks

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/fetch/mcp"
)

// MCPServer is an origin that speaks the Model Context Protocol: over HTTP at
// the origin's URL, or over the pipes of a command.
type MCPServer struct {
	Command  []string // program and arguments; nil over HTTP
	Env      []Param  // variables of the command, beside the few that it inherits
	Dir      string   // the command's folder; "" for our own
	Protocol string   // a pinned version; "" negotiates

	dir string // relative to the declaration
}

// MCPCall is what a probe asks such a server. The arguments are the request's
// text.
type MCPCall struct {
	Verb mcp.Verb
	Name string // of the tool, prompt or list; the URI of a resource
	JSON bool   // what the reply holds is read as JSON
}

// mcpDraft is an origin's mcp: while it is read.
type mcpDraft struct {
	o            *Origin
	s            *MCPServer
	url, command bool // whether they stand there, right or wrong
	file         *declared
}

var mcpServerKeys = source.NewObject("mcp",
	source.Field[mcpDraft]{Name: "url", Form: baseURLForm, Doc: "the address of a Streamable HTTP endpoint", Decode: func(d *mcpDraft, n source.Node) { d.url = true; decodeBaseURL(d.o, n) }},
	source.Field[mcpDraft]{Name: "command", Form: source.List(1, source.AnyText), Doc: "program and arguments, started without a shell", Decode: func(d *mcpDraft, n source.Node) { d.command = true; decodeCommand(d, n) }},
	source.Field[mcpDraft]{Name: "env", Form: source.NamedMap(0, `^[^=]+$`, source.AnyText), Doc: "variables of the command, beside the few that it inherits", Decode: func(d *mcpDraft, n source.Node) { decodeEnv(d.s, n) }},
	source.Field[mcpDraft]{Name: "cwd", Form: source.SomeText, Doc: "the command's folder, relative to the declaration", Decode: decodeCwd},
	source.Field[mcpDraft]{Name: "protocol", Form: source.OneOf(append([]string{"auto"}, mcp.Versions()...)...), Doc: "auto, or a version to hold the server to", Decode: func(d *mcpDraft, n source.Node) {
		if v, ok := n.Enum(append([]string{"auto"}, mcp.Versions()...)...); ok && v != "auto" {
			d.s.Protocol = v
		}
	}},
)

// decodeMCPServer reads an origin's mcp:.
func decodeMCPServer(o *Origin, n source.Node) {
	d := &mcpDraft{o: o, s: &MCPServer{}, file: o.file}
	o.MCP = d.s
	if !mcpServerKeys.Decode(n, d) {
		return
	}
	switch {
	case d.url == d.command:
		n.Problem("mcp: {url: https://example.org/mcp}, or mcp: {command: [node, server.js]}", "mcp has exactly one of url and command")
	case d.url && (d.s.Env != nil || d.s.dir != ""):
		n.Problem("remove them", "env and cwd belong to a command, and this server has a url")
	}
}

func decodeCommand(d *mcpDraft, n source.Node) {
	list, ok := n.Strings()
	if !ok {
		return
	}
	items, _ := n.Items()
	for _, item := range items {
		if s, _ := item.String(); strings.Contains(s, "${") {
			item.Problem("hand it over by env:, which no list of processes shows", "a reference is not expanded in a command")
			return
		}
	}
	if len(list) == 0 || list[0] == "" {
		n.Problem("such as [node, dist/index.js]", "the command is empty")
		return
	}
	d.s.Command = list
}

func decodeEnv(s *MCPServer, n source.Node) {
	pairs, ok := n.Pairs()
	if !ok {
		return
	}
	for _, p := range pairs {
		if p.Key == "" || strings.ContainsAny(p.Key, "=\x00") {
			p.KeyAt.Problem("", "%s is no name of a variable", quoted(p.Key))
			continue
		}
		if v, ok := text(p.Value); ok {
			s.Env = append(s.Env, Param{Name: p.Key, Value: v})
		}
	}
}

func decodeCwd(d *mcpDraft, n source.Node) {
	name, ok := n.NonEmpty()
	switch {
	case !ok || !hasNoRef(n):
	case filepath.IsAbs(name):
		n.Problem("it is relative to the declaration", "cwd is absolute")
	case d.file == nil || d.file.dir == "":
		n.Problem("save the declaration as a file", "this declaration is no file, and can name no folder")
	default:
		d.s.dir, d.s.Dir = name, filepath.Join(d.file.dir, name)
	}
}

// settleServer checks what holds between an origin's keys.
func settleServer(o *Origin, n source.Node) {
	if n.Member("url").IsZero() == (o.MCP == nil) {
		if o.MCP == nil {
			n.Problem("add url: the address that probes start from", "an origin has no key %s", quoted("url"))
		} else {
			n.Member("url").Problem("write it as mcp: {url: …}", "an MCP server has its address under mcp:")
		}
	}
	if o.MCP == nil {
		return
	}
	for _, key := range []string{"mirrors", "sentinel"} {
		if at := n.Member(key); !at.IsZero() {
			at.Problem("remove it", "%s is not known for an MCP server", key)
		}
	}
	for _, key := range []string{"auth", "headers", "tls", "proxy", "cookies", "dns"} {
		if at := n.Member(key); !at.IsZero() && o.MCP.Command != nil {
			at.Problem("what a command needs to know goes into mcp: {env: {}}", "%s says something about HTTP, and this server is a command", key)
		}
	}
}

// mcpCallDraft is a probe's mcp: while it is read.
type mcpCallDraft struct {
	d     *probeDraft
	call  MCPCall
	verbs []source.Node
	args  source.Node
}

var mcpCallKeys = source.NewObject("mcp",
	source.Field[mcpCallDraft]{Name: "call", Form: source.SomeText, Doc: "a tool", Decode: func(m *mcpCallDraft, n source.Node) { m.named(mcp.Call, n) }},
	source.Field[mcpCallDraft]{Name: "arguments", Form: source.Map(0, source.Any), Doc: "of the tool or the prompt", Decode: func(m *mcpCallDraft, n source.Node) { m.args = n }},
	source.Field[mcpCallDraft]{Name: "list", Form: source.OneOf("tools", "resources", "prompts"), Doc: "tools, resources or prompts; every page", Decode: func(m *mcpCallDraft, n source.Node) {
		m.verbs = append(m.verbs, n)
		m.call.Verb = mcp.List
		m.call.Name, _ = n.Enum("tools", "resources", "prompts")
	}},
	source.Field[mcpCallDraft]{Name: "read", Form: source.SomeText, Doc: "the URI of a resource", Decode: func(m *mcpCallDraft, n source.Node) { m.named(mcp.Read, n) }},
	source.Field[mcpCallDraft]{Name: "prompt", Form: source.SomeText, Doc: "a prompt", Decode: func(m *mcpCallDraft, n source.Node) { m.named(mcp.Prompt, n) }},
	source.Field[mcpCallDraft]{Name: "initialize", Form: source.True, Doc: "true: what the server says of itself", Decode: func(m *mcpCallDraft, n source.Node) { m.bare(mcp.Initialize, n) }},
	source.Field[mcpCallDraft]{Name: "ping", Form: source.True, Doc: "true: a sign of life", Decode: func(m *mcpCallDraft, n source.Node) { m.bare(mcp.Ping, n) }},
)

func (m *mcpCallDraft) named(v mcp.Verb, n source.Node) {
	m.verbs = append(m.verbs, n)
	m.call.Verb = v
	if hasNoRef(n) {
		m.call.Name, _ = n.NonEmpty()
	}
}

func (m *mcpCallDraft) bare(v mcp.Verb, n source.Node) {
	m.verbs = append(m.verbs, n)
	m.call.Verb = v
	if yes, ok := n.Bool(); ok && !yes {
		n.Problem("remove it", "%s: false asks nothing", v)
	}
}

// decodeMCP reads a probe's mcp:, a mapping or one of the words initialize and
// ping.
func (d *probeDraft) decodeMCP(n source.Node) {
	m := &mcpCallDraft{d: d}
	d.Request.Method = http.MethodPost
	d.MCP = &m.call
	if n.IsScalar() {
		v, _ := n.Enum(string(mcp.Initialize), string(mcp.Ping))
		m.call.Verb = mcp.Verb(v)
		return
	}
	if !mcpCallKeys.Decode(n, m) {
		return
	}
	if len(m.verbs) != 1 {
		n.Problem("mcp: {call: TOOL, arguments: {}}", "mcp asks exactly one of call, list, read, prompt, initialize and ping")
		return
	}
	if m.args.IsZero() {
		return
	}
	if v := m.call.Verb; v != mcp.Call && v != mcp.Prompt {
		m.args.Problem("remove them", "%s takes no arguments", v)
	} else if !m.args.IsMapping() {
		m.args.Problem("such as {regiao: SE}", "arguments are a mapping")
	} else {
		decodeJSONBody(d, m.args)
	}
}

// settleMCP checks what holds between a probe's keys and its origin's kind.
func (d *probeDraft) settleMCP() {
	asked := d.Expect.MCP()
	if d.MCP == nil {
		key := cmpFirst(asked.Call, asked.List, asked.Any)
		if key != "" && d.expect.IsMapping() {
			d.expect.Member(key).Problem("ask with mcp:", "%s is about the reply of an MCP server", key)
		}
		if d.Origin != nil && d.Origin.MCP != nil && d.mcp.IsZero() {
			d.origin.Problem("ask with mcp:, such as mcp: {list: tools}", "origin %s is an MCP server", quoted(d.Origin.Name))
		}
		return
	}
	if d.Origin != nil && d.Origin.MCP == nil {
		d.mcp.Problem("declare it with mcp: {url: …} or mcp: {command: […]}", "origin %s is no MCP server", quoted(d.Origin.Name))
	}
	if asked.Call != "" && d.MCP.Verb != mcp.Call {
		d.expect.Member(asked.Call).Problem("ask with mcp: {call: TOOL}", "%s is about the call of a tool", asked.Call)
	}
	if asked.List != "" && d.MCP.Verb != mcp.List {
		d.expect.Member(asked.List).Problem("ask with mcp: {list: tools}", "%s is about what a server offers", asked.List)
	}
	if !d.as.IsZero() {
		d.as.Problem("remove it", "as: says what an HTTP body is, and an MCP reply says so itself")
	}
	reader, _ := d.readerOfJSON()
	d.MCP.JSON, d.JSON = reader != "" || d.Expect.JudgesBody(), false
}

// cmpFirst gives the first text that is not empty.
func cmpFirst(list ...string) string {
	i := slices.IndexFunc(list, func(s string) bool { return s != "" })
	if i < 0 {
		return ""
	}
	return list[i]
}

// program is the command's program as it is to be started. One with a folder in
// its name is found from the command's own folder.
func (s *MCPServer) program() []string {
	list := slices.Clone(s.Command)
	if s.Dir != "" && strings.ContainsAny(list[0], "/"+string(filepath.Separator)) && !filepath.IsAbs(list[0]) {
		if abs, err := filepath.Abs(filepath.Join(s.Dir, list[0])); err == nil {
			list[0] = abs
		}
		return list
	}
	if abs, err := exec.LookPath(list[0]); err == nil {
		list[0] = abs
	}
	return list
}

// decodeRPCCode and decodeRuleIsError read what an answer rule asks of an MCP
// reply.
func decodeRPCCode(r *fetch.Rule, n source.Node) {
	s, ok := n.String()
	if !ok {
		return
	}
	code, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		n.Problem("such as -32602", "%s is no code of a JSON-RPC error", quoted(s))
		return
	}
	r.RPCCode = &code
}

func decodeRuleIsError(r *fetch.Rule, n source.Node) {
	if v, ok := n.Bool(); ok {
		r.IsError = &v
	}
}
