package surface

import (
	"maps"
	"slices"
	"strconv"
)

// Diff is one difference. Was and Is are short texts for a person, and hold a
// server's words.
type Diff struct {
	Code     string // "tool_removed", "argument_required", …
	Path     string // "tools.NAME.input.regiao"
	Was, Is  string
	Breaking bool // for whoever calls the server as it was
}

// comparison gathers differences.
type comparison struct{ list []Diff }

func (c *comparison) breaks(code, path, was, is string) {
	c.list = append(c.list, Diff{code, path, was, is, true})
}

func (c *comparison) adds(code, path, was, is string) {
	c.list = append(c.list, Diff{code, path, was, is, false})
}

// differs adds a difference of two texts, where there is one.
func (c *comparison) differs(code, path, was, is string, breaking bool) {
	if was != is {
		c.list = append(c.list, Diff{code, path, strconv.Quote(was), strconv.Quote(is), breaking})
	}
}

// Compare lists how a server differs from what was accepted, in the order of
// the file.
func Compare(was, is *Surface) []Diff {
	c := &comparison{}
	c.server(&was.Server, &is.Server)
	c.tools(was.Tools, is.Tools)
	c.resources("resources", was.Resources, is.Resources)
	c.resources("resource_templates", was.Templates, is.Templates)
	c.prompts(was.Prompts, is.Prompts)
	return c.list
}

func (c *comparison) server(was, is *Server) {
	c.differs("server_name", "server.name", was.Name, is.Name, true)
	c.differs("server_version", "server.version", was.Version, is.Version, false)
	c.differs("protocol", "server.protocol", was.Protocol, is.Protocol, false)
	for _, name := range was.Capabilities {
		if !slices.Contains(is.Capabilities, name) {
			c.breaks("capability_removed", "server.capabilities."+name, "offered", "gone")
		}
	}
	for _, name := range is.Capabilities {
		if !slices.Contains(was.Capabilities, name) {
			c.adds("capability_added", "server.capabilities."+name, "absent", "offered")
		}
	}
}

// paired calls both for what is in both lists, gone for what is only in was
// and fresh for what is only in is.
func paired[T any](was, is []T, key func(T) string, both func(a, b T), gone, fresh func(T)) {
	now := map[string]T{}
	for _, t := range is {
		now[key(t)] = t
	}
	before := map[string]bool{}
	for _, t := range was {
		before[key(t)] = true
		if other, there := now[key(t)]; there {
			both(t, other)
		} else {
			gone(t)
		}
	}
	for _, t := range is {
		if !before[key(t)] {
			fresh(t)
		}
	}
}

func (c *comparison) tools(was, is []Tool) {
	paired(was, is, func(t Tool) string { return t.Name }, c.tool,
		func(t Tool) { c.breaks("tool_removed", "tools."+t.Name, "offered", "gone") },
		func(t Tool) { c.adds("tool_added", "tools."+t.Name, "absent", "offered") })
}

func (c *comparison) tool(was, is Tool) {
	path := "tools." + was.Name
	c.differs("title", path+".title", was.Title, is.Title, false)
	c.differs("description", path+".description", was.Description, is.Description, false)
	for _, name := range slices.Sorted(maps.Keys(union(was.Annotations, is.Annotations))) {
		a, b := hint(name, was.Annotations), hint(name, is.Annotations)
		if a != b {
			// What promised to change nothing and no longer does breaks a promise.
			breaking := a == (name == "readOnlyHint" || name == "idempotentHint")
			c.list = append(c.list, Diff{"annotation", path + ".annotations." + name, strconv.FormatBool(a), strconv.FormatBool(b), breaking})
		}
	}
	c.schema(path+".input", was.Input, is.Input, true)
	switch {
	case string(was.Output) == "null" && string(is.Output) != "null":
		c.adds("output_schema_added", path+".output", "none", "a schema")
	case string(was.Output) != "null" && string(is.Output) == "null":
		c.breaks("output_schema_removed", path+".output", "a schema", "none")
	default:
		c.schema(path+".output", was.Output, is.Output, false)
	}
}

// hint gives an annotation; the protocol has defaults for what is not said.
func hint(name string, all map[string]bool) bool {
	v, said := all[name]
	return v || !said && (name == "destructiveHint" || name == "openWorldHint")
}

func union[V any](a, b map[string]V) map[string]V {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, b)
	return all
}

func (c *comparison) resources(list string, was, is []Resource) {
	paired(was, is, func(r Resource) string { return r.URI },
		func(a, b Resource) {
			path := list + "." + a.URI
			c.differs("mime_type", path, a.Type, b.Type, true)
			c.differs("title", path, a.Title, b.Title, false)
			c.differs("name", path, a.Name, b.Name, false)
		},
		func(r Resource) { c.breaks("resource_removed", list+"."+r.URI, "offered", "gone") },
		func(r Resource) { c.adds("resource_added", list+"."+r.URI, "absent", "offered") })
}

func (c *comparison) prompts(was, is []Prompt) {
	paired(was, is, func(p Prompt) string { return p.Name },
		func(a, b Prompt) {
			path := "prompts." + a.Name
			c.differs("title", path, a.Title, b.Title, false)
			paired(a.Arguments, b.Arguments, func(g Argument) string { return g.Name },
				func(x, y Argument) {
					if x.Required != y.Required {
						c.list = append(c.list, Diff{"argument_required", path + "." + x.Name, required(x.Required), required(y.Required), y.Required})
					}
				},
				func(g Argument) { c.breaks("argument_removed", path+"."+g.Name, "taken", "gone") },
				func(g Argument) {
					c.list = append(c.list, Diff{"argument_added", path + "." + g.Name, "absent", required(g.Required), g.Required})
				})
		},
		func(p Prompt) { c.breaks("prompt_removed", "prompts."+p.Name, "offered", "gone") },
		func(p Prompt) { c.adds("prompt_added", "prompts."+p.Name, "absent", "offered") })
}

func required(yes bool) string {
	if yes {
		return "required"
	}
	return "optional"
}
