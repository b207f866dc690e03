package replicate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
)

const skipSpace = "count.skip"

// span is a range of this machine's stream that came from a remote: the changes and attachments
// after the first number, up to the second.
type span struct{ fromChange, toChange, fromAttached, toAttached int64 }

// skips are spans of one remote, in their order. None begins before the one before it ends.
type skips []span

// readSkips returns the spans of a remote that were stored after a place in the stream. Older
// spans end before the place. last is the number of the last span of any remote.
func readSkips(r store.Reader, remote string, after replica.Position) (all skips, last int64, err error) {
	last = after.Attached
	for {
		page, err := r.Attachments(store.AttachmentFilter{Space: skipSpace}, last, pageSize)
		if err != nil || len(page) == 0 {
			return all, last, err
		}
		for _, a := range page {
			if before(a.Key) != remote {
				continue
			}
			s, err := readSpan(a.Data)
			if err != nil {
				return nil, last, err
			}
			all = append(all, s)
		}
		last = page[len(page)-1].Number
	}
}

// changes reports whether a change came from the remote.
func (s skips) changes(n int64) bool {
	at, _ := slices.BinarySearchFunc(s, n, func(x span, n int64) int { return cmp.Compare(x.toChange, n) })
	return at < len(s) && s[at].fromChange < n
}

// attached reports whether an attachment came from the remote.
func (s skips) attached(n int64) bool {
	at, _ := slices.BinarySearchFunc(s, n, func(x span, n int64) int { return cmp.Compare(x.toAttached, n) })
	return at < len(s) && s[at].fromAttached < n
}

// setSkip stores a span of a remote at the end of a join. It extends the span of the join before,
// if nothing was written between them. So a first sync in many messages leaves one span.
func (t *tx) setSkip(remote string, s span) error {
	if s.fromChange == s.toChange && s.fromAttached+1 == s.toAttached {
		return nil // the join wrote only the attachments of number
	}
	a, err := t.w.Attached(stateSpace, lastSkip, 0)
	if err == nil && a.Number+1 == s.fromAttached {
		if was, err := readSpan(a.Data); err == nil && strings.HasSuffix(string(a.Data), " "+remote) && was.toChange == s.fromChange {
			s.fromChange, s.fromAttached = was.fromChange, was.fromAttached
		}
	}
	if err = vault.NotFoundIsNone(err); err != nil {
		return err
	}
	data := fmt.Append(nil, s.fromChange, s.toChange, s.fromAttached, s.toAttached)
	if err := store.PutAttachment(t.w, store.Attachment{Space: skipSpace, Key: skipKey(remote, s), Data: data}); err != nil {
		return err
	}
	return store.PutAttachment(t.w, store.Attachment{Space: stateSpace, Key: lastSkip, Data: fmt.Append(nil, string(data), " ", remote)})
}

// lastSkip is the key in stateSpace of the last stored span, with its remote.
const lastSkip = "last skip"

func readSpan(data []byte) (s span, err error) {
	_, err = fmt.Fscan(strings.NewReader(string(data)), &s.fromChange, &s.toChange, &s.fromAttached, &s.toAttached)
	return s, err
}

func skipKey(remote string, s span) string {
	return remote + "\x00" + fmt.Sprint(s.fromChange, " ", s.fromAttached)
}
