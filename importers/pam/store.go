package pam

import (
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// The rules of the package comment. The first four are those of every export of
// conversations.
const (
	ruleJSON      = "PAM-1"
	ruleShape     = "PAM-2"
	ruleLimit     = "PAM-3"
	ruleDraft     = "PAM-4"
	ruleIntegrity = "PAM-5"
	ruleSignature = "PAM-6"
	ruleMemory    = "PAM-7"
	ruleRelation  = "PAM-8"
)

// The member names of documents.
const (
	schemaStore        = "portable-ai-memory"
	schemaConversation = "portable-ai-memory-conversation"
	edition            = "1.0"
	major              = "1."
)

var rules = codec.Rules{Format: formatName, JSON: ruleJSON, Limit: ruleLimit}

// store is an opened memory store.
type store struct {
	*codec.JSONReader
	maker
	parts     map[string]canon.Part
	owner     string
	envelope  canon.Value              // the members of the whole document
	memories  []memoryEntry            // until the parts that concern the whole document are read
	again     map[string]bool          // the places of memories with the id of an earlier one
	relations map[string][]canon.Value // by their source memory: {"at":…,"relation":…}
	proven    bool                     // the signature is valid, or there is none
}

// newStore reads the parts that concern the whole document.
func newStore(src codec.Source, opt codec.Options) (*store, error) {
	in, err := rules.JSONReader(src, opt, ruleDraft)
	s := &store{JSONReader: in, maker: newMaker(opt), parts: map[string]canon.Part{}, again: map[string]bool{}, relations: map[string][]canon.Value{}}
	if err != nil {
		return s, err
	}
	members, err := s.Members(ruleShape)
	if err != nil {
		return s, err
	}
	for _, p := range members {
		s.parts[p.Name] = p
	}
	for _, step := range []func() error{s.outline, s.index, s.intact, s.relate, func() error { return s.wrap(members) }} {
		if err := step(); err != nil {
			return s, err
		}
	}
	s.memories = nil
	return s, nil
}

// outline checks PAM-2.
func (s *store) outline() error {
	schema, err := s.Member(s.parts, "schema")
	if err != nil {
		return err
	}
	version, err := s.Member(s.parts, "schema_version")
	if err != nil {
		return err
	}
	owner, err := s.Member(s.parts, "owner")
	if err != nil {
		return err
	}
	if schema.Text() != schemaStore {
		return rules.Violation(ruleShape, "/schema", fmt.Errorf("not %q", schemaStore))
	}
	if err := s.Edition(ruleShape, "/schema_version", version, major); err != nil {
		return err
	}
	s.owner = owner.Get("id").Text()
	p, there := s.parts["memories"]
	switch {
	case s.owner == "" || len(s.owner) > s.Options.Limits.Name:
		return rules.Violation(ruleShape, "/owner/id", errors.New("missing, or no name; it says whose memories these are"))
	case !there:
		return rules.Violation(ruleShape, "/memories", errors.New("missing; a list is wanted"))
	}
	if list, err := s.List(ruleShape, "/memories", p.At); err != nil || !list {
		if err == nil {
			err = rules.Violation(ruleShape, "/memories", errors.New("null found where a list is wanted"))
		}
		return err
	}
	return nil
}

// index records where the memories lie. The walk reports a memory whose id cannot be read, or
// stands twice.
func (s *store) index() error {
	seen := codec.TextSet{}
	limits := s.Options.Limits
	return s.Text.Items(s.parts["memories"].At, func(i int, at canon.Extent, raw []byte) error {
		if i >= limits.Records {
			return rules.Violation(ruleLimit, fmt.Sprintf("/memories/%d", i), fmt.Errorf("more than %d records; split the file, or raise the limit", limits.Records))
		}
		id := ""
		if v, err := canon.Parse(raw, canon.Options{Bytes: limits.Record, Depth: limits.Depth}); err == nil {
			id = strings.Clone(v.Get("id").Text()) // otherwise it would keep the whole memory
		}
		if id != "" && !seen.Add(id) {
			s.again[fmt.Sprintf("/memories/%d", i)] = true
		}
		s.memories = append(s.memories, memoryEntry{id, at})
		return nil
	})
}

// wrap keeps the members of the whole document for the first record, or reports them as
// lost, and checks the signature.
func (s *store) wrap(members []canon.Part) error {
	s.envelope, s.proven = canon.Object(), true
	size := int64(0)
	for _, p := range members {
		v := canon.Array()
		if p.Name != "memories" && p.Name != "relations" {
			var err error
			if v, err = s.Member(s.parts, p.Name); err != nil {
				return err
			}
		}
		if size += p.At.Len(); p.Name != "memories" && v.Type() != canon.TypeUndefined {
			s.envelope = s.envelope.With(p.Name, v)
		}
	}
	if v := s.envelope.Get("signature"); v.Type() == canon.TypeObject && !signed(s.envelope) {
		s.proven = false
		s.Lose("/signature", lossSignature)
	}
	large := int64(len(s.envelope.Append(nil))) > s.Options.Limits.Record/4
	switch {
	case s.plain(s.envelope, s.Options.Owner):
		s.envelope = canon.Value{}
	case s.Options.Apart || large || len(s.memories) == 0:
		s.Lose("", lossEnvelope)
		s.envelope = canon.Value{}
	}
	return nil
}

// walk yields the records of the memories.
func (s *store) walk(yield func(memory.Record, error) bool) {
	if !s.Each(s.Items(s.parts["memories"].At, "/memories"), s.memory, yield) {
		return
	}
	for range s.relations {
		s.Lose("/relations", lossDangling)
	}
}
