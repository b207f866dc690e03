package storetest

import (
	"bytes"
	"fmt"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

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
		_, err := store.Attach(w, store.Attachment{Space: "s", Key: "x", From: id(2)})
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

func attachedStrange(p *place) {
	for i, s := range some {
		r := row(i)
		r.ID = memory.ID(s)
		p.insert(ada, r)
	}
	var list []store.Attachment
	for i, s := range some {
		list = append(list, store.Attachment{Space: s, Key: s, From: memory.ID(s), Document: int64(i + 1), Data: []byte(s)},
			store.Attachment{Space: "s", Key: s, To: memory.ID(s)})
	}
	p.update(ada, func(w store.Writer) {
		for i, n := range value(w.AttachAll(list))(p.t) {
			list[i].Number = n
		}
		for _, a := range list {
			_, err := store.Attach(w, a)
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
