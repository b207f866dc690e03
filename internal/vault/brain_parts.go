package vault

import (
	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/store"
)

// continues returns the chunk that c goes on with, where c is a further part of a
// text that is here and comes back without our members. Empty: it is none.
func (m *bringing) continues(r store.Reader, c aimem.Chunk) (aimem.URN, error) {
	first, ok := aimem.First(c.ID)
	if !ok || !m.bundle.Has(first) {
		return "", nil
	}
	row, found, err := m.named(r, first)
	if err != nil || !found {
		return "", err
	}
	rec, err := m.vault.record(r, row)
	if err != nil {
		return "", err
	}
	standing := m.mapper.Standing(rec)
	standing.ID = first
	if _, ok := partOf(&standing, c); !ok {
		return "", nil
	}
	return first, nil
}

// partOf returns the part of a chunk of ours that c is, to the letter.
func partOf(whole *aimem.Chunk, c aimem.Chunk) (aimem.Chunk, bool) {
	if whole == nil || len(whole.Content) <= aimem.MaxContent {
		return aimem.Chunk{}, false
	}
	part, ok := aimem.Part(*whole, c.ID)
	return part, ok && part.Hash == c.Hash
}
