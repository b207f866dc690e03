package agentdoc

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
)

// openapiOut lists the operations that a tool of protocol openapi offers, for JSON.
type openapiOut struct {
	Pointer  string           `json:"pointer"` // the tool's
	Document string           `json:"document"`
	Version  string           `json:"openapi,omitempty"`
	Read     bool             `json:"read"` // false: its operations are unknown
	Tools    []offeredToolOut `json:"tools"`
	Left     []string         `json:"not_read,omitempty"`
}

// offeredToolOut is an operation as a tool.
type offeredToolOut struct {
	Name   string `json:"name"`
	Method string `json:"method"`
	Path   string `json:"path"`
	Scheme string `json:"scheme,omitempty"`
	In     string `json:"in,omitempty"`
	Param  string `json:"parameter,omitempty"`
}

// Limits of the findings about tools, and of what is read for them.
const (
	mostLacks       = 1000     // findings
	mostOffered     = 10_000   // tools made of descriptions
	mostDescription = 32 << 20 // bytes of all descriptions together
)

// openapiTools reads the OpenAPI descriptions beside a definition that its tools name. It
// says which tools each description offers, and what keeps others from that (AAIF-4.4-11,
// AAIF-4.4-12). It fetches nothing; nothing lies beside standard input. Past the limits
// it skips tools, and warns about the first.
func openapiTools(path string, d aaif.Document) (out []openapiOut, found []*codec.ParseError) {
	if d.Kind != aaif.AgentKind {
		return nil, nil
	}
	all, offered, full := descriptions{dir: filepath.Dir(path), left: mostDescription, read: map[string]description{}}, 0, false
	for i, t := range aaif.ReadDefinition(d.Value).Agent.Tools {
		if t.Protocol != aaif.OpenAPITool || t.Endpoint == "" || !t.Resolvable() {
			continue
		}
		o := openapiOut{Pointer: fmt.Sprintf("/agent/tools/%d", i), Document: t.Endpoint, Tools: []offeredToolOut{}}
		if !strings.Contains(t.Endpoint, "://") && path != "-" && !full {
			if full = len(found) >= mostLacks || offered >= mostOffered; full {
				found = append(found, o.warning("the tools before it offer or lack so much that it is not looked at, nor are those after it"))
			} else {
				found = append(found, o.offers(all.of(t.Endpoint), t)...)
			}
			offered += len(o.Tools)
		}
		out = append(out, o)
	}
	return out, found
}

func (o *openapiOut) warning(text string) *codec.ParseError {
	p := aaif.Violation("aaif", aaif.WrongForm, "4.4-11", o.Pointer+"/endpoint", "%s", text)
	p.Warning = true
	return p
}

func (o *openapiOut) offers(read description, t aaif.Tool) []*codec.ParseError {
	if read.unread != "" {
		return []*codec.ParseError{o.warning(read.unread)}
	}
	if p, ok := errors.AsType[*codec.ParseError](read.err); ok {
		at := *p
		at.Path = o.Pointer + "/endpoint"
		return []*codec.ParseError{&at}
	}
	d := read.says
	offers, found := d.Offer(t, o.Pointer, nil)
	for _, p := range found {
		p.Warning = len(offers) > 0 // the other operations can be called
	}
	o.Read, o.Version, o.Left = true, d.Version, d.Skipped
	for _, f := range offers {
		o.Tools = append(o.Tools, offeredToolOut{f.Name, f.Method, f.Path, f.Auth.Scheme, f.Auth.In, f.Auth.Name})
	}
	return found
}

// tell prints what a tool offers.
func (o openapiOut) tell(a *cli.App) {
	const most = 20
	var names []string
	for i, t := range o.Tools {
		if i == most {
			names = append(names, fmt.Sprintf("%d more", len(o.Tools)-most))
			break
		}
		names = append(names, t.Name)
	}
	switch {
	case !o.Read && strings.Contains(o.Document, "://"):
		a.Say("%s: %s is not fetched, so that what it offers is not known", o.Pointer, cli.OneLine(o.Document, 80))
	case o.Read:
		a.Say("%s: offers %s: %s", o.Pointer, cli.Plural(len(o.Tools), "tool", "tools"), cli.Clean(strings.Join(names, ", ")))
	}
	for _, left := range o.Left {
		a.Say("%s: not read: %s", o.Pointer, cli.OneLine(left, 120))
	}
}
