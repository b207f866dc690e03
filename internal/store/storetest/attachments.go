package storetest

import (
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

var attachmentTests = []test{
	{"what was attached comes back", attachedBack},
	{"a key is taken once in its space", attachedTaken},
	{"many at once, all or none", attachedMany},
	{"they come in the order of their numbers, page by page", attachedOrder},
	{"they are found by the records they hang on", attachedEnds},
	{"large ones come in short pages", attachedLarge},
	{"they go with either record", attachedGoes},
	{"no number is given twice", attachedNumbers},
	{"an owner sees none of another's", attachedOwners},
	{"erasing an owner removes all", attachedErased},
	{"keys of any bytes are told apart", attachedStrange},
	{"usage counts what they hold", attachedUsage},
	{"the spaces are told", attachedSpaces},
	{"an Update that fails leaves none", attachedFails},
	{"writers of one owner take turns", attachedTogether},
	{"removing one owes a Compact", attachedOwes},
}

// attach files attachments, which must not exist.
func attach(p *place, owner memory.DID, list ...store.Attachment) {
	p.t.Helper()
	p.update(owner, func(w store.Writer) {
		for _, a := range list {
			value(store.Attach(w, a))(p.t)
		}
	})
}

// attached reads all attachments of a filter, max at a time.
func attached(p *place, r store.Reader, f store.AttachmentFilter, max int) []store.Attachment {
	p.t.Helper()
	all := []store.Attachment{}
	for after := int64(0); ; {
		some := value(r.Attachments(f, after, max))(p.t)
		if len(some) == 0 {
			return all
		}
		if len(some) > max {
			p.t.Fatalf("asked for %d, got %d", max, len(some))
		}
		all, after = append(all, some...), some[len(some)-1].Number
	}
}

// keysOf names attachments by their keys.
func keysOf(list []store.Attachment) string {
	keys := make([]string, len(list))
	for i, a := range list {
		keys[i] = a.Key
	}
	return strings.Join(keys, " ")
}

// found names the attachments of a filter.
func found(p *place, r store.Reader, f store.AttachmentFilter) string {
	p.t.Helper()
	return keysOf(attached(p, r, f, 2))
}

func attachedBack(p *place) {
	p.insert(ada, row(1), row(2))
	list := []store.Attachment{
		{Space: "s", Key: "bare"},
		{Space: "s", Key: "whole", From: id(1), To: id(2), Document: 1, Import: 7, Data: []byte("data\x00\xff")},
		{Space: "s", Key: "from", From: id(2), Document: 2, Data: []byte{0}},
		{Space: "s", Key: "to", To: id(1), Import: 1 << 39},
		{Space: "s", Key: "itself", From: id(1), To: id(1), Document: 1},
		{Space: "s", Key: ""},
		{Key: "no space"},
	}
	p.update(ada, func(w store.Writer) {
		for i := range list {
			list[i].Number = value(store.Attach(w, list[i]))(p.t)
			same(p.t, "in the Update", value(w.Attached(list[i].Space, list[i].Key, 0))(p.t), list[i])
		}
	})
	p.view(ada, func(r store.Reader) {
		for _, a := range list {
			same(p.t, a.Key, value(r.Attached(a.Space, a.Key, 0))(p.t), a)
			same(p.t, "for an import", value(r.Attached(a.Space, a.Key, 5))(p.t), a)
		}
		same(p.t, "listed", attached(p, r, store.AttachmentFilter{Space: "s"}, 99), list[:6])
		same(p.t, "at most none", len(value(r.Attachments(store.AttachmentFilter{Space: "s"}, 0, 0))(p.t)), 0)
		same(p.t, "after the last", len(value(r.Attachments(store.AttachmentFilter{Space: "s"}, 1<<62, 9))(p.t)), 0)
		same(p.t, "after less than none", len(value(r.Attachments(store.AttachmentFilter{Space: "s"}, -1<<62, 9))(p.t)), 6)
		_, err := r.Attached("s", "other", 0)
		fails(p.t, "no such key", err, store.ErrNotFound)
		_, err = r.Attached("t", "bare", 0)
		fails(p.t, "no such space", err, store.ErrNotFound)
	})
}

func attachedTaken(p *place) {
	attach(p, ada, store.Attachment{Space: "s", Key: "k", Data: []byte("first")},
		store.Attachment{Space: "s", Key: "staged", Import: 3, Staged: true})
	p.update(ada, func(w store.Writer) {
		for _, key := range []string{"k", "staged"} {
			_, err := store.Attach(w, store.Attachment{Space: "s", Key: key, Data: []byte("second")})
			fails(p.t, "Attach "+key, err, store.ErrExists)
		}
		value(store.Attach(w, store.Attachment{Space: "t", Key: "k"}))(p.t)
		_, err := store.Attach(w, store.Attachment{Space: "s", Key: "new", From: id(1)})
		fails(p.t, "Attach from nothing", err, store.ErrNotFound)
		_, err = store.Attach(w, store.Attachment{Space: "s", Key: "new", To: id(1)})
		fails(p.t, "Attach to nothing", err, store.ErrNotFound)
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "the first", string(value(r.Attached("s", "k", 0))(p.t).Data), "first")
		same(p.t, "all", found(p, r, store.AttachmentFilter{Space: "s"}), "k")
	})
	p.update(ada, func(w store.Writer) {
		must(p.t, w.Detach("s", "k"))
		fails(p.t, "Detach again", w.Detach("s", "k"), store.ErrNotFound)
		fails(p.t, "Detach in another space", w.Detach("u", "k"), store.ErrNotFound)
		value(store.Attach(w, store.Attachment{Space: "s", Key: "k", Data: []byte("third")}))(p.t)
		must(p.t, w.Detach("s", "staged"))
		value(store.Attach(w, store.Attachment{Space: "s", Key: "staged"}))(p.t)
	})
	p.view(ada, func(r store.Reader) { same(p.t, "all", found(p, r, store.AttachmentFilter{Space: "s"}), "k staged") })
	err := p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
		_, err := store.Attach(w, store.Attachment{Space: "s", Key: "x", Staged: true})
		return err
	})
	same(p.t, "staged without an import", memory.KindOf(err), memory.Internal)
}

