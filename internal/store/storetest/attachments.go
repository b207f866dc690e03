package storetest

import (
	"bytes"
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
			value(w.Attach(a))(p.t)
		}
	})
}

// attached reads all that a filter chooses, max at a time.
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

// found names what a filter chooses.
func found(p *place, r store.Reader, f store.AttachmentFilter) string {
	p.t.Helper()
	return keysOf(attached(p, r, f, 2))
}

func attachedBack(p *place) {
	p.insert(ada, row(1), row(2))
	list := []store.Attachment{
		{Space: "s", Key: "bare"},
		{Space: "s", Key: "whole", From: id(1), To: id(2), Import: 7, Data: []byte("data\x00\xff")},
		{Space: "s", Key: "from", From: id(2), Data: []byte{0}},
		{Space: "s", Key: "to", To: id(1), Import: 1 << 39},
		{Space: "s", Key: "itself", From: id(1), To: id(1)},
		{Space: "s", Key: ""},
		{Key: "no space"},
	}
	p.update(ada, func(w store.Writer) {
		for i := range list {
			list[i].Number = value(w.Attach(list[i]))(p.t)
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
			_, err := w.Attach(store.Attachment{Space: "s", Key: key, Data: []byte("second")})
			fails(p.t, "Attach "+key, err, store.ErrExists)
		}
		value(w.Attach(store.Attachment{Space: "t", Key: "k"}))(p.t)
		_, err := w.Attach(store.Attachment{Space: "s", Key: "new", From: id(1)})
		fails(p.t, "Attach from nothing", err, store.ErrNotFound)
		_, err = w.Attach(store.Attachment{Space: "s", Key: "new", To: id(1)})
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
		value(w.Attach(store.Attachment{Space: "s", Key: "k", Data: []byte("third")}))(p.t)
		must(p.t, w.Detach("s", "staged"))
		value(w.Attach(store.Attachment{Space: "s", Key: "staged"}))(p.t)
	})
	p.view(ada, func(r store.Reader) { same(p.t, "all", found(p, r, store.AttachmentFilter{Space: "s"}), "k staged") })
	err := p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
		_, err := w.Attach(store.Attachment{Space: "s", Key: "x", Staged: true})
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

func attachedOrder(p *place) {
	for _, key := range []string{"c", "a", "b", "e", "d"} {
		attach(p, ada, store.Attachment{Space: "s", Key: key}, store.Attachment{Space: "other", Key: key})
	}
	p.update(ada, func(w store.Writer) { must(p.t, w.Detach("s", "b")) })
	p.view(ada, func(r store.Reader) {
		for max := 1; max < 6; max++ {
			same(p.t, fmt.Sprint(max, " a page"), keysOf(attached(p, r, store.AttachmentFilter{Space: "s"}, max)), "c a e d")
		}
		same(p.t, "no such space", found(p, r, store.AttachmentFilter{Space: "none"}), "")
	})
}

func attachedEnds(p *place) {
	p.insert(ada, row(1), row(2), row(3))
	attach(p, ada,
		store.Attachment{Space: "s", Key: "1-2", From: id(1), To: id(2), Import: 4},
		store.Attachment{Space: "s", Key: "2-1", From: id(2), To: id(1)},
		store.Attachment{Space: "s", Key: "1-", From: id(1), Import: 4},
		store.Attachment{Space: "t", Key: "1-3", From: id(1), To: id(3)},
		store.Attachment{Space: "s", Key: "1-1", From: id(1), To: id(1), Import: 5})
	p.view(ada, func(r store.Reader) {
		for want, f := range map[string]store.AttachmentFilter{
			"1-2 1- 1-1": {Space: "s", From: id(1)},
			"2-1 1-1":    {Space: "s", To: id(1)},
			"1-3":        {Space: "t", To: id(3)},
			"1-2":        {Space: "s", From: id(1), To: id(2)},
			"1-2 1-":     {Space: "s", Import: 4},
			"1-1":        {Space: "s", To: id(1), Import: 5},
			"":           {Space: "s", From: id(3)},
		} {
			same(p.t, fmt.Sprintf("%+v", f), found(p, r, f), want)
		}
		same(p.t, "of no record", found(p, r, store.AttachmentFilter{Space: "s", From: id(9)}), "")
		same(p.t, "of an import without any", found(p, r, store.AttachmentFilter{Space: "s", Import: 9}), "")
	})
}

func attachedLarge(p *place) {
	large := bytes.Repeat([]byte("large"), 600_000)
	for i := range 4 {
		attach(p, ada, store.Attachment{Space: "s", Key: fmt.Sprint(i), Data: append(large, byte(i))})
	}
	p.update(ada, func(w store.Writer) {
		value(w.AttachAll([]store.Attachment{{Space: "s", Key: "4", Data: large}, {Space: "s", Key: "5", Data: large}, {Space: "s", Key: "6", Data: large}}))(p.t)
	})
	p.view(ada, func(r store.Reader) {
		first := value(r.Attachments(store.AttachmentFilter{Space: "s"}, 0, 99))(p.t)
		same(p.t, "fewer than asked for, and some", len(first) > 0 && len(first) < 7, true)
		same(p.t, "whole", bytes.Equal(first[0].Data, append(large, 0)), true)
		same(p.t, "all", keysOf(attached(p, r, store.AttachmentFilter{Space: "s"}, 99)), "0 1 2 3 4 5 6")
	})
}

func attachedGoes(p *place) {
	p.insert(ada, row(1), row(2), row(3))
	attach(p, ada,
		store.Attachment{Space: "s", Key: "1-2", From: id(1), To: id(2)},
		store.Attachment{Space: "s", Key: "2-1", From: id(2), To: id(1)},
		store.Attachment{Space: "s", Key: "2-3", From: id(2), To: id(3)},
		store.Attachment{Space: "s", Key: "1-1", From: id(1), To: id(1)},
		store.Attachment{Space: "t", Key: "-1", To: id(1), Import: 7, Staged: true},
		store.Attachment{Space: "s", Key: "-"})
	p.update(ada, func(w store.Writer) {
		must(p.t, w.Delete(id(1)))
		same(p.t, "in the Update", found(p, w, store.AttachmentFilter{Space: "s"}), "2-3 -")
		same(p.t, "the staged one", found(p, w, store.AttachmentFilter{Space: "t", Import: 7}), "")
		value(w.Attach(store.Attachment{Space: "s", Key: "1-2", From: id(2)}))(p.t)
	})
	p.insert(ada, row(1))
	p.view(ada, func(r store.Reader) {
		same(p.t, "left", found(p, r, store.AttachmentFilter{Space: "s"}), "2-3 - 1-2")
		same(p.t, "of a record that came again", found(p, r, store.AttachmentFilter{Space: "s", From: id(1)}), "")
	})
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
}

func attachedNumbers(p *place) {
	var last int64
	next := func(key string) {
		p.t.Helper()
		p.update(ada, func(w store.Writer) {
			n := value(w.Attach(store.Attachment{Space: "s", Key: key}))(p.t)
			same(p.t, "it rises", n > last, true)
			last = n
		})
	}
	next("a")
	next("b")
	p.update(ada, func(w store.Writer) { must(p.t, w.Detach("s", "b")) })
	next("b")
	p.update(ada, func(w store.Writer) { must(p.t, w.EraseOwner()) })
	next("a")
}

func attachedOwners(p *place) {
	p.insert(ada, row(1))
	p.insert(bob, row(2), row(1))
	attach(p, ada, store.Attachment{Space: "s", Key: "ada", From: id(1)}, store.Attachment{Space: "s", Key: "both", Import: 1})
	attach(p, bob, store.Attachment{Space: "s", Key: "bob", From: id(1)}, store.Attachment{Space: "s", Key: "both", Import: 1, Staged: true})
	p.view(ada, func(r store.Reader) {
		_, err := r.Attached("s", "bob", 0)
		fails(p.t, "bob's", err, store.ErrNotFound)
		same(p.t, "ada's", found(p, r, store.AttachmentFilter{Space: "s"}), "ada both")
		same(p.t, "on ada's record", found(p, r, store.AttachmentFilter{Space: "s", From: id(1)}), "ada")
		same(p.t, "of ada's import", found(p, r, store.AttachmentFilter{Space: "s", Import: 1}), "both")
	})
	p.update(ada, func(w store.Writer) {
		fails(p.t, "Detach bob's", w.Detach("s", "bob"), store.ErrNotFound)
		_, err := w.Attach(store.Attachment{Space: "s", Key: "x", From: id(2)})
		fails(p.t, "on bob's record", err, store.ErrNotFound)
		value(w.Publish(1))(p.t)
		must(p.t, w.Delete(id(1)))
		same(p.t, "detached", value(w.DetachImport(1, 9))(p.t), 1)
	})
	p.view(bob, func(r store.Reader) {
		same(p.t, "bob's are left", found(p, r, store.AttachmentFilter{Space: "s"}), "bob")
		same(p.t, "staged as well", found(p, r, store.AttachmentFilter{Space: "s", Import: 1}), "both")
	})
}

func attachedErased(p *place) {
	p.insert(ada, row(1))
	for _, owner := range []memory.DID{ada, bob} {
		attach(p, owner, store.Attachment{Space: "s", Key: "k", Data: []byte("data")}, store.Attachment{Space: "s", Key: "staged", Import: 1, Staged: true})
	}
	p.update(ada, func(w store.Writer) {
		must(p.t, w.EraseOwner())
		same(p.t, "published", value(w.Publish(1))(p.t), 0)
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "ada's", found(p, r, store.AttachmentFilter{Space: "s"}), "")
		same(p.t, "of the import", found(p, r, store.AttachmentFilter{Space: "s", Import: 1}), "")
		_, bytes, err := r.Usage()
		must(p.t, err)
		same(p.t, "bytes", bytes, 0)
	})
	p.view(bob, func(r store.Reader) { same(p.t, "bob's", found(p, r, store.AttachmentFilter{Space: "s"}), "k") })
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
}

