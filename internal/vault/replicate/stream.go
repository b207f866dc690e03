package replicate

import (
	"cmp"
	"context"
	"slices"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Since returns the items after a place in this machine's stream, see [replica.Memory]. Records
// come first, in the order of the change feed. All other items follow, in the order of their
// attachments. A place of another stream counts as the beginning.
func (m *Memory) Since(ctx context.Context, remote string, after replica.Position, max int) (items []replica.Item, upto replica.Position, more bool, err error) {
	if err := m.scanIfChanged(ctx); err != nil {
		return nil, after, false, err
	}
	err = m.kernel.Store().View(ctx, m.owner, func(r store.Reader) error {
		s, err := m.read(ctx, r, remote, after, max)
		items, upto, more = s.items, s.upto, s.more
		return err
	})
	return items, upto, more, m.refusal(err)
}

// read reads a piece of the stream.
func (m *Memory) read(ctx context.Context, r store.Reader, remote string, after replica.Position, max int) (s *stream, err error) {
	s = &stream{Memory: m, r: r, upto: after, left: max, contents: contents{}, sent: map[memory.ID]bool{}}
	if s.imports, err = readImportKeys(r); err != nil {
		return s, err
	}
	here, err := streamID(r)
	if err != nil {
		return s, err
	}
	if s.upto.Rest != here {
		s.upto = replica.Position{Rest: here}
	}
	var noted int64
	if remote != "" {
		if s.skip, noted, err = readSkips(r, remote, s.upto); err != nil {
			return s, err
		}
	}
	if err := s.records(ctx); err != nil {
		return s, err
	}
	if !s.more {
		err = s.attachments()
	}
	if !s.more && s.upto != after && s.upto.Attached < noted { // all spans up to noted end before the new place
		s.upto.Attached = noted
	}
	return s, err
}

// Lacks reports whether anything comes after a place in this machine's stream that did not come
// from a remote. It writes nothing, so that it also works on a store that is only read.
func (m *Memory) Lacks(ctx context.Context, remote string, after replica.Position) (lacks bool, err error) {
	err = m.kernel.Store().View(ctx, m.owner, func(r store.Reader) (err error) {
		if lacks, err = unscanned(r); err != nil || lacks {
			return err
		}
		s, err := m.read(ctx, r, remote, after, 1)
		lacks = len(s.items) > 0
		return err
	})
	return lacks, m.refusal(err)
}

// streamID identifies this machine's stream by the lineage of the store. A store that is restored
// to an earlier state gets another lineage: its next changes get numbers that other changes had
// before.
func streamID(r store.Reader) (digest [16]byte, err error) {
	lineage, err := r.Runs().Lineage()
	copy(digest[:], digestOf([]byte(lineage)))
	return digest, err
}

// scanIfChanged scans for changes on this machine, if the owner's rows have changed since the
// last scan.
func (m *Memory) scanIfChanged(ctx context.Context) error {
	m.mu.Lock()
	was := m.scannedSum
	m.mu.Unlock()
	same := false
	err := m.kernel.Store().View(ctx, m.owner, func(r store.Reader) error {
		sum, err := r.Sum()
		same = sum == was && sum != store.Sum{}
		return err
	})
	if err != nil || same {
		return m.refusal(err)
	}
	var sum store.Sum
	err = m.update(ctx, func(t *tx) (err error) {
		sum, err = t.w.Sum()
		return err
	})
	if err != nil {
		return err
	}
	m.setScannedSum(sum)
	return m.refusal(m.clean(ctx))
}

func (m *Memory) setScannedSum(sum store.Sum) {
	m.mu.Lock()
	m.scannedSum = sum
	m.mu.Unlock()
}

// stream collects the next items of this machine's stream.
type stream struct {
	*Memory
	r        store.Reader
	imports  importKeys
	skip     skips // items that came from the remote
	contents contents
	facts    factList
	sent     map[memory.ID]bool // records that are in items
	items    []replica.Item
	upto     replica.Position
	left     int  // bytes
	more     bool // items follow after upto
}

// add adds an item, and reports whether there is room for another.
func (s *stream) add(i replica.Item) bool {
	s.items = append(s.items, i)
	s.left -= len(i.Data) + len(i.Key)
	return s.left > 0
}

// records adds the records of the next changes in the change feed.
func (s *stream) records(ctx context.Context) error {
	for {
		changes, err := s.r.Changes(s.upto.Changes, pageSize)
		if err != nil || len(changes) == 0 {
			return err
		}
		for _, c := range changes {
			if err := ctx.Err(); err != nil {
				return err
			}
			room := true
			switch {
			case c.Type == store.Imported:
				room, err = s.imported(c)
			case c.Type == store.Created, c.Type == store.Merged, c.Type == store.Revised, c.Type == store.Tombstoned:
				if room, err = s.named(c); err == nil {
					s.upto.Changes = c.Sequence
				}
			default:
				s.upto.Changes = c.Sequence
			}
			if err != nil {
				return err
			}
			if !room {
				head, err := s.r.Head()
				s.more = s.upto.Changes < head || err != nil
				return err
			}
		}
	}
}

// named adds the record that a change names.
func (s *stream) named(c store.Change) (room bool, err error) {
	if s.skip.changes(c.Sequence) || s.sent[c.ID] {
		return true, nil
	}
	row, err := s.r.Row(c.ID)
	if err != nil {
		return true, vault.NotFoundIsNone(err)
	}
	return s.row(row)
}

// row adds the record of a row, unless it was added before.
func (s *stream) row(row store.Row) (room bool, err error) {
	if s.sent[row.ID] {
		return true, nil
	}
	s.sent[row.ID] = true
	f, err := s.facts.of(s.r, row.ID)
	if err != nil {
		return true, nil //nolint:nilerr // doctor reports it
	}
	rec, err := recordOf(f, row, s.imports)
	if err != nil {
		return true, nil //nolint:nilerr // doctor reports it
	}
	return s.add(replica.NewItem(replica.KindRecord, string(row.ID), rec)), nil
}

// imported adds the records of an import. Its change stands for as many places as the import has
// records, so that a message may end between them.
func (s *stream) imported(c store.Change) (room bool, err error) {
	begin := c.Sequence - (c.Last - c.First) // the place of the first
	first := max(c.First, c.First+s.upto.Changes-begin+1)
	for ; first <= c.Last; first += pageSize {
		last := min(c.Last, first+pageSize-1)
		numbers := make([]int64, 0, pageSize)
		for n := first; n <= last; n++ {
			if !s.skip.changes(begin + n - c.First) {
				numbers = append(numbers, n)
			}
		}
		rows, err := s.r.Numbered(numbers)
		if err != nil {
			return false, err
		}
		for _, row := range rows {
			if row.Columns.Staged {
				continue
			}
			room, err := s.row(row)
			s.upto.Changes = begin + row.Number - c.First
			if err != nil || !room {
				return false, err
			}
		}
		s.upto.Changes = begin + last - c.First
	}
	s.upto.Changes = max(s.upto.Changes, c.Sequence)
	return true, nil
}

// attachments adds all items that are not records.
func (s *stream) attachments() error {
	for {
		page, last, err := s.nextAttachments()
		if err != nil || len(page) == 0 {
			return err
		}
		for _, a := range page {
			i, ok, err := s.item(a)
			if err != nil {
				return err
			}
			s.upto.Attached = a.Number
			if !ok || s.skip.attached(a.Number) || s.add(i) {
				continue
			}
			s.more = true
			return nil
		}
		s.upto.Attached = last
	}
}

// nextAttachments returns the next attachments of all spaces that machines share, by number, and
// the number up to which they are complete.
func (s *stream) nextAttachments() (page []store.Attachment, last int64, err error) {
	spaces := append(attachmentSpaces(), machineSpace, markSpace, itemSpace, vault.LessonSpace)
	last = s.upto.Attached
	cut := int64(0)
	for _, space := range spaces {
		some, err := s.r.Attachments(store.AttachmentFilter{Space: space}, s.upto.Attached, pageSize)
		if err != nil {
			return nil, 0, err
		}
		if len(some) == 0 {
			continue
		}
		end := some[len(some)-1].Number
		// A short page may not be the last one: a page of large attachments is short.
		if cut == 0 || end < cut {
			if rest, err := s.r.Attachments(store.AttachmentFilter{Space: space}, end, 1); err != nil {
				return nil, 0, err
			} else if len(rest) > 0 {
				cut = end
			}
		}
		last, page = max(last, end), append(page, some...)
	}
	if cut != 0 {
		last = cut
		page = slices.DeleteFunc(page, func(a store.Attachment) bool { return a.Number > cut })
	}
	slices.SortFunc(page, func(a, b store.Attachment) int { return cmp.Compare(a.Number, b.Number) })
	return page, last, nil
}

// item returns the item of an attachment. ok is false if there is nothing to send.
func (s *stream) item(a store.Attachment) (i replica.Item, ok bool, err error) {
	switch a.Space {
	case machineSpace:
		m, err := replica.Decode[replica.Machine](a.Data)
		if err != nil || m.Verify(s.owner) != nil { // an earlier key of the owner's has signed it
			return i, false, err
		}
		return replica.Item{Kind: replica.KindMachine, Key: a.Key, Data: a.Data}, true, nil
	case markSpace:
		return replica.Item{Kind: replica.KindErasure, Key: a.Key, Data: a.Data}, true, nil
	case itemSpace:
		return s.contents.item(newCollectionReader(s.r, s.imports), a)
	case vault.LessonSpace:
		i, ok = lessonItem(a)
		return i, ok, nil
	}
	return attachmentItem(a, s.imports), true, nil
}
