package bundle

import (
	"errors"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// tellsOf follows a chunk, and its stated origin, to a record of the same origin.
func (m *importMatcher) tellsOf(r store.Reader, c aimem.Chunk) (match, error) {
	for _, urn := range []aimem.URN{c.ID, aimem.OriginURN(c.Value)} {
		if urn == "" {
			continue
		}
		id, err := r.Alias(vault.OriginSpace, vault.OriginName(urn, c.Hash))
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return match{}, err
		}
		row, found, err := m.held(r, id)
		if found || err != nil {
			return match{row, 1}, err
		}
	}
	return match{}, nil
}

// tellOrigin maps the origin of a chunk to its record.
func tellOrigin(w store.Writer, c aimem.Chunk, id memory.ID) error {
	origin := aimem.OriginURN(c.Value)
	if origin == "" || origin == c.ID {
		return nil
	}
	return w.SetAlias(vault.OriginSpace, vault.OriginName(origin, c.Hash), id)
}

// entityOriginKey is the key in entityOriginSpace of a URN and an entity.
func entityOriginKey(urn aimem.URN, e aimem.Entity) string {
	mark := urnMarkOf(e.Kind + "\x00" + e.Name)
	return string(urn) + "\x00" + string(aimem.Namespace("").AliasFromHash(mark))
}

// entityTold finds an entity here whose stated origin is e, or the origin of e.
func (m *importMatcher) entityTold(r store.Reader, e aimem.Entity) (aimem.URN, bool, error) {
	for _, urn := range []aimem.URN{e.ID, aimem.OriginURN(e.Value)} {
		if urn == "" {
			continue
		}
		a, err := m.beside(r, vault.EntityOriginSpace, entityOriginKey(urn, e))
		if err == nil {
			same, err := m.sameEntity(r, aimem.URN(a.Data), e)
			return aimem.URN(a.Data), same, err
		}
		if err := vault.NotFoundIsNone(err); err != nil {
			return "", false, err
		}
	}
	return "", false, nil
}
