package storetest

import (
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

var attachmentStagingTests = []test{
	{"staged ones are seen by their import alone", attachedStaged},
	{"publishing shows those of one import", attachedPublish},
	{"imports and others may take turns", attachedTurns},
	{"what an import brought is removed step by step", attachedTakenBack},
	{"they hang on staged records", attachedToStaged},
	{"publishing very many is short", attachedPublishMany},
}

var errLost = errors.New("taken back")

func stagedAttachment(key string, imp int64) store.Attachment {
	return store.Attachment{Space: "s", Key: key, Import: imp, Staged: true}
}

func attachedStaged(p *place) {
	attach(p, ada, store.Attachment{Space: "s", Key: "a"}, stagedAttachment("b", 7), stagedAttachment("c", 8), store.Attachment{Space: "s", Key: "d"}, stagedAttachment("e", 7))
	look := func(r store.Reader) {
		same(p.t, "published", found(p, r, store.AttachmentFilter{Space: "s"}), "a d")
		same(p.t, "of import 7", found(p, r, store.AttachmentFilter{Space: "s", Import: 7}), "b e")
		same(p.t, "of import 8", found(p, r, store.AttachmentFilter{Space: "s", Import: 8}), "c")
		same(p.t, "marked", value(r.Attached("s", "b", 7))(p.t), store.Attachment{Number: 2, Space: "s", Key: "b", Import: 7, Staged: true})
		for _, imp := range []int64{0, 8} {
			_, err := r.Attached("s", "b", imp)
			fails(p.t, fmt.Sprint("for import ", imp), err, store.ErrNotFound)
		}
	}
	p.view(ada, look)
	p.update(ada, func(w store.Writer) { look(w) })
}

func attachedPublish(p *place) {
	p.insert(ada, staged(1, 7), staged(2, 7))
	attach(p, ada, stagedAttachment("a", 7), stagedAttachment("b", 8), stagedAttachment("c", 7))
	p.update(ada, func(w store.Writer) {
		same(p.t, "rows", value(w.Publish(7))(p.t), 2)
		same(p.t, "in the Update", found(p, w, store.AttachmentFilter{Space: "s"}), "a c")
		same(p.t, "rows again", value(w.Publish(7))(p.t), 0)
		value(store.Attach(w, stagedAttachment("d", 7)))(p.t)
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "published", found(p, r, store.AttachmentFilter{Space: "s"}), "a c")
		same(p.t, "marked", value(r.Attached("s", "a", 0))(p.t).Staged, false)
		same(p.t, "of the import", found(p, r, store.AttachmentFilter{Space: "s", Import: 7}), "a c d")
	})
	p.update(ada, func(w store.Writer) {
		same(p.t, "no rows", value(w.Publish(7))(p.t), 0)
		same(p.t, "no rows", value(w.Publish(8))(p.t), 0)
	})
	p.view(ada, func(r store.Reader) { same(p.t, "all", found(p, r, store.AttachmentFilter{Space: "s"}), "a b c d") })
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
}

func attachedTurns(p *place) {
	for i := range 3 {
		p.insert(ada, staged(i+1, 7), staged(i+11, 8))
		attach(p, ada, stagedAttachment(fmt.Sprint("7-", i), 7), stagedAttachment(fmt.Sprint("8-", i), 8), store.Attachment{Space: "s", Key: fmt.Sprint(i)})
	}
	p.view(ada, func(r store.Reader) {
		same(p.t, "published", found(p, r, store.AttachmentFilter{Space: "s"}), "0 1 2")
		same(p.t, "rows", value(r.Count(store.Filter{}))(p.t), 0)
	})
	p.update(ada, func(w store.Writer) {
		same(p.t, "rows", value(w.Publish(7))(p.t), 3)
		must(p.t, w.Detach("s", "8-1"))
		must(p.t, w.Delete(id(11)))
	})
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
	p.view(ada, func(r store.Reader) {
		same(p.t, "published", found(p, r, store.AttachmentFilter{Space: "s"}), "7-0 0 7-1 1 7-2 2")
		same(p.t, "rows", value(r.Count(store.Filter{}))(p.t), 3)
	})
	p.update(ada, func(w store.Writer) { same(p.t, "rows", value(w.Publish(8))(p.t), 2) })
	p.view(ada, func(r store.Reader) {
		same(p.t, "published", found(p, r, store.AttachmentFilter{Space: "s"}), "7-0 8-0 0 7-1 1 7-2 8-2 2")
	})
}

