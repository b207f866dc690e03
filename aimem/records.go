package aimem

import (
	"strconv"

	"github.com/satchel-memory/satchel/canon"
)

// records checks every record on its own (sections 2.2 to 2.7), and builds the index of all
// records.
func (in *inspector) records() error {
	in.checker.envelope, in.checker.foreign = &in.b.envelope, in.o.ForeignIDs
	embedded := 0
	err := in.doc.all(func(r record) error {
		in.count(r.kind)
		in.index(r)
		in.refs.add(r)
		if r.inexact != "" {
			in.warnings.add(Warning{Code: WarnInexactNumber, Pointer: canon.Pointer(r.kind.array(), strconv.Itoa(r.n)) + r.inexact,
				Detail: "an integer beyond 2^53: its digits are kept in the store; the checksum covers the nearest double, and what is written again has that"})
		}
		for _, f := range in.checker.check(r) {
			if err := in.violation(f); err != nil {
				return err
			}
		}
		if _, ok := present(r.value, "embedding"); ok && r.kind == chunkRecord {
			embedded++
			in.warnNotFinite(r)
		}
		return nil
	})
	if err != nil || embedded == 0 {
		return err
	}
	in.warnings.add(ModelWarning(in.b.envelope, embedded))
	return nil
}

// warnNotFinite warns of an embedding that is none to compare with.
func (in *inspector) warnNotFinite(r record) {
	if len(in.checker.found) == 0 && !in.checker.finite() {
		in.warnings.add(Warning{Code: WarnNotFinite, ID: URN(r.value.Get("id").Text()),
			Pointer: canon.Pointer(r.kind.array(), strconv.Itoa(r.n), "embedding"), Action: "kept_unused"})
	}
}

func (in *inspector) count(k recordKind) {
	switch c := &in.b.counts; k {
	case chunkRecord:
		c.Chunks++
	case edgeRecord:
		c.Edges++
	case entityRecord:
		c.Entities++
	case linkRecord:
		c.Links++
	}
}

// index notes where a record lies that has an id.
func (in *inspector) index(r record) {
	id := URN(r.value.Get("id").Text())
	switch {
	case id == "":
	case r.kind == chunkRecord:
		in.b.chunks.add(id, r.at)
	case r.kind == entityRecord:
		in.b.entities.add(id, r.at)
	}
}