func attachedStrange(p *place) {
	for i, s := range some {
		r := row(i)
		r.ID = memory.ID(s)
		p.insert(ada, r)
	}
	var list []store.Attachment
	for _, s := range some {
		list = append(list, store.Attachment{Space: s, Key: s, From: memory.ID(s), Data: []byte(s)},
			store.Attachment{Space: "s", Key: s, To: memory.ID(s)})
	}
	p.update(ada, func(w store.Writer) {
		for i, n := range value(w.AttachAll(list))(p.t) {
			list[i].Number = n
		}
		for _, a := range list {
			_, err := w.Attach(a)
			fails(p.t, "again", err, store.ErrExists)
		}
	})
	p.view(ada, func(r store.Reader) {
		for _, a := range list {
			same(p.t, "attached", value(r.Attached(a.Space, a.Key, 0))(p.t), a)
		}
		for i, s := range some {
			same(p.t, "in a space", value(r.Attachments(store.AttachmentFilter{Space: s, From: memory.ID(s)}, 0, 9))(p.t), list[2*i:2*i+1])
		}
		_, err := r.Attached("s", "a\x00\x00", 0)
		fails(p.t, "Attached", err, store.ErrNotFound)
	})
	p.update(ada, func(w store.Writer) {
		for _, a := range list {
			must(p.t, w.Detach(a.Space, a.Key))
		}
		same(p.t, "left", found(p, w, store.AttachmentFilter{Space: "s"}), "")
	})
}

