package mcpmemoryservice

import (
	"errors"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// The rules of the package comment.
const (
	ruleJSON   = "MCPMEMSV-1"
	ruleMemory = "MCPMEMSV-2"
	ruleMember = "MCPMEMSV-3"
	ruleDate   = "MCPMEMSV-4"
	ruleLimit  = "MCPMEMSV-5"
	ruleDraft  = "MCPMEMSV-6"
)

var rules = codec.Rules{Format: formatName, JSON: ruleJSON, Limit: ruleLimit}

// document is an opened document.
type document struct {
	*codec.JSONReader
	name     string // of the file
	memories canon.Extent
}

// newDocument finds the memories (MCPMEMSV-1).
func newDocument(src codec.Source, opt codec.Options) (*document, error) {
	in, err := rules.JSONReader(src, opt, ruleDraft)
	d := &document{JSONReader: in, name: src.Name}
	if err != nil {
		return d, err
	}
	parts, err := d.Members(ruleJSON)
	if err != nil {
		return d, err
	}
	found := false
	for _, p := range parts {
		if p.Name != "memories" {
			d.Lose(canon.Pointer(p.Name), lossDocument)
		} else if found, err = d.List(ruleJSON, "/memories", p.At); err != nil {
			return d, err
		} else {
			d.memories = p.At
		}
	}
	if !found {
		return d, rules.Violation(ruleJSON, "", errors.New(`has no list called "memories"`))
	}
	return d, nil
}

// Walk yields the records of the memories.
func (d *document) Walk(yield func(memory.Record, error) bool) {
	d.Each(d.Items(d.memories, "/memories"), d.memory, yield)
}
