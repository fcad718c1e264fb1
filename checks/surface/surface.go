package surface

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fonteviva/fonteviva/checks/source"
)

// Surface is what a server offers. Lists are in the order of their names.
type Surface struct {
	Server    Server     `json:"server"`
	Tools     []Tool     `json:"tools"`
	Resources []Resource `json:"resources"`
	Templates []Resource `json:"resource_templates"`
	Prompts   []Prompt   `json:"prompts"`
}

// Server is what a server says of itself.
type Server struct {
	Name         string   `json:"name"`
	Version      string   `json:"version"`
	Protocol     string   `json:"protocol"`
	Capabilities []string `json:"capabilities"` // names, with those below them as "tools.listChanged"
}

// Tool is one tool.
type Tool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Annotations map[string]bool `json:"annotations"`
	Input       json.RawMessage `json:"input_schema"`
	Output      json.RawMessage `json:"output_schema"` // null where it promises nothing
}

// Resource is one resource, or a template of several.
type Resource struct {
	URI   string `json:"uri"`
	Name  string `json:"name"`
	Title string `json:"title"`
	Type  string `json:"mime_type"`
}

// Prompt is one prompt.
type Prompt struct {
	Name      string     `json:"name"`
	Title     string     `json:"title"`
	Arguments []Argument `json:"arguments"`
}

// Argument is one argument of a prompt.
type Argument struct {
	Name     string `json:"name"`
	Required bool   `json:"required"`
}

// wire is a surface as it is asked for: what the opening said, and the lists.
type wire struct {
	Server struct {
		Protocol string `json:"protocolVersion"`
		Info     struct {
			Name, Version string
		} `json:"serverInfo"`
		Meta         map[string]json.RawMessage            `json:"_meta"`
		Versions     []string                              `json:"supportedVersions"`
		Capabilities map[string]map[string]json.RawMessage `json:"capabilities"`
	} `json:"server"`
	Tools []struct {
		Name, Title, Description string
		InputSchema              json.RawMessage
		OutputSchema             json.RawMessage
		Annotations              map[string]any
	} `json:"tools"`
	Resources []wireResource `json:"resources"`
	Templates []wireResource `json:"resourceTemplates"`
	Prompts   []struct {
		Name, Title string
		Arguments   []Argument
	} `json:"prompts"`
}

type wireResource struct {
	URI      string `json:"uri"`
	Template string `json:"uriTemplate"`
	Name     string `json:"name"`
	Title    string `json:"title"`
	MimeType string `json:"mimeType"`
}

// Read makes a surface of what a server answered: one object with server (the
// result of initialize, or of server/discover), tools, resources,
// resourceTemplates and prompts.
func Read(answer []byte) (*Surface, error) {
	var w wire
	if err := json.Unmarshal(answer, &w); err != nil {
		return nil, errors.New("the answer is no list of what a server offers")
	}
	s := &Surface{Server: Server{Name: w.Server.Info.Name, Version: w.Server.Info.Version, Protocol: w.Server.Protocol, Capabilities: []string{}}}
	if raw := w.Server.Meta["io.modelcontextprotocol/serverInfo"]; raw != nil && s.Server.Name == "" {
		var info struct{ Name, Version string }
		if json.Unmarshal(raw, &info) == nil {
			s.Server.Name, s.Server.Version = info.Name, info.Version
		}
	}
	if s.Server.Protocol == "" && len(w.Server.Versions) > 0 {
		s.Server.Protocol = slices.Max(w.Server.Versions)
	}
	for name, below := range w.Server.Capabilities {
		s.Server.Capabilities = append(s.Server.Capabilities, name)
		for part, value := range below {
			if string(value) != "false" {
				s.Server.Capabilities = append(s.Server.Capabilities, name+"."+part)
			}
		}
	}
	s.fill(&w)
	s.sort()
	return s, nil
}

func (s *Surface) fill(w *wire) {
	s.Tools, s.Prompts = []Tool{}, []Prompt{}
	for _, t := range w.Tools {
		tool := Tool{Name: t.Name, Title: t.Title, Description: t.Description, Annotations: map[string]bool{}, Input: compact(t.InputSchema), Output: compact(t.OutputSchema)}
		for name, v := range t.Annotations {
			switch v := v.(type) {
			case bool:
				tool.Annotations[name] = v
			case string:
				if name == "title" && tool.Title == "" {
					tool.Title = v
				}
			}
		}
		s.Tools = append(s.Tools, tool)
	}
	s.Resources, s.Templates = resources(w.Resources), resources(w.Templates)
	for _, p := range w.Prompts {
		if p.Arguments == nil {
			p.Arguments = []Argument{}
		}
		s.Prompts = append(s.Prompts, Prompt{Name: p.Name, Title: p.Title, Arguments: p.Arguments})
	}
}

func resources(list []wireResource) []Resource {
	out := []Resource{}
	for _, r := range list {
		if r.URI == "" {
			r.URI = r.Template
		}
		out = append(out, Resource{URI: r.URI, Name: r.Name, Title: r.Title, Type: r.MimeType})
	}
	return out
}

// compact writes a schema in one form, keys in order; null for none.
func compact(raw json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if len(raw) == 0 || d.Decode(&v) != nil {
		return json.RawMessage("null")
	}
	out, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return out
}

func (s *Surface) sort() {
	slices.Sort(s.Server.Capabilities)
	slices.SortFunc(s.Tools, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(s.Resources, func(a, b Resource) int { return strings.Compare(a.URI, b.URI) })
	slices.SortFunc(s.Templates, func(a, b Resource) int { return strings.Compare(a.URI, b.URI) })
	slices.SortFunc(s.Prompts, func(a, b Prompt) int { return strings.Compare(a.Name, b.Name) })
}

// formatVersion is the version of the file.
const formatVersion = 1

// File is an accepted surface.
type File struct {
	Version    int       `json:"surface"`
	Probe      string    `json:"probe"`
	AcceptedAt time.Time `json:"accepted_at"`
	Surface
}

// Marshal writes the file for people to read and to compare.
func (f *File) Marshal() ([]byte, error) {
	f.Version = formatVersion
	f.AcceptedAt = f.AcceptedAt.UTC().Truncate(time.Second)
	out, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(source.VisibleJSON(out), '\n'), nil
}

// Unmarshal reads a file that Marshal wrote.
func Unmarshal(data []byte) (*File, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	f := &File{}
	if err := d.Decode(f); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	if f.Version != formatVersion {
		return nil, fmt.Errorf("its version is %d, and this fonteviva knows %d", f.Version, formatVersion)
	}
	for i := range f.Tools {
		f.Tools[i].Input, f.Tools[i].Output = compact(f.Tools[i].Input), compact(f.Tools[i].Output)
	}
	f.sort()
	return f, nil
}