func attachedSpaces(p *place) {
	want := map[string]bool{}
	for i, space := range strange {
		attach(p, ada, store.Attachment{Space: space, Key: "k", Import: 7, Staged: i%2 == 0}, store.Attachment{Space: space, Key: "l"})
		want[space] = true
	}
	attach(p, bob, store.Attachment{Space: "bob's"})
	p.view(ada, func(r store.Reader) {
		spaces := value(r.Spaces())(p.t)
		same(p.t, "how many", len(spaces), len(strange))
		got := map[string]bool{}
		for _, space := range spaces {
			got[space] = true
		}
		same(p.t, "spaces", got, want)
	})
	p.update("did:key:nobody", func(w store.Writer) { same(p.t, "of nobody", len(value(w.Spaces())(p.t)), 0) })
	p.update(bob, func(w store.Writer) {
		must(p.t, w.Detach("bob's", ""))
		same(p.t, "once it is empty", len(value(w.Spaces())(p.t)), 0)
	})
}

func attachedUsage(p *place) {
	usage := func() [2]int64 {
		var got [2]int64
		p.view(ada, func(r store.Reader) {
			var err error
			got[0], got[1], err = r.Usage()
			must(p.t, err)
		})
		return got
	}
	p.insert(ada, row(1), row(2))
	bare := usage()
	with := func(bytes int64) [2]int64 { return [2]int64{bare[0], bare[1] + bytes} }
	attach(p, ada, store.Attachment{Space: "s", Key: "a", Data: make([]byte, 100)},
		store.Attachment{Space: "s", Key: "b", From: id(1), Data: make([]byte, 20)},
		store.Attachment{Space: "s", Key: "c", Import: 3, Staged: true, Data: make([]byte, 3)})
	same(p.t, "attached", usage(), with(123))
	p.update(ada, func(w store.Writer) { must(p.t, w.Detach("s", "a")) })
	same(p.t, "detached", usage(), with(23))
	p.update(ada, func(w store.Writer) { value(w.DetachImport(3, 9))(p.t) })
	same(p.t, "taken back", usage(), with(20))
	one := int64(len(row(1).Origin))
	p.update(ada, func(w store.Writer) { must(p.t, w.Delete(id(1))) })
	same(p.t, "gone with its record", usage(), [2]int64{bare[0] - 1, bare[1] - one})
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
}

