package pam

import (
	"errors"
	"fmt"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// relationTypes lists the types of section 13.2.
func relationTypes() []string {
	return []string{"supports", "contradicts", "extends", "supersedes", "related_to", "derived_from"}
}

// relate stores the relations by their source memories (PAM-8).
func (s *store) relate() error {
	p, ok := s.parts["relations"]
	if !ok {
		return nil
	}
	list, err := s.List(ruleShape, "/relations", p.At)
	if err != nil || !list {
		return err
	}
	at := 0
	var wrong error
	s.Each(s.Items(p.At, "/relations"), func(c *codec.Checker) []memory.Record {
		switch {
		case at >= s.Options.Limits.Records:
			c.Fault(ruleLimit, "", fmt.Errorf("more than %d relations; split the file, or raise the limit", s.Options.Limits.Records))
		case c.IsObject(ruleRelation):
			s.relation(c, at)
		}
		at++
		return nil
	}, func(_ memory.Record, err error) bool {
		wrong = err
		return false
	})
	return wrong
}

func (s *store) relation(c *codec.Checker, at int) {
	from := c.Required(ruleRelation, "from")
	for _, member := range []string{"id", "to"} {
		c.Required(ruleRelation, member)
	}
	if !slices.Contains(relationTypes(), c.Name(ruleRelation, "type")) {
		c.Fault(ruleRelation, "/type", errors.New("none of the types of relations: supports, contradicts, extends, supersedes, related_to, derived_from"))
	}
	if c.Instant(ruleRelation, "created_at").IsZero() {
		c.Fault(ruleRelation, "/created_at", errors.New("missing; a date and time is wanted"))
	}
	if c.Faulty() {
		return
	}
	kept := canon.Object(canon.Member{Name: "relation", Value: c.Value})
	if !s.Options.Apart {
		kept = kept.With("at", canon.Int(int64(at)))
	}
	s.relations[from] = append(s.relations[from], kept)
}
