package pam

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// writer writes a memory store. Memories lie in a spool, in canonical form, until the
// members of the whole document are known, and which memory has replaced which.
type writer struct {
	out   io.Writer
	spool codec.Spool
	maker
	owner     memory.DID
	producer  string
	lying     []spooledMemory
	size      int64
	ids       map[string]bool      // of memories
	named     map[memory.ID]string // the memory of a record
	relations []outRelation
	sessions  []session
	numbers   map[string]int // of sessions
	envelope  canon.Value
	losses    []codec.Loss
}

// spooledMemory is a memory in the spool.
type spooledMemory struct {
	id       string
	at, size int64
	next     memory.ID // the record that replaced it
}

// outRelation is a relation to write; to is its target record, if known.
type outRelation struct {
	value canon.Value
	at    float64
	to    memory.ID
}

// session is a conversation that memories come from.
type session struct {
	id, platform string
	first        time.Time
	memories     []canon.Value
}

var _ codec.Writer = (*writer)(nil)

func create(out io.Writer, opt codec.Options) (codec.Writer, error) {
	spool, err := opt.NewSpool()
	if err != nil {
		return nil, fmt.Errorf("make room for the memories: %w", err)
	}
	w := &writer{out: out, spool: spool, owner: opt.Owner, producer: opt.Producer, ids: map[string]bool{}, named: map[memory.ID]string{}, numbers: map[string]int{}, maker: newMaker(opt)}
	return w, nil
}

// Write adds the memory of a record.
func (w *writer) Write(r memory.Record) error {
	w.owner = cmp.Or(w.owner, r.Scope.Owner)
	status := r.Lifecycle.Status.Or()
	expiry, limited := r.Expiry()
	switch {
	case status != memory.Active, limited && !w.now.Before(expiry):
		w.lose(r, "", lossLeft)
		return nil
	case strings.TrimSpace(r.Body.Text) == "":
		w.lose(r, "", lossText)
		return nil
	}
	residue, _ := codec.Residue(r, formatName)
	v, whose := w.rendered(r, residue)
	again, ok := remapped(v, w.owner, whose)
	if !ok {
		w.lose(r, "", lossUnread)
		return nil
	}
	id := v.Get("id").Text()
	w.ids[id], w.named[r.ID] = true, id
	w.account(r, again, residue, v)
	w.relate(r, id, residue)
	w.file(r, id, v.Get("provenance").Get("platform").Text())
	if e := residue.Get("envelope"); e.Type() == canon.TypeObject && w.envelope.Type() == canon.TypeUndefined {
		w.envelope = e
	}
	m := spooledMemory{id: id, at: w.size}
	if len(r.SupersededBy) > 0 {
		m.next = r.SupersededBy[0]
	}
	text := v.AppendCanonical(nil)
	m.size = int64(len(text))
	w.lying = append(w.lying, m)
	w.size += m.size
	if _, err := w.spool.Write(text); err != nil {
		return fmt.Errorf("write the memories: %w", err)
	}
	return nil
}

func (w *writer) lose(r memory.Record, pointer, reason string) {
	w.losses = append(w.losses, codec.Loss{ID: r.ID, Pointer: pointer, Reason: reason})
}

// account reports the data of a record that does not come back.
func (w *writer) account(r, again memory.Record, residue, v canon.Value) {
	if _, id := cameFrom(r); id == "" || residue.Len() == 0 {
		residue = w.beside(again, v)
	}
	if residue.Len() > 0 {
		again = codec.WithResidue(again, formatName, residue)
	}
	for _, l := range codec.RoundTripLosses(r, again) {
		switch {
		case l.Pointer == "/id":
			l.Reason = lossID
		case l.Pointer == "/body/structured":
			l.Reason = lossBeside
		case strings.HasPrefix(l.Pointer, "/relations") && !strings.Contains(l.Pointer, "entity:"):
			l.Reason = w.relationLoss(r, l)
		}
		w.losses = append(w.losses, l)
	}
}

// relationLoss distinguishes written relations from those without a place in PAM.
func (w *writer) relationLoss(r memory.Record, l codec.Loss) string {
	for _, rel := range r.Relations {
		if strings.HasPrefix(rel.Target, "entity:") {
			return l.Reason
		}
	}
	return lossRelation
}

// file records which conversation a memory comes from.
func (w *writer) file(r memory.Record, id, platform string) {
	if r.Scope.Session == "" {
		return
	}
	i, known := w.numbers[r.Scope.Session]
	if !known {
		i = len(w.sessions)
		w.numbers[r.Scope.Session] = i
		w.sessions = append(w.sessions, session{id: r.Scope.Session, platform: platform, first: r.Time.Created})
	}
	s := &w.sessions[i]
	s.memories = append(s.memories, canon.String(id))
	if r.Time.Created.Before(s.first) {
		s.first = r.Time.Created
	}
}

// Losses returns the data that the document does not hold.
func (w *writer) Losses() []codec.Loss { return w.losses }
