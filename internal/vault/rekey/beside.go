package rekey

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// copyAttachments copies the attachments, except for keys that the new owner uses for
// something else. The records are there by then, under their ids.
func (k *keyChange) copyAttachments(ctx context.Context) error {
	return k.eachAttachment(ctx, func(list []store.Attachment) error {
		for i := range list {
			list[i].Import = k.imports[list[i].Import]
		}
		return k.kernel.Bare().Update(ctx, k.to.DID(), func(w store.Writer) error {
			_, err := w.AttachAll(list)
			return err
		})
	})
}

// verifyAttachments checks that the new owner has all of the old owner's attachments.
// The program's own owner may have had others under the same keys.
func (k *keyChange) verifyAttachments(ctx context.Context) error {
	return k.eachAttachment(ctx, func(list []store.Attachment) error {
		return k.kernel.Bare().View(ctx, k.to.DID(), func(r store.Reader) error {
			for _, a := range list {
				now, err := r.Attached(a.Space, a.Key, 0)
				if err == nil && k.to.DID() != k.kernel.Home() && !k.sameAttachment(now, a) {
					err = errors.New("it says something else")
				}
				if err != nil {
					return &memory.Error{Kind: memory.Internal, Op: "rekey", Err: err,
						Message: "what stands beside the records did not arrive under the new owner as it was; nothing was erased"}
				}
			}
			return nil
		})
	})
}

// sameAttachment compares attachments of the new owner. What is sealed is compared as it opens.
func (k *keyChange) sameAttachment(x, y store.Attachment) bool {
	if vault.IsSealed(x.Data) && vault.IsSealed(y.Data) {
		a, errA := vault.OpenNote(&k.to, x)
		b, errB := vault.OpenNote(&k.to, y)
		if errA == nil && errB == nil {
			x, y = a, b
		}
	}
	return x.From == y.From && x.To == y.To && bytes.Equal(x.Data, y.Data)
}

// detachAll removes what copyAttachments wrote for an owner who has other attachments
// too: all that is equal.
func (k *keyChange) detachAll(ctx context.Context) error {
	return k.eachAttachment(ctx, func(list []store.Attachment) error {
		return k.kernel.Bare().Update(ctx, k.to.DID(), func(w store.Writer) error {
			for _, a := range list {
				held, err := w.Attached(a.Space, a.Key, 0)
				if err == nil && k.sameAttachment(held, a) {
					err = w.Detach(a.Space, a.Key)
				}
				if err != nil && !errors.Is(err, store.ErrNotFound) {
					return err
				}
			}
			return nil
		})
	})
}

// eachAttachment calls do with every page of the old owner's attachments, in the form
// for the new owner, space by space, in the order of their numbers.
func (k *keyChange) eachAttachment(ctx context.Context, do func([]store.Attachment) error) error {
	var spaces []string
	err := k.kernel.Bare().View(ctx, k.from, func(r store.Reader) (err error) {
		spaces, err = r.Spaces()
		return err
	})
	for _, space := range spaces {
		if space == vault.EditionSpace && k.to.DID() == k.kernel.Home() {
			continue // the new owner's memory keeps its edition
		}
		if space == vault.MeaningPlaceSpace {
			continue // the new owner has other sequence numbers
		}
		if strings.HasPrefix(space, "replica.") && space != vault.ForkSpace && space != vault.KeptSpace {
			continue // the new owner's machines pair again
		}
		for after := int64(0); err == nil; {
			var list []store.Attachment
			err = k.kernel.Bare().View(ctx, k.from, func(r store.Reader) (err error) {
				list, err = r.Attachments(store.AttachmentFilter{Space: space}, after, k.kernel.Batch())
				return err
			})
			if err != nil || len(list) == 0 {
				break
			}
			after = list[len(list)-1].Number
			if list, err = k.carriedOver(space, list); err == nil {
				err = errors.Join(do(list), ctx.Err())
			}
		}
	}
	if err == nil && slices.Contains(spaces, vault.DeniedSpace) {
		err = do(k.ownDenials())
	}
	return err
}
