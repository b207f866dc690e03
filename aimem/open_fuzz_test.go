package aimem_test

import (
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
)

// FuzzOpen: whatever is opened is written again with the checksum it was read with,
// and whatever is refused Validate refuses for the same reason.
func FuzzOpen(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(string(v.file.Data), v.header["foreign"] == "yes", int64(64))
		f.Add(string(v.file.Data), true, int64(4<<20))
	}
	f.Fuzz(func(t *testing.T, text string, foreign bool, record int64) {
		o := aimem.Options{ForeignIDs: foreign, Limits: aimem.Limits{Record: record}}
		b, err := aimem.Open(source("brain.ndjson", text), o)
		sameVerdict(t, source("brain.ndjson", text), o, err)
		if err != nil || b.Envelope().Value.Len() == 0 {
			return
		}
		for _, w := range b.Warnings() {
			if w.Code == aimem.WarnRecordsLeft {
				return
			}
		}
		if err := b.Carried(func(canon.Value) error { return nil }); err == nil {
			again(t, b)
		}
	})
}
