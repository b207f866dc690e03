package bundle

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
)

// run collects the elements of a walk and imports many at a time.
func run[T any](ctx context.Context, m *bundleImport, walk func(func(T) error) error, take func(r store.Reader, w store.Writer, some []T, first uint32) error) error {
	var some []T
	first := uint32(0)
	send := func() error {
		held, at := some, first
		first, some = first+uint32(len(some)), nil
		return m.step(ctx, len(held), func(r store.Reader, w store.Writer) error { return take(r, w, held, at) })
	}
	err := walk(func(x T) error {
		if some = append(some, x); len(some) < m.kernel.Batch() {
			return nil
		}
		return send()
	})
	if err != nil || len(some) == 0 {
		return err
	}
	return send()
}

// entities imports the entities. It does not join them with those of other producers:
// first come, first kept (decision AD-17).
func (m *bundleImport) entities(ctx context.Context) error {
	return run(ctx, m, m.bundle.Entities, func(r store.Reader, w store.Writer, some []aimem.Entity, _ uint32) error {
		var list []store.Attachment
		unwanted, err := m.unwanted()
		if err != nil {
			return err
		}
		for _, e := range some {
			_, found, err := m.entity(r, e)
			switch {
			case err != nil:
				return err
			case found, unwanted[urnMarkOf(e.ID)]:
				m.brain.Entities.Skipped++
				continue
			}
			m.brain.Entities.Inserted++
			if m.toldWholly(e) {
				continue
			}
			urn := m.mapper.ResolveAlias(e)
			list = append(list, store.Attachment{Space: vault.EntitySpace, Key: string(urn), Data: e.Value.Append(nil)})
			if !m.mapper.Keeps(urn, e.Name) {
				list = append(list, store.Attachment{Space: vault.EntityAliasSpace, Key: string(m.mapper.Alias(urn)), Data: []byte(urn)})
			}
			if origin := aimem.OriginURN(e.Value); origin != "" && origin != urn {
				list = append(list, store.Attachment{Space: vault.EntityOriginSpace, Key: entityOriginKey(origin, e), Data: []byte(urn)})
			}
		}
		return m.attach(r, w, list)
	})
}

// entity returns the URN of an entity here, if it is here: under its own URN, under its
// claimed original one, as another entity of that origin, or because a record's relation
// names it.
func (m *bundleImport) entity(r store.Reader, e aimem.Entity) (aimem.URN, bool, error) {
	if urn, found, err := m.entityNamed(r, e.ID); found || err != nil {
		return urn, found, err
	}
	if origin := aimem.OriginURN(e.Value); origin != "" {
		urn, found, err := m.entityNamed(r, origin)
		if err != nil {
			return "", false, err
		}
		if found {
			same, err := m.sameEntity(r, urn, e)
			if same || err != nil {
				return urn, same, err
			}
		}
	}
	if urn, found, err := m.entityTold(r, e); found || err != nil {
		return urn, found, err
	}
	if m.mapper.EntityURN(e.Name) != e.ID && !m.mapper.IsDerived(e) {
		return "", false, nil
	}
	users, err := r.Relating(aimem.EntityTarget(e.Name))
	return e.ID, len(users) > 0, err
}

func (m *importMatcher) entityNamed(r store.Reader, urn aimem.URN) (aimem.URN, bool, error) {
	_, err := m.beside(r, vault.EntitySpace, string(urn))
	if !errors.Is(err, store.ErrNotFound) {
		return urn, err == nil, err
	}
	a, err := m.beside(r, vault.EntityAliasSpace, string(urn))
	return aimem.URN(a.Data), err == nil, vault.NotFoundIsNone(err)
}

func (m *importMatcher) sameEntity(r store.Reader, urn aimem.URN, e aimem.Entity) (bool, error) {
	a, err := m.beside(r, vault.EntitySpace, string(urn))
	if err != nil {
		return false, vault.NotFoundIsNone(err)
	}
	v, err := canon.Parse(a.Data, canon.Options{})
	return v.Get("name").Text() == e.Name && v.Get("kind").Text() == e.Kind, err
}

// beside returns an attachment that is published, or that this import has staged.
func (m *importMatcher) beside(r store.Reader, space, key string) (store.Attachment, error) {
	imp := int64(0)
	if _, writes := r.(store.Writer); writes {
		imp = m.Number
	}
	return r.Attached(space, key, imp)
}

// has reports whether an attachment is published, or staged by this import.
func (m *importMatcher) has(r store.Reader, space, key string) (bool, error) {
	_, err := m.beside(r, space, key)
	return err == nil, vault.NotFoundIsNone(err)
}

// toldWholly reports whether the new records have everything about an entity, so that it
// needs no attachment.
func (m *importMatcher) toldWholly(e aimem.Entity) bool {
	first := m.told[urnMarkOf(e.Name)]
	created, ok := aimem.Instant(e.CreatedAt)
	return ok && !first.IsZero() && first.Equal(created) && m.mapper.IsDerived(e)
}

// attach stages attachments. It waits for another import that holds one of the keys.
func (m *bundleImport) attach(r store.Reader, w store.Writer, list []store.Attachment) error {
	m.attached += len(list)
	if w == nil || len(list) == 0 {
		return nil
	}
	for i := range list {
		list[i].Import, list[i].Staged = m.Number, true
	}
	numbers, err := w.AttachAll(list)
	if err != nil {
		return err
	}
	for i, n := range numbers {
		if n != 0 {
			continue
		}
		m.attached--
		_, err := m.beside(r, list[i].Space, list[i].Key)
		if errors.Is(err, store.ErrNotFound) {
			return m.besideOthers(w)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// besideOthers names an import in progress.
func (m *bundleImport) besideOthers(w store.Writer) error {
	imports, err := w.Imports()
	if err != nil {
		return err
	}
	for _, i := range imports {
		if i.Number != m.Number && i.State == store.Staging {
			return &errBeside{i.Number}
		}
	}
	return vault.Stalled()
}
