package aimem

import (
	"errors"
	"io"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Beside is what records say beside their texts: the edges, links and entities of the
// bundle that the records make.
type Beside struct {
	Edges    []RecordEdge
	Links    []RecordLink
	Entities []Entity
}

// RecordEdge is an edge between two records.
type RecordEdge struct {
	From, To memory.ID
	Edge     Edge
}

// RecordLink is a link of a record to an entity of a name.
type RecordLink struct {
	Record memory.ID
	Name   string
	Link   Link
}

// BesideOf returns what the records that walk yields say beside their texts, manifests
// included. It fails with the errors of walk, and if the records make no bundle, such as
// those of two owners. opt are the options for writing such a bundle.
func BesideOf(forms codec.Forms, opt codec.Options, walk func(yield func(memory.Record) error) error) (out Beside, err error) {
	s, err := newSpool(opt)
	if err != nil {
		return out, err
	}
	w := &recordWriter{forms: forms, out: io.Discard, opt: opt, spool: s, owner: opt.Owner}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := walk(w.Write); err != nil {
		return out, err
	}
	b, err := w.build((*graphBuilder).addBeside)
	if b != nil {
		defer func() { err = errors.Join(err, b.spool.close()) }()
	}
	if err != nil {
		return out, err
	}
	return b.beside()
}

// beside names the records at the ends of edges and links.
func (b *recordBrain) beside() (Beside, error) {
	ids := map[URN]memory.ID{}
	for _, e := range b.from.entries {
		for n := 1; e.live && n <= e.parts; n++ {
			ids[partURN(e.name, n)] = e.id
		}
	}
	return besideIn(b, ids)
}

// BesideIn returns what stands beside the records that the chunks of a brain carry.
func BesideIn(b Brain) (Beside, error) {
	ids := map[URN]memory.ID{}
	err := b.Chunks(func(c Chunk) error {
		if ids[c.ID] = c.CarriedID(); ids[c.ID] == "" {
			if first, _, ok := c.ID.PartOf(); ok {
				ids[c.ID] = ids[first]
			}
		}
		return nil
	})
	if err != nil {
		return Beside{}, err
	}
	return besideIn(b, ids)
}

func besideIn(b Brain, ids map[URN]memory.ID) (out Beside, err error) {
	names := map[URN]string{}
	err = b.Entities(func(e Entity) error {
		names[e.ID], out.Entities = e.Name, append(out.Entities, e)
		return nil
	})
	if err != nil {
		return out, err
	}
	err = b.Edges(func(e Edge) error {
		if !e.Joins() {
			out.Edges = append(out.Edges, RecordEdge{ids[e.Source], ids[e.Target], e})
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	err = b.Links(func(l Link) error {
		out.Links = append(out.Links, RecordLink{ids[l.Chunk], names[l.Entity], l})
		return nil
	})
	return out, err
}
