package replicate

import (
	"errors"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

const (
	stateSpace = vault.MachineStateSpace
	factSpace  = "replica.facts"
	markSpace  = vault.ErasureMarkSpace
)

// tx is a transaction on the memory of an owner.
type tx struct {
	*Memory
	w        store.Writer
	now      time.Time
	edition  string
	scanned  int64                        // up to this change the feed was scanned
	erasures map[string]replica.Erasure   // by mark
	facts    map[memory.ID]replica.Record // cache of factsOf
	factual  factList
	imports  importKeys
	places   map[int64]string // cache of placeOf
	forked   idSet            // lineages that may have several current versions now
	unlinked map[string]bool  // entities whose link could not be stored
	touched  idSet            // records for settle
	agents   map[string]bool  // ids of agents of which a join changed definitions
}

func (m *Memory) begin(w store.Writer) (*tx, error) {
	t := &tx{Memory: m, w: w, now: vault.Instant(m.kernel.Now()), erasures: map[string]replica.Erasure{}, facts: map[memory.ID]replica.Record{},
		places: map[int64]string{}, unlinked: map[string]bool{}, agents: map[string]bool{}}
	var err error
	if t.edition, err = vault.EditionOf(w); err != nil {
		return nil, err
	}
	if t.scanned, err = scannedTo(w); err != nil {
		return nil, err
	}
	err = vault.EachBeside(w, store.AttachmentFilter{Space: markSpace}, func(a store.Attachment) error {
		g, err := replica.Decode[replica.Erasure](a.Data)
		t.erasures[a.Key] = g
		return err
	})
	return t, err
}

func scannedTo(r store.Reader) (int64, error) {
	a, err := r.Attached(stateSpace, vault.ScannedKey, 0)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(a.Data), 10, 64)
}

func (t *tx) setScanned(to int64) error {
	if to == t.scanned {
		return nil
	}
	t.scanned = to
	return store.PutAttachment(t.w, store.Attachment{Space: stateSpace, Key: vault.ScannedKey, Data: strconv.AppendInt(nil, to, 10)})
}

// mark returns the keyed mark of a record's id.
func (m *Memory) mark(id memory.ID) string { return replica.ErasureMark(m.secret, id) }

// isErased reports whether a record is erased.
func (t *tx) isErased(id memory.ID) bool {
	return len(t.erasures) > 0 && t.erasures[t.mark(id)].Erased()
}

func (t *tx) setErasure(mark string, g replica.Erasure) error {
	t.erasures[mark] = g
	return store.PutAttachment(t.w, store.Attachment{Space: markSpace, Key: mark, Data: replica.Encode(g)})
}

// factsOf returns the facts of a record, without what its row holds.
func (t *tx) factsOf(id memory.ID) (replica.Record, error) {
	if f, ok := t.facts[id]; ok {
		return f, nil
	}
	f, err := t.factual.of(t.w, id)
	if err == nil {
		t.facts[id] = f
	}
	return f, err
}

func factsIn(r store.Reader, id memory.ID) (replica.Record, error) {
	a, err := r.Attached(factSpace, string(id), 0)
	if errors.Is(err, store.ErrNotFound) {
		return replica.Record{}, nil
	}
	if err != nil {
		return replica.Record{}, err
	}
	return replica.Decode[replica.Record](a.Data)
}

// setFacts stores the facts of a record, without what its row holds.
func (t *tx) setFacts(id memory.ID, f replica.Record) error {
	f.Origin, f.Import, f.Lineage = nil, "", ""
	if isPlain(f) {
		if was, err := t.factsOf(id); err != nil || isPlain(was) {
			return err
		}
	}
	t.facts[id] = f
	t.factual.add(id)
	return store.PutAttachment(t.w, store.Attachment{Space: factSpace, Key: string(id), From: id, Data: replica.Encode(f)})
}

// factList tells which records have facts, once somebody has asked often: most have none.
type factList struct {
	asked int
	has   map[memory.ID]bool // nil: unknown, or too many
}

// oftenAsked is after how many questions the list is read.
const oftenAsked = 64

// of returns the facts of a record.
func (l *factList) of(r store.Reader, id memory.ID) (replica.Record, error) {
	if l.asked++; l.asked == oftenAsked {
		if err := l.read(r); err != nil {
			return replica.Record{}, err
		}
	}
	if l.has != nil && !l.has[id] {
		return replica.Record{}, nil
	}
	return factsIn(r, id)
}

func (l *factList) read(r store.Reader) error {
	page, err := r.Attachments(store.AttachmentFilter{Space: factSpace}, 0, pageSize)
	if err != nil || len(page) == pageSize {
		return err
	}
	has := map[memory.ID]bool{}
	last := int64(0)
	for _, a := range page {
		has[memory.ID(a.Key)], last = true, a.Number
	}
	// There may be more after a short page: its attachments are large.
	more, err := r.Attachments(store.AttachmentFilter{Space: factSpace}, last, 1)
	if err == nil && len(more) == 0 {
		l.has = has
	}
	return err
}

func (l *factList) add(id memory.ID) {
	if l.has != nil {
		l.has[id] = true
	}
}

// isPlain reports whether there are no facts.
func isPlain(f replica.Record) bool {
	return f.Shell == nil && f.Base == nil && len(f.Forgets)+len(f.Undone)+len(f.Ends)+len(f.Evidence)+len(f.Relations) == 0
}

// later reports whether records are written in the later edition.
func (t *tx) later() bool { return t.edition == ump.LaterEdition }

// idSet is a queue that holds each id once.
type idSet struct {
	list []memory.ID
	has  map[memory.ID]bool
}

func (s *idSet) add(ids ...memory.ID) {
	if s.has == nil {
		s.has = map[memory.ID]bool{}
	}
	for _, id := range ids {
		if !s.has[id] {
			s.has[id] = true
			s.list = append(s.list, id)
		}
	}
}

// next removes and returns the first id.
func (s *idSet) next() (id memory.ID, ok bool) {
	if len(s.list) == 0 {
		return "", false
	}
	id, s.list = s.list[0], s.list[1:]
	delete(s.has, id)
	return id, true
}
