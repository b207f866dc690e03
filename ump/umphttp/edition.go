package umphttp

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// edition returns an edition of the present state and makes it if necessary. The
// caller releases it. It is nil if the service does not report changes.
func (h *Handler) edition(ctx context.Context, d document) (*edition, error) {
	watcher, ok := h.backend.(ump.Watcher)
	if !ok || h.options.Owner == "" {
		return nil, nil
	}
	stranger := memory.Caller{Owner: h.options.Owner}
	// Read the number before the records. An edition newer than its number is only made
	// once too often; an older one would pass for the present state.
	head, err := watcher.Head(ctx, stranger)
	if err != nil {
		return nil, nil // reading the records fails with the reason
	}
	if e := h.editions.acquire(d.lines, head); e != nil {
		return e, nil
	}
	select { // one request makes the edition, the others wait for it
	case h.editions.busy[d.lines] <- struct{}{}:
		defer func() { <-h.editions.busy[d.lines] }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if head, err = watcher.Head(ctx, stranger); err != nil {
		return nil, nil
	}
	if e := h.editions.acquire(d.lines, head); e != nil {
		return e, nil
	}
	return h.makeEdition(ctx, d, head)
}

// makeEdition makes an edition and publishes it.
func (h *Handler) makeEdition(ctx context.Context, d document, head int64) (*edition, error) {
	h.editions.retire(d.lines, nil)
	e := &edition{head: head, holders: 1}
	done := false
	defer func() {
		if !done {
			h.editions.release(e)
		}
	}()
	_, err := write(ctx, editionWriter{e, h.editions}, d.lines, h.published)
	if errors.Is(err, errNoRoom) {
		none := &edition{head: head, holders: 1, large: true}
		h.editions.publish(d.lines, none)
		return none, nil
	}
	if done = err == nil; !done {
		return nil, err
	}
	h.editions.publish(d.lines, e)
	return e, nil
}

// sendEdition writes an edition as the answer.
func (h *Handler) sendEdition(w http.ResponseWriter, r *http.Request, d document, e *edition) error {
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