func attachedMany(p *place) {
	p.insert(ada, row(1), with(row(2), func(c *store.Columns) { c.Import, c.Staged = 7, true }))
	attach(p, ada, store.Attachment{Space: "s", Key: "old"})
	p.update(ada, func(w store.Writer) {
		same(p.t, "none", len(value(w.AttachAll(nil))(p.t)), 0)
		same(p.t, "numbers", value(w.AttachAll([]store.Attachment{
			{Space: "s", Key: "a", From: id(1)}, {Space: "s", Key: "old"}, {Space: "t", Key: "old", To: id(2)}, {Space: "s", Key: "a"}, {Space: "s", Key: "b"},
		}))(p.t), []int64{2, 0, 3, 0, 4})
		_, err := w.AttachAll([]store.Attachment{{Space: "s", Key: "c"}, {Space: "s", Key: "d", From: id(9)}})
		fails(p.t, "one hangs on nothing", err, store.ErrNotFound)
		same(p.t, "again", value(w.AttachAll([]store.Attachment{{Space: "s", Key: "b"}, {Space: "s", Key: "e"}}))(p.t), []int64{0, 5})
	})
	const many = 1500
	list := make([]store.Attachment, many)
	for i := range list {
		list[i] = store.Attachment{Space: fmt.Sprint("many", i%3), Key: fmt.Sprint(i), From: id(1), Data: fmt.Append(nil, i)}
	}
	p.update(ada, func(w store.Writer) { value(w.AttachAll(list))(p.t) })
	p.view(ada, func(r store.Reader) {
		same(p.t, "s", found(p, r, store.AttachmentFilter{Space: "s"}), "old a b e")
		count := 0
		for i := range 3 {
			for _, a := range attached(p, r, store.AttachmentFilter{Space: fmt.Sprint("many", i)}, 100) {
				count++
				same(p.t, "data", string(a.Data), a.Key)
			}
		}
		same(p.t, "many", count, many)
	})
}
