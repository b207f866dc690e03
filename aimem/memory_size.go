package aimem

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// recordFrame is more than the members of a record take that do not grow with its
// chunk.
const recordFrame = 8 << 10

// mostRecord is the most bytes of a record that every reader takes.
func mostRecord() int { return int(codec.Limits{}.Filled().Record) }

// fitsRecord reports whether the record of a chunk is one that every reader takes:
// it says the text, the tags, and in its residue all but text and embedding again.
func fitsRecord(r record) bool {
	if r.size < mostRecord()/8 { // what is spelled as a string of JSON grows
		return true
	}
	chunk := r.value
	if _, ours := carriedRecord(chunk); ours {
		chunk = chunk.Without(memberCarrier)
	}
	size := recordFrame
	for _, v := range []canon.Value{chunk.Get("content"), chunk.Get("tags"), residueOf(chunk)} {
		if v.Type() != canon.TypeUndefined {
			size += len(v.Append(nil))
		}
	}
	return size <= mostRecord()
}
