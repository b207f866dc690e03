package meaning

import (
	"errors"

	"github.com/satchel-memory/satchel/internal/embed"
	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// vectors are an owner's vectors in memory. The numbers of attachments rise, and the change
// feed names what was erased; so a snapshot's vectors follow from those of an earlier one.
type vectors struct {
	number int64 // of the settings; 0: nothing was read
	matrix embed.Matrix
	last   int64 // number of the last attachment that was read
	change int64 // sequence number of the last change that was read
}

const (
	mostFound   = 1024    // documents that a search returns
	vectorPage  = 4096    // vectors that are read at once
	changePage  = 512     // changes that are read at once
	mostChanges = 20_000  // after more, all vectors are read anew
	mostMemory  = 1 << 30 // bytes of vectors of all owners
)

// search finds the documents closest to a vector. Similarities rise from 0, for texts as
// similar as unrelated ones are to the model, to 1.
func (s *Service) search(owner memory.DID, c current, r store.Reader, q embed.Vector, apart bool) ([]recall.Near, string, error) {
	matrix, ready, err := s.synced(owner, c, r)
	if err != nil {
		return nil, "", err
	}
	if !ready {
		return nil, "the vectors of your memories are still being read" + byWords, nil
	}
	found := matrix.Nearest(q, mostFound, c.Floor, apart)
	near := make([]recall.Near, len(found))
	for i, m := range found {
		near[i] = recall.Near{Doc: recall.Doc(m.Doc), Similarity: (m.Cosine - c.Floor) / (1 - c.Floor)}
	}
	return near, "", nil
}

// synced returns the vectors of a snapshot. It is not ready while another call reads many.
func (s *Service) synced(owner memory.DID, c current, r store.Reader) (m embed.Matrix, ready bool, err error) {
	o := s.of(owner)
	if !o.reading.TryLock() {
		return m, false, nil
	}
	defer o.reading.Unlock()
	v := &o.vectors
	if v.number == c.number {
		if err := v.follow(r); err != nil {
			return m, false, err
		}
	}
	if v.number != c.number {
		*v = vectors{number: c.number, matrix: embed.NewMatrix(c.Dim)}
		if v.change, err = r.Head(); err != nil {
			*v = vectors{}
			return m, false, err
		}
	}
	if err := v.add(r, c.space()); err != nil {
		*v = vectors{}
		return m, false, err
	}
	s.limit(owner)
	return v.matrix, true, nil
}

// add reads the vectors that were attached since.
func (v *vectors) add(r store.Reader, space string) error {
	for {
		page, err := r.Attachments(store.AttachmentFilter{Space: space}, v.last, vectorPage)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, a := range page {
			v.last = a.Number
			if x, err := embed.ParseVector(a.Data); err == nil {
				_ = v.matrix.Add(a.Document, x) // one of another length answers nothing
			}
		}
	}
}

// follow drops the vectors that the changes since removed. If there were too many, it
// drops all.
func (v *vectors) follow(r store.Reader) error {
	gone := map[int64]bool{}
	for read := 0; ; {
		page, err := r.Changes(v.change, changePage)
		if err != nil {
			return err
		}
		for _, c := range page {
			v.change = c.Sequence
			switch c.Type {
			case store.Erased, store.ErasedPrivately:
				gone[c.First] = true
			case store.Tombstoned:
				row, err := r.Row(c.ID)
				switch {
				case err == nil:
					gone[row.Number] = true
				case !errors.Is(err, store.ErrNotFound):
					return err
				}
			case store.Undone, store.Moved:
				read = mostChanges
			}
		}
		if read += len(page); read > mostChanges {
			*v = vectors{}
			return nil
		}
		if len(page) < changePage {
			break
		}
	}
	if len(gone) > 0 {
		v.matrix = v.matrix.Without(gone)
	}
	return nil
}

// limit drops the vectors of other owners while all take too much memory.
func (s *Service) limit(but memory.DID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := 0
	for owner, o := range s.owners {
		if owner == but || o.reading.TryLock() {
			total += o.vectors.matrix.Bytes()
			if owner != but {
				o.reading.Unlock()
			}
		}
	}
	for owner, o := range s.owners {
		if total <= mostMemory {
			return
		}
		if owner != but && o.reading.TryLock() {
			total -= o.vectors.matrix.Bytes()
			o.vectors = vectors{}
			o.reading.Unlock()
		}
	}
}
