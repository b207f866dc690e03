package belief

import "github.com/satchel-memory/satchel/memory"

// Kept returns what is kept in memory of an owner's records: what each says, and for
// each lineage that was told what tells whether it is told anew.
func Kept(s *Service, owner memory.DID) (texts map[memory.ID]string, told map[memory.ID]any) {
	texts, told = map[memory.ID]string{}, map[memory.ID]any{}
	r, _ := s.reads.of(owner)
	if r == nil {
		return texts, told
	}
	for _, ver := range r.versions {
		texts[ver.id] = ver.rec.Body.Text
	}
	for root, b := range r.beliefs {
		texts[root] += b.told.Text
		told[root] = &b.parts[0]
	}
	return texts, told
}

// DropIdle drops what is kept in memory as if nobody had asked for it in a while.
func DropIdle(s *Service) {
	s.reads.mu.Lock()
	for _, r := range s.reads.by {
		r.used = r.used.Add(-keptFor)
	}
	s.reads.mu.Unlock()
	s.reads.sweep()
}
