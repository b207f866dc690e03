package vault

import (
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
)

// besidePage is how many attachments are held at once.
const besidePage = 256

// EachBeside hands on the attachments that f chooses, in their order.
func EachBeside(r store.Reader, f store.AttachmentFilter, do func(store.Attachment) error) error {
	for after := int64(0); ; {
		page, err := r.Attachments(f, after, besidePage)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, a := range page {
			if err := do(a); err != nil {
				return err
			}
		}
		after = page[len(page)-1].Number
	}
}

// NotFoundIsNone returns err, and nil where it says that something was not found.
func NotFoundIsNone(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// ErrStopped ends a walk whose result nobody waits for.
var ErrStopped = errors.New("stopped")
