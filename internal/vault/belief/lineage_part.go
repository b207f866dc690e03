package belief

import (
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

// role is the role of a version, whatever its redaction.
func (ver *version) role() role { return roleOf(*ver.whole()) }

// whole is the record as the owner has it.
func (ver *version) whole() *memory.Record {
	if ver.unredacted != nil {
		return ver.unredacted
	}
	return &ver.rec
}

// category returns the category of a belief whose present version is at head: the last
// stated one. Neither redaction nor a revision in another format moves a belief to
// another scope. Empty: the present version states the category.
func (l *lineage) category(head int) engram.Category {
	if head == 0 && l.versions[head].unredacted == nil {
		return ""
	}
	for i := head; i >= 0; i-- {
		if c := statedCategory(*l.versions[i].whole()); c != "" {
			return c
		}
	}
	return ""
}

// keyless returns a belief without its key where redaction removes the key from its
// version. It also removes the key from the text, which would repeat it.
func (ver *version) keyless(b engram.Belief) engram.Belief {
	if ver.unredacted == nil {
		return b
	}
	key := statedKey(*ver.unredacted)
	if key == "" || key == statedKey(ver.rec) {
		return b
	}
	b.Key, b.Text = engram.WithheldKey(b.ID), strings.TrimPrefix(b.Text, key+": ")
	return b
}

// statedKey is the key that a record states; empty: none.
func statedKey(rec memory.Record) string {
	said, _ := codec.Residue(rec, engram.Name)
	return said.Get("belief").Get("key").Text()
}

// statedCategory is the category that a record states; empty: none.
func statedCategory(rec memory.Record) engram.Category {
	if len(rec.Body.Structured) == 0 {
		return ""
	}
	said, _ := codec.Residue(rec, engram.Name)
	return engram.Category(said.Get("belief").Get("category").Text())
}
