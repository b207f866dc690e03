package umphttp

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// edition returns an edition of the present state, made if need be, to be given
// back with leave; nil where the service does not tell when something changes.
func (h *Handler) edition(ctx context.Context, d document) (*edition, error) {
	watcher, ok := h.backend.(ump.Watcher)
	if !ok || h.options.Owner == "" {
		return nil, nil
	}
	stranger := memory.Caller{Owner: h.options.Owner}
	// An edition that is newer than its number is made anew once too often; one
	// that is older would be handed out for the present one.
	head, err := watcher.Head(ctx, stranger)
	if err != nil {
		return nil, nil // reading the records will say why
	}
	if e := h.press.take(d.lines, head); e != nil {
		return e, nil
	}
	select { // one makes it, for all who wait
	case h.press.busy[d.lines] <- struct{}{}:
		defer func() { <-h.press.busy[d.lines] }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if head, err = watcher.Head(ctx, stranger); err != nil {
		return nil, nil
	}
	if e := h.press.take(d.lines, head); e != nil {
		return e, nil
	}
	return h.print(ctx, d, head)
}

// print makes an edition.
func (h *Handler) print(ctx context.Context, d document, head int64) (*edition, error) {
	h.press.retire(d.lines, nil)
	e := &edition{head: head, holders: 1}
	done := false
	defer func() {
		if !done {
			h.press.leave(e)
		}
	}()
	_, err := write(ctx, edited{e, h.press}, d.lines, h.published)
	if errors.Is(err, errNoRoom) {
		none := &edition{head: head, holders: 1, large: true}
		h.press.publish(d.lines, none)
		return none, nil
	}
	if done = err == nil; !done {
		return nil, err
	}
	h.press.publish(d.lines, e)
	return e, nil
}

// hand writes an edition.
func (h *Handler) hand(w http.ResponseWriter, r *http.Request, d document, e *edition) error {
	d.announce(w.Header())
	size := 0
	for _, piece := range e.pieces {
		size += len(piece)
	}
	w.Header().Set("Content-Length", strconv.Itoa(size))
	for _, piece := range e.pieces {
		err := r.Context().Err()
		if err == nil {
			_, err = w.Write(piece)
		}
		if err != nil {
			h.options.Report(r, err)
			panic(http.ErrAbortHandler)
		}
	}
	return nil
}
