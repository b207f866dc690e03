package aimem

import (
	"errors"
	"strconv"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// checkLimits refuses what is beyond the limits of a reading: what a bundle may hold by
// itself, [Limits] says.
func (r *recordReader) checkLimits(rec memory.Record) error {
	if r.count++; r.count > r.limits.Records {
		return r.limitError(rec, "/chunks", "records", r.limits.Records)
	}
	if size := len(rec.Form()); int64(size) > r.limits.Record {
		return r.limitError(rec, "", "bytes in one record", int(r.limits.Record))
	}
	if len(rec.Body.Text) > r.limits.Text {
		return r.limitError(rec, "/content", "bytes of text", r.limits.Text)
	}
	if len(rec.Relations) > r.limits.Items || len(rec.Supersedes) > r.limits.Items {
		return r.limitError(rec, "/edges", "edges and links of a record", r.limits.Items)
	}
	names := []string{string(rec.ID), string(rec.Scope.Owner)}
	for _, rel := range rec.Relations {
		names = append(names, rel.Target)
	}
	for _, name := range names {
		if len(name) > r.limits.Name {
			return r.limitError(rec, "/entities", "bytes of a name", r.limits.Name)
		}
	}
	return nil
}

func (r *recordReader) limitError(rec memory.Record, pointer, what string, limit int) error {
	return &codec.ParseError{Format: Name, Path: pointer, Rule: "AD-9",
		Err: errors.New("record " + string(rec.ID) + " goes beyond the limit of " + strconv.Itoa(limit) + " " + what + "; raise it, or split the bundle")}
}
