package stored

import (
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
)

// Stretch is the numbers from First to Last.
type Stretch struct{ First, Last int64 }

// AttachmentPage reads pages of attachments.
type AttachmentPage struct {
	// Max is how many attachments a page holds at most.
	Max int
	// Staged are the runs of table staged to leave out, in their order.
	Staged []Stretch
	// Read passes at most limit attachments of a stretch to yield, in the order of their
	// numbers. genuine reports whether the row is as the store wrote it. Read stops at an
	// error of yield and returns it.
	Read func(s Stretch, limit int, yield func(a store.Attachment, genuine bool) error) error
}

// After returns the attachments after a number. It reads one stretch after the other until
// it finds some, see [store.Attachments].
func (p AttachmentPage) After(number int64) ([]store.Attachment, error) {
	var found []store.Attachment
	size := 0
	for size < PageSize && len(found) < p.Max {
		s := p.stretch(number)
		if s.First > s.Last {
			break
		}
		limit, seen := p.Max-len(found), 0
		err := p.Read(s, limit, func(a store.Attachment, genuine bool) error {
			seen, number = seen+1, a.Number
			if !genuine {
				return nil
			}
			found, size = append(found, a), size+len(a.Data)
			if size >= PageSize {
				return errEnough
			}
			return nil
		})
		switch {
		case errors.Is(err, errEnough):
		case err != nil:
			return nil, err
		case seen < limit:
			number = s.Last
		}
	}
	return found, nil
}

var errEnough = errors.New("enough")

// stretch returns the next numbers after one, up to the next gap.
func (p AttachmentPage) stretch(after int64) Stretch {
	next := Stretch{min(max(after, 0), AttachmentBase-1) + 1, AttachmentBase - 1}
	for _, r := range p.Staged {
		from, to := r.First-AttachmentBase, r.Last-AttachmentBase
		switch {
		case to < next.First:
		case from <= next.First:
			next.First = to + 1
		default:
			return Stretch{next.First, from - 1}
		}
	}
	return next
}
