package pages_test

import (
	"context"

	"github.com/satchel-memory/satchel/memory"
)

// changed is a [pages.Changer] that remembers what it was asked for.
type changed struct {
	erased []memory.ID
}

func (f *changed) Erase(_ context.Context, _ memory.Caller, id memory.ID) (bool, error) {
	f.erased = append(f.erased, id)
	return true, nil
}