func attachedTakenBack(p *place) {
	for i := range 7 {
		attach(p, ada, stagedAttachment(fmt.Sprint(i), 7), store.Attachment{Space: fmt.Sprint(i), Key: "published", Import: 7}, stagedAttachment(fmt.Sprint("other", i), 8))
	}
	p.update(ada, func(w store.Writer) {
		same(p.t, "at most none", value(w.DetachImport(7, 0))(p.t), 0)
		same(p.t, "some", value(w.DetachImport(7, 4))(p.t), 4)
	})
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
	p.update(ada, func(w store.Writer) {
		same(p.t, "more", value(w.DetachImport(7, 4))(p.t), 4)
		same(p.t, "the rest", value(w.DetachImport(7, 99))(p.t), 6)
		same(p.t, "none", value(w.DetachImport(7, 99))(p.t), 0)
		value(store.Attach(w, stagedAttachment("0", 9)))(p.t)
	})
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
	p.update(ada, func(w store.Writer) { value(w.Publish(8))(p.t) })
	p.view(ada, func(r store.Reader) {
		same(p.t, "left", found(p, r, store.AttachmentFilter{Space: "s"}), "other0 other1 other2 other3 other4 other5 other6")
	})
}

func attachedToStaged(p *place) {
	p.update(ada, func(w store.Writer) {
		value(w.Insert(staged(1, 7), store.Document{}, store.Links{}))(p.t)
		a := stagedAttachment("a", 7)
		a.From = id(1)
		value(store.Attach(w, a))(p.t)
		a = stagedAttachment("b", 7)
		a.To = id(1)
		value(store.Attach(w, a))(p.t)
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "from", found(p, r, store.AttachmentFilter{Space: "s", From: id(1), Import: 7}), "a")
		same(p.t, "published", found(p, r, store.AttachmentFilter{Space: "s", From: id(1)}), "")
	})
	p.update(ada, func(w store.Writer) {
		must(p.t, w.Delete(id(1)))
		same(p.t, "gone with it", found(p, w, store.AttachmentFilter{Space: "s", Import: 7}), "")
		same(p.t, "rows", value(w.Publish(7))(p.t), 0)
	})
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
}

// attachedPublishMany compares the time of publishing with that of staging.
func attachedPublishMany(p *place) {
	const many, each = 100_000, 5000
	p.insert(ada, row(1))
	began := time.Now()
	for start := 0; start < many; start += each {
		list := make([]store.Attachment, each)
		for i := range list {
			list[i] = stagedAttachment(fmt.Sprint(start+i), 7)
			list[i].From = id(1)
		}
		p.update(ada, func(w store.Writer) { value(w.AttachAll(list))(p.t) })
	}
	staging := time.Since(began)
	attach(p, ada, store.Attachment{Space: "s", Key: "after", To: id(1)})
	began = time.Now()
	p.view(ada, func(r store.Reader) { same(p.t, "published", found(p, r, store.AttachmentFilter{Space: "s"}), "after") })
	p.update(ada, func(w store.Writer) { value(w.Publish(7))(p.t) })
	p.view(ada, func(r store.Reader) {
		same(p.t, "first", keysOf(value(r.Attachments(store.AttachmentFilter{Space: "s"}, 0, 3))(p.t)), "0 1 2")
		same(p.t, "last", keysOf(value(r.Attachments(store.AttachmentFilter{Space: "s", From: id(1)}, many-2, 3))(p.t)), "99998 99999")
	})
	if took := time.Since(began); took > staging/20 {
		p.t.Errorf("publishing %d attachments and looking around took %v, staging them %v", many, took, staging)
	}
}
