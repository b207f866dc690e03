package mif

import (
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// The rules of the package comment.
const (
	ruleJSON    = "MIF-1"
	ruleVersion = "MIF-2"
	ruleMemory  = "MIF-3"
	ruleGraph   = "MIF-4"
	ruleLimit   = "MIF-5"
	ruleDraft   = "MIF-6"
)

// major begins the supported editions.
const major = "2."

var rules = codec.Rules{Format: formatName, JSON: ruleJSON, Limit: ruleLimit}

// document is an opened document.
type document struct {
	*codec.JSONReader
	provider string
	parts    map[string]canon.Part
	vendors  map[string]canon.Value // vendors' data about a memory, by its id
	seen     codec.TextSet          // references of the records so far
	names    map[string]string      // of entities, by id
}

// newDocument reads the parts that concern the whole document.
func newDocument(src codec.Source, opt codec.Options) (*document, error) {
	in, err := rules.JSONReader(src, opt, ruleDraft)
	d := &document{JSONReader: in, provider: formatName, parts: map[string]canon.Part{}, vendors: map[string]canon.Value{}, seen: codec.TextSet{}, names: map[string]string{}}
	if err != nil {
		return d, err
	}
	members, err := d.Members(ruleJSON)
	if err != nil {
		return d, err
	}
	for _, p := range members {
		d.parts[p.Name] = p
	}
	if err := d.outline(); err != nil {
		return d, err
	}
	for _, p := range members {
		if err := d.beside(p); err != nil {
			return d, err
		}
	}
	return d, nil
}

// outline checks MIF-2.
func (d *document) outline() error {
	version, err := d.Member(d.parts, "mif_version")
	if err == nil {
		err = d.Edition(ruleVersion, "/mif_version", version, major)
	}
	if err != nil {
		return err
	}
	p, ok := d.parts["memories"]
	if ok {
		ok, err = d.List(ruleVersion, "/memories", p.At)
	}
	if err == nil && !ok {
		err = rules.Violation(ruleVersion, "/memories", errors.New("missing; a list is wanted"))
	}
	return err
}

// beside reads a member of the document beside its lists, or reports it as a loss.
func (d *document) beside(p canon.Part) error {
	if slices.Contains([]string{"mif_version", "memories", "knowledge_graph"}, p.Name) {
		return nil
	}
	v, err := d.Member(d.parts, p.Name)
	if err != nil {
		return err
	}
	switch p.Name {
	case "generator":
		if name := v.Get("name").Text(); name != "" && len(name) <= d.Options.Limits.Name {
			d.provider = name
		}
		d.Lose("/generator", lossGenerator)
	case "export_meta":
		d.Lose("/export_meta", lossExport)
	case "vendor_extensions":
		d.extensions(v)
	default:
		d.Lose(canon.Pointer(p.Name), lossMember)
	}
	return nil
}

// extensions stores the vendors' data about single memories by their ids.
func (d *document) extensions(all canon.Value) {
	if all.Type() != canon.TypeObject {
		d.Lose("/vendor_extensions", lossVendor)
	}
	for _, vendor := range all.Members() {
		if vendor.Value.Type() != canon.TypeObject {
			d.Lose(canon.Pointer("vendor_extensions", vendor.Name), lossVendor)
		}
		for _, m := range vendor.Value.Members() {
			if m.Name != "memory_metadata" || m.Value.Type() != canon.TypeObject {
				d.Lose(canon.Pointer("vendor_extensions", vendor.Name, m.Name), lossVendor)
				continue
			}
			for _, of := range m.Value.Members() {
				d.vendors[of.Name] = d.vendors[of.Name].With(vendor.Name, of.Value)
			}
		}
	}
}

// Walk yields the records of all lists.
func (d *document) Walk(yield func(memory.Record, error) bool) {
	if !d.Each(d.Items(d.parts["memories"].At, "/memories"), d.memory, yield) {
		return
	}
	d.graph(yield)
}

// once reports whether a reference is the first of its kind; a repeated one is a fault.
func (d *document) once(c *codec.Checker, rule, ref string) bool {
	if !d.seen.Add(ref) {
		c.Fault(rule, "/id", errors.New("stands twice; give each its own"))
		return false
	}
	return true
}
