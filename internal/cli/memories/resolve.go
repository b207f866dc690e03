package memories

import (
	"context"
	"slices"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
)

// newest returns the latest remembered version of a memory: id itself if there is no later
// one.
func newest(o *cli.Session, ctx context.Context, id memory.ID) (memory.ID, error) {
	versions, err := o.History(ctx, o.Caller(), id)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(versions, func(rec memory.Record) bool { return rec.ID == id })
	for _, rec := range slices.Backward(versions[at+1:]) {
		if len(rec.SupersededBy) == 0 && rec.Lifecycle.Status.Or() == memory.Active {
			return rec.ID, nil
		}
	}
	return id, nil
}
