package host

import (
	"slices"

	"github.com/satchel-memory/satchel/memory"
)

// mostPieces is how many pieces of an answer wait for a listener. What does not fit is lost to
// it: the answer is among the events of the run.
const mostPieces = 256

// Text returns the pieces of answers as models say them (AAIF-4.6-9), of a run that this
// process executes, until stop is called. They are what a model said, before anything was held
// to the rules of the definition; of an agent with constraints there are none.
func (h *Host) Text(c memory.Caller, id string) (pieces <-chan string, stop func()) {
	at, to := place{c.Owner, id}, make(chan string, mostPieces)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hearing[at] = append(h.hearing[at], to)
	return to, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		left := slices.DeleteFunc(h.hearing[at], func(one chan string) bool { return one == to })
		if h.hearing[at] = left; len(left) == 0 {
			delete(h.hearing, at)
		}
	}
}

// say tells listeners a piece of an answer.
func (h *Host) say(owner memory.DID, id, piece string) {
	if h.opt.OnText != nil {
		h.opt.OnText(id, piece)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, to := range h.hearing[place{owner, id}] {
		select {
		case to <- piece:
		default:
		}
	}
}
