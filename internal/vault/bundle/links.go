package bundle

import (
	"errors"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// settleEntities chooses the attached entities to export. It exports entities with a
// link to an exported chunk. A whole brain for its owner also exports entities without
// any link. It leaves out an entity whose links all belong to records that stay.
func (x *bundleExport) settleEntities() error {
	var linked marks
	err := vault.EachBeside(x.rows, store.AttachmentFilter{Space: vault.LinkSpace}, func(a store.Attachment) error {
		entity := vault.LinkedEntity(a)
		linked.add(entity)
		record, err := x.linkHeir(a)
		if err == nil && record != "" {
			x.entities.add(entity)
		}
		return err
	})
	linked.settle()
	if err == nil && x.query.Scope == aimem.Full && !x.query.ToPeer {
		err = vault.EachBeside(x.rows, store.AttachmentFilter{Space: vault.EntitySpace}, func(a store.Attachment) error {
			if !linked.has(a.Key) {
				x.entities.add(a.Key)
			}
			return nil
		})
	}
	x.entities.settle()
	return err
}

// linkHeir returns the exported record that keeps a link; "" for none.
func (x *bundleExport) linkHeir(a store.Attachment) (memory.ID, error) {
	name, err := x.entityName(vault.LinkedEntity(a))
	if err != nil || name == "" {
		return "", err
	}
	return x.heir(a.From, func(r memory.Relation) bool { return r.Target == aimem.EntityTarget(name) })
}

// entityName returns the name of an attached entity; "" for none.
func (x *bundleExport) entityName(urn string) (string, error) {
	if name, ok := x.known[urn]; ok {
		return name, nil
	}
	a, err := x.rows.Attached(vault.EntitySpace, urn, 0)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	v, err := canon.Parse(a.Data, canon.Options{})
	if err != nil {
		return "", err
	}
	name := v.Get("name").Text()
	x.known.keep(urn, name)
	return name, nil
}

// entityURN returns the URN under which an entity of a name is exported: its own, or an
// alias. Entities of another namespace get an alias. So do entities with a URN that
// this vault makes for others (decision AD-7).
func (x *bundleExport) entityURN(urn, name string) aimem.URN {
	if x.mapper.Keeps(aimem.URN(urn), name) || x.query.OriginIDs && !x.mapper.Contains(aimem.URN(urn)) {
		return aimem.URN(urn)
	}
	return x.mapper.Alias(aimem.URN(urn))
}

// Entities yields the attached entities as they were imported, then the entities that
// only relations name.
func (x *bundleExport) Entities(yield func(aimem.Entity) error) error {
	err := vault.EachBeside(x.rows, store.AttachmentFilter{Space: vault.EntitySpace}, func(a store.Attachment) error {
		if !x.entities.has(a.Key) {
			return x.ctx.Err()
		}
		v, err := canon.Parse(a.Data, canon.Options{})
		if err != nil {
			return err
		}
		e := aimem.Entity{ID: aimem.URN(a.Key), Value: v}
		return yield(e.WithURN(x.entityURN(a.Key, v.Get("name").Text())))
	})
	if err != nil {
		return err
	}
	seen := map[urnMark]struct{}{}
	return x.eachIn(&x.naming, func(rec memory.Record) error {
		entities, _, err := x.mentions(rec)
		for _, e := range entities {
			if _, ok := seen[urnMarkOf(e.ID)]; ok || err != nil {
				continue
			}
			var stands bool
			if stands, err = x.stands(e); stands || err != nil {
				continue
			}
			seen[urnMarkOf(e.ID)] = struct{}{}
			err = yield(e)
		}
		return err
	})
}

// stands reports whether the entity that a relation names is exported as an attached
// entity under the same URN.
func (x *bundleExport) stands(e aimem.Entity) (bool, error) {
	if !x.entities.has(string(e.ID)) {
		return false, nil
	}
	name, err := x.entityName(string(e.ID))
	return name == e.Name, err
}

// Links yields the attached links as they were imported, then the links that only
// relations give.
func (x *bundleExport) Links(yield func(aimem.Link) error) error {
	err := vault.EachBeside(x.rows, store.AttachmentFilter{Space: vault.LinkSpace}, func(a store.Attachment) error {
		link, ok, err := x.attachedLink(a)
		if err != nil || !ok {
			return errors.Join(err, x.ctx.Err())
		}
		return yield(link)
	})
	if err != nil {
		return err
	}
	return x.eachIn(&x.naming, func(rec memory.Record) error {
		_, links, err := x.mentions(rec)
		for _, link := range links {
			if err == nil {
				err = yield(link)
			}
		}
		return err
	})
}

// attachedLink returns an attached link in its exported form, or false if its record is
// not exported.
func (x *bundleExport) attachedLink(a store.Attachment) (aimem.Link, bool, error) {
	record, err := x.linkHeir(a)
	if err != nil || record == "" {
		return aimem.Link{}, false, err
	}
	chunk, err := x.urn(record)
	if err != nil {
		return aimem.Link{}, false, err
	}
	v, err := canon.Parse(a.Data, canon.Options{})
	if err != nil {
		return aimem.Link{}, false, err
	}
	name, err := x.entityName(vault.LinkedEntity(a))
	if err != nil {
		return aimem.Link{}, false, err
	}
	entity := x.entityURN(vault.LinkedEntity(a), name)
	v = aimem.RenameKind(v).With("chunk_id", canon.String(string(chunk))).With("entity_id", canon.String(string(entity)))
	return aimem.Link{Chunk: chunk, Entity: entity, Value: v}, true, nil
}

// mentions returns the entities and links that a record's relations give and that are
// not attached to it.
func (x *bundleExport) mentions(rec memory.Record) ([]aimem.Entity, []aimem.Link, error) {
	all, links := x.mapper.Mentions(rec, x.name(rec))
	if len(all) == 0 {
		return nil, nil, nil
	}
	beside, err := x.besides(rec)
	if err != nil {
		return nil, nil, err
	}
	named := map[aimem.URN]bool{}
	var entities []aimem.Entity
	for _, e := range all {
		if !beside[e.Name] {
			named[e.ID] = true
			entities = append(entities, e)
		}
	}
	var left []aimem.Link
	for _, l := range links {
		if named[l.Entity] {
			left = append(left, l)
		}
	}
	return entities, left, nil
}

// besides returns the names of the entities with links attached to a record or to its
// ancestors.
func (x *bundleExport) besides(rec memory.Record) (map[string]bool, error) {
	ids, err := x.ancestry(rec)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, id := range ids {
		err := vault.EachBeside(x.rows, store.AttachmentFilter{Space: vault.LinkSpace, From: id}, func(a store.Attachment) error {
			name, err := x.entityName(vault.LinkedEntity(a))
			names[name] = true
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}
