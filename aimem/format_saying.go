package aimem

import (
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// saying gathers the relations that edges and links give, as reading them does.
type saying struct {
	relations []memory.Relation
	seen      map[memory.Relation]bool
}

func (s *saying) edge(e Edge, id memory.ID) {
	if id != "" && strings.HasPrefix(string(id), recordPrefix) {
		s.add(memory.Relation{Type: e.Type, Target: string(id)})
	}
}

func (s *saying) link(name string) {
	if len(name) <= maxName {
		s.add(memory.Relation{Type: memory.About, Target: EntityTarget(name)})
	}
}

func (s *saying) add(r memory.Relation) {
	if !s.seen[r] && len(s.seen) < maxRelations {
		s.seen[r] = true
		s.relations = append(s.relations, r)
	}
}
