package replicate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
)

const skipSpace = "replica.skip"

// span is a range of this machine's stream that came from a remote and is unchanged since:
// what follows the first numbers up to the second.
type span struct{ fromChange, toChange, fromAttached, toAttached int64 }

// skips are the spans of one remote.
type skips []span

func readSkips(r store.Reader, remote string) (all skips, err error) {
	return all, vault.EachBeside(r, store.AttachmentFilter{Space: skipSpace}, func(a store.Attachment) error {
		if before(a.Key) != remote {
			return nil
		}
		var s span
		if _, err := fmt.Fscan(strings.NewReader(string(a.Data)), &s.fromChange, &s.toChange, &s.fromAttached, &s.toAttached); err != nil {
			return err
		}
		all = append(all, s)
		return nil
	})
}

func (s skips) changes(n int64) bool {
	return slices.ContainsFunc(s, func(x span) bool { return x.fromChange < n && n <= x.toChange })
}

func (s skips) attached(n int64) bool {
	return slices.ContainsFunc(s, func(x span) bool { return x.fromAttached < n && n <= x.toAttached })
}

// setSkip notes a span of a remote. It joins it to the one before, if nothing came between,
// so that a first synchronisation in many messages leaves one.
func (t *tx) setSkip(remote string, s span) error {
	if s.fromChange == s.toChange && s.fromAttached == s.toAttached {
		return nil
	}
	key := remote + "\x00" + fmt.Sprint(s.fromChange, " ", s.fromAttached)
	return put(t.w, store.Attachment{Space: skipSpace, Key: key, Data: []byte(fmt.Sprint(s.fromChange, s.toChange, s.fromAttached, s.toAttached))})
}
