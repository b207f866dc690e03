package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/agentspec"
	"github.com/satchel-memory/satchel/aaif/openapi"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// openapiOut is what a tool of protocol openapi offers, for machines.
type openapiOut struct {
	Pointer  string       `json:"pointer"` // of the tool
	Document string       `json:"document"`
	Version  string       `json:"openapi,omitempty"`
	Read     bool         `json:"read"` // false: what it offers is not known
	Tools    []offeredOut `json:"tools"`
	Left     []string     `json:"not_read,omitempty"`
}

// offeredOut is an operation as a tool.
type offeredOut struct {
	Name   string `json:"name"`
	Method string `json:"method"`
	Path   string `json:"path"`
	Scheme string `json:"scheme,omitempty"`
	In     string `json:"in,omitempty"`
	Param  string `json:"parameter,omitempty"`
}

// openapiTools reads the descriptions of OpenAPI that lie beside a definition and its tools
// name, and says what each tool offers and what keeps it from that (AAIF-4.4-11,
// AAIF-4.4-12). None is fetched; of standard input nothing lies beside.
func openapiTools(path string, d aaif.Document) (out []openapiOut, found []*codec.ParseError) {
	if d.Kind != aaif.AgentKind {
		return nil, nil
	}
	for i, t := range aaif.ReadDefinition(d.Value).Agent.Tools {
		if t.Protocol != aaif.OpenAPITool || t.Endpoint == "" || !t.Resolvable() {
			continue
		}
		o := openapiOut{Pointer: fmt.Sprintf("/agent/tools/%d", i), Document: t.Endpoint, Tools: []offeredOut{}}
		if !strings.Contains(t.Endpoint, "://") && path != "-" {
			found = append(found, o.load(filepath.Dir(path), t)...)
		}
		out = append(out, o)
	}
	return out, found
}

// load reads the description of a tool.
func (o *openapiOut) load(dir string, t aaif.Tool) []*codec.ParseError {
	wrong := func(text string) []*codec.ParseError {
		p := aaif.Violation("aaif", aaif.WrongForm, "4.4-11", o.Pointer+"/endpoint", "%s", text)
		p.Warning = true
		return []*codec.ParseError{p}
	}
	raw, err := besideOf(dir, t.Endpoint)
	if err != nil {
		return wrong("no file of at most 4 MiB beside the definition, so that what it offers is not known")
	}
	v, err := agentspec.Read(raw, aaif.ReadOptions{})
	if err != nil {
		where := ""
		if p, ok := errors.AsType[*codec.ParseError](err); ok && p.Path != "" {
			where = " (" + aaif.Shown(p.Path) + ")"
		}
		return wrong("neither JSON nor YAML that is read, without anchors, aliases and tags" + where)
	}
	return o.offers(v, t)
}

func (o *openapiOut) offers(v canon.Value, t aaif.Tool) []*codec.ParseError {
	d, err := openapi.Read(v)
	if p, ok := errors.AsType[*codec.ParseError](err); ok {
		p.Path = o.Pointer + "/endpoint"
		return []*codec.ParseError{p}
	}
	offers, found := d.Offer(t, o.Pointer, nil)
	for _, p := range found {
		p.Warning = len(offers) > 0 // the rest can be called
	}
	o.Read, o.Version, o.Left = true, d.Version, d.Left
	for _, f := range offers {
		o.Tools = append(o.Tools, offeredOut{f.Name, f.Method, f.Path, f.Sent.Scheme, f.Sent.In, f.Sent.Name})
	}
	return found
}

// besideOf reads a file in a folder, or below it.
func besideOf(dir, path string) ([]byte, error) {
	const most = aaif.MaxState
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, errors.New("no file that is read")
	}
	f, err := root.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most+1))
}

// tell says what a tool offers.
func (o openapiOut) tell(a *app) {
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
		a.say("%s: %s is not fetched, so that what it offers is not known", o.Pointer, oneLine(o.Document, 80))
	case o.Read:
		a.say("%s: offers %s: %s", o.Pointer, plural(len(o.Tools), "tool", "tools"), clean(strings.Join(names, ", ")))
	}
	for _, left := range o.Left {
		a.say("%s: not read: %s", o.Pointer, oneLine(left, 120))
	}
}
