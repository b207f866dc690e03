package peer

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/pack"
)

// Host answers other machines of an owner.
type Host struct {
	Side
	// Asked is told of a machine that the owner's key has signed and that nobody here knows,
	// so that the owner may accept it. nil: nobody is told.
	Asked func(replica.Machine)
}

// Answer is what an answered request did.
type Answer struct {
	Sealed []byte // the pack that answers it
	From   replica.Machine
	Joined replica.Joined
	Whole  bool // the other machine has all of this memory once it has joined the answer
}

// Answer joins what a pack holds, and answers it. Its errors are those of [pack.Open] and
// those of the memory.
func (h Host) Answer(ctx context.Context, sealed []byte) (a Answer, err error) {
	reader, err := h.reader(ctx)
	if err != nil {
		return a, err
	}
	reader.Machines = append(reader.Machines, h.Author.Self) // who answers knows whom
	asked, from, err := h.open(sealed, reader)
	if errors.Is(err, replica.ErrUnknown) && h.Asked != nil {
		h.Asked(from)
	}
	if err != nil {
		return a, err
	}
	if asked.To != "" && asked.To != h.Author.Self.ID || from.ID == h.Author.Self.ID {
		return a, replica.ErrNotForUs
	}
	var joined replica.Position
	if a.Joined, joined, err = h.take(ctx, asked); err != nil {
		return a, err
	}
	if a.From, err = h.part(ctx, from.ID); err != nil { // the items may have removed it
		return a, err
	}
	has := asked.Have[h.Author.Self.ID]
	if err = h.note(ctx, from.ID, joined, has); err != nil {
		return a, err
	}
	out, err := h.message(ctx, from.ID)
	if err == nil {
		err = h.fill(ctx, &out, has)
	}
	if err == nil {
		a.Sealed, err = pack.Seal(out, h.Author, []replica.Machine{a.From})
	}
	a.Whole = !out.More && out.Upto == out.After
	return a, err
}

// open reads a message, or the request of a machine that knows no other: it stands for a
// message without items.
func (h Host) open(sealed []byte, reader pack.Reader) (replica.Message, replica.Machine, error) {
	m, from, err := pack.Open(sealed, reader)
	if !errors.Is(err, replica.ErrNotForUs) && !errors.Is(err, replica.ErrAltered) {
		return m, from, err
	}
	_, asking, failed := pack.OpenWithSecret(purposeRequest, sealed, reader, h.Secret)
	if asking.ID == "" { // it is none
		return m, from, err
	}
	return replica.Message{Owner: h.Author.Owner, From: asking.ID}, asking, failed
}