func attachedFails(p *place) {
	attach(p, ada, store.Attachment{Space: "s", Key: "kept", Data: []byte("kept")})
	err := p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
		value(w.Attach(store.Attachment{Space: "s", Key: "lost", Import: 1, Staged: true}))(p.t)
		must(p.t, w.Detach("s", "kept"))
		return errLost
	})
	fails(p.t, "Update", err, errLost)
	p.view(ada, func(r store.Reader) {
		same(p.t, "all", found(p, r, store.AttachmentFilter{Space: "s"}), "kept")
		same(p.t, "staged", found(p, r, store.AttachmentFilter{Space: "s", Import: 1}), "")
	})
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
}

func attachedTogether(p *place) {
	const writers, each = 8, 20
	failed := make(chan error, writers)
	for n := range writers {
		go func() {
			var err error
			for i := 0; i < each && err == nil; i++ {
				err = p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
					_, err := w.AttachAll([]store.Attachment{{Space: "s", Key: fmt.Sprint(n, "/", i)}, {Space: "s", Key: fmt.Sprint("shared ", i)},
						{Space: "s", Key: fmt.Sprint("staged ", n, "/", i), Import: int64(n + 1), Staged: true}})
					return err
				})
			}
			failed <- err
		}()
	}
	for range writers {
		must(p.t, <-failed)
	}
	p.update(ada, func(w store.Writer) { value(w.Publish(1))(p.t) })
	p.view(ada, func(r store.Reader) {
		all := attached(p, r, store.AttachmentFilter{Space: "s"}, 50)
		same(p.t, "how many", len(all), writers*each+each+each)
		for i := range all[1:] {
			same(p.t, "in order", all[i].Number < all[i+1].Number, true)
		}
		same(p.t, "staged", len(attached(p, r, store.AttachmentFilter{Space: "s", Import: 2}, 7)), each)
	})
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
}

func attachedOwes(p *place) {
	c, ok := p.store.(store.Compacter)
	if !ok {
		p.t.Fatal("every store of the suite tells what it owes")
	}
	attach(p, ada, store.Attachment{Space: "s", Key: "a", Data: []byte("x")}, store.Attachment{Space: "s", Key: "b", Import: 2})
	same(p.t, "attaching owes nothing", value(c.Owed(p.t.Context()))(p.t), false)
	p.update(ada, func(w store.Writer) {
		fails(p.t, "Detach", w.Detach("s", "none"), store.ErrNotFound)
		same(p.t, "none", value(w.DetachImport(9, 9))(p.t), 0)
	})
	same(p.t, "removing none owes nothing", value(c.Owed(p.t.Context()))(p.t), false)
	p.update(ada, func(w store.Writer) { must(p.t, w.Detach("s", "a")) })
	same(p.t, "detaching owes", value(c.Owed(p.t.Context()))(p.t), true)
}
