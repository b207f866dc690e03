package storetest

import (
	"fmt"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

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
		value(store.Attach(w, store.Attachment{Space: "s", Key: "1-2", From: id(2)}))(p.t)
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
			n := value(store.Attach(w, store.Attachment{Space: "s", Key: key}))(p.t)
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
		value(store.Attach(w, store.Attachment{Space: "s", Key: "lost", Import: 1, Staged: true}))(p.t)
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
