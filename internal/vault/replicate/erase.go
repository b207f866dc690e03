package replicate

import (
	"context"
	"slices"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// joinErasures joins the erasures of a message. It returns how many records it erased here, and
// the marks of which this machine has a greater count.
func (t *tx) joinErasures(items []replica.Item) (erased int, differ []string, err error) {
	due := map[string]bool{}
	for _, i := range items {
		if i.Kind != replica.KindErasure {
			continue
		}
		said, err := replica.Decode[replica.Erasure](i.Data)
		if err != nil {
			return 0, nil, err
		}
		was := t.erasures[i.Key]
		both := was.Join(said)
		if both != said {
			differ = append(differ, i.Key)
		}
		if both == was {
			continue
		}
		if err := t.setErasure(i.Key, both); err != nil {
			return 0, nil, err
		}
		if both.Erased() {
			due[i.Key] = true
		}
	}
	if len(due) == 0 {
		return 0, differ, nil
	}
	// A mark does not reveal the id. So the marks of all rows are compared.
	var rows []store.Row
	err = vault.EachPage(context.Background(), t.w, store.Filter{}, func(page []store.Row) error {
		for _, row := range page {
			if due[t.mark(row.ID)] {
				rows = append(rows, row)
			}
		}
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	for _, row := range rows {
		if err := t.erase(row); err != nil {
			return erased, nil, err
		}
		erased++
	}
	return erased, differ, nil
}

// erase removes a record that another machine erased.
func (t *tx) erase(row store.Row) error {
	if rec, err := vault.Decoded(row); err == nil {
		t.touched.add(rec.Supersedes...)
	}
	users, err := t.w.Relating(string(row.ID))
	if err != nil {
		return err
	}
	t.touched.add(users...)
	delete(t.facts, row.ID)
	return vault.RemoveErased(t.kernel, t.w, row, t.now)
}

// Erased returns the marks of the records that were erased since a place, see [replica.Memory].
func (m *Memory) Erased(ctx context.Context, after replica.Position) (marks []string, upto replica.Position, err error) {
	upto = after
	err = m.update(ctx, func(t *tx) error { // which first scans for erasures here
		marks, upto = nil, after
		return vault.EachBeside(t.w, store.AttachmentFilter{Space: markSpace}, func(a store.Attachment) error {
			if a.Number > after.Attached && t.erasures[a.Key].Erased() {
				marks = append(marks, a.Key)
			}
			upto.Attached = max(upto.Attached, a.Number)
			return nil
		})
	})
	return marks, upto, err
}

// Marks returns the keyed marks of all records whose content some items hold.
func (m *Memory) Marks(items []replica.Item) (marks []string) {
	for _, item := range items {
		for _, id := range idsIn(item) {
			if id != "" {
				marks = append(marks, m.mark(id))
			}
		}
	}
	return marks
}

// Marked reports for each item whether it holds content of an erased record.
func (m *Memory) Marked(ctx context.Context, items []replica.Item) ([]bool, error) {
	marked := make([]bool, len(items))
	err := m.kernel.Store().View(ctx, m.owner, func(r store.Reader) error {
		gone := map[string]bool{}
		err := vault.EachBeside(r, store.AttachmentFilter{Space: markSpace}, func(a store.Attachment) error {
			g, err := replica.Decode[replica.Erasure](a.Data)
			gone[a.Key] = g.Erased()
			return err
		})
		if err != nil || len(gone) == 0 {
			return err
		}
		for i, item := range items {
			marked[i] = slices.ContainsFunc(idsIn(item), func(id memory.ID) bool { return gone[m.mark(id)] })
		}
		return nil
	})
	return marked, m.refusal(err)
}

// idsIn returns the ids of the records whose content an item holds.
func idsIn(i replica.Item) []memory.ID {
	switch i.Kind {
	case replica.KindRecord:
		return []memory.ID{memory.ID(i.Key)}
	case replica.KindLesson:
		return []memory.ID{memory.ID(before(i.Key))}
	case replica.KindAttachment:
		b, err := replica.Decode[replica.Attachment](i.Data)
		if err != nil {
			return nil
		}
		return []memory.ID{b.From, b.To}
	}
	return nil
}
