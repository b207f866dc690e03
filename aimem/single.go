package aimem

import (
	"cmp"
	"io"
	"slices"
	"strconv"

	"github.com/satchel-memory/satchel/canon"
)

// single is a bundle that is one JSON object.
type single struct {
	text   *canon.Text
	arrays [recordKinds]canon.Extent // empty: absent, or no array
}

// find notes where an array lies.
func (d *single) find(k recordKind, at canon.Extent) { d.arrays[k] = at }

func (d *single) root() *canon.Text { return d.text }

func (d *single) check() error { return d.text.Check() }

func (d *single) complete() error { return d.text.CheckRest() }

func (d *single) payload(w io.Writer) error {
	return d.text.WriteCanonical(w, d.text.Root(), memberChecksum)
}

func (d *single) walk(k recordKind, yield func(record) error) error {
	if d.arrays[k].Len() == 0 {
		return nil
	}
	return d.text.Items(d.arrays[k], func(i int, at canon.Extent, raw []byte) error {
		if raw == nil {
			return tooLarge(canon.Pointer(k.array(), strconv.Itoa(i)))
		}
		v, inexact, err := read(raw, d.text.Depth())
		if err != nil {
			return err
		}
		return yield(record{k, i, at.Start, v, inexact, len(raw)})
	})
}

func (d *single) all(yield func(record) error) error {
	order := []recordKind{chunkRecord, edgeRecord, entityRecord, linkRecord}
	slices.SortStableFunc(order, func(a, b recordKind) int { return cmp.Compare(d.arrays[a].Start, d.arrays[b].Start) })
	for _, k := range order {
		if err := d.walk(k, yield); err != nil {
			return err
		}
	}
	return nil
}

func (d *single) at(offset int64) (canon.Value, error) { return d.text.ValueFrom(offset) }
