package peer

import (
	"cmp"
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/pack"
)

// Host answers the other machines of an owner.
type Host struct {
	Side
	// Asked is called with a machine that asks to take part: its entry is signed, but this
	// machine does not know it. The owner may accept it. nil: not called.
	Asked func(replica.Machine)
}

// Answer is the answer to a request.
type Answer struct {
	Sealed []byte          // the pack to send
	From   replica.Machine // that sent the request
	Joined replica.Joined
	Whole  bool // with this answer, the other machine has all of this machine's items
}

// Answer joins the items of a request, and returns the answer. Errors are those of [pack.Open]
// and of the memory. It fails with [replica.ErrNotForUs] if the request is for another machine,
// and with [replica.ErrRemoved] if its items remove its author.
func (h Host) Answer(ctx context.Context, sealed []byte) (a Answer, err error) {
	reader, err := h.reader(ctx)
	if err != nil {
		return a, err
	}
	reader.Machines = append(reader.Machines, h.Author.Self) // so that a host without other machines refuses unknown ones too
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
	if a.Joined, joined, err = h.joinMessage(ctx, asked); err != nil {
		return a, err
	}
	if a.From, err = h.member(ctx, from.ID); err != nil { // the items may have removed it
		return a, err
	}
	has := asked.Have[h.Author.Self.ID]
	if err = h.saveKnown(ctx, from.ID, joined, has); err != nil {
		return a, err
	}
	out, err := h.newMessage(ctx, from.ID)
	if err == nil {
		err = h.addItems(ctx, &out, cmp.Or(asked.Begin, has))
	}
	if err == nil {
		a.Sealed, err = pack.Seal(out, h.Author, []replica.Machine{a.From})
	}
	a.Whole = !out.More && out.Upto == out.After && out.After == has
	return a, err
}

// open reads a message, or the request of a machine that knows no other. It returns such a
// request as a message without items.
func (h Host) open(sealed []byte, reader pack.Reader) (replica.Message, replica.Machine, error) {
	m, from, err := pack.Open(sealed, reader)
	if !errors.Is(err, replica.ErrNotForUs) && !errors.Is(err, replica.ErrAltered) {
		return m, from, err
	}
	_, asking, failed := pack.OpenWithSecret(purposeRequest, sealed, reader, h.Secret)
	if asking.ID == "" { // it is no such request
		return m, from, err
	}
	return replica.Message{Owner: h.Author.Owner, From: asking.ID}, asking, failed
}
