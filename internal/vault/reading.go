package vault

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/redact"
)

// The journal of readings says which memories assistants were given: the owner's own, and the
// bearers of tokens, whose reads the audit log counts as well. Unlike that log it can be
// erased, and a memory that is erased leaves it. See table readings of package stored.

// Limits of the journal.
const (
	readingsLast  = 90 * 24 * time.Hour
	mostReadings  = 50_000                 // of an owner; earlier ones are dropped when they are pruned
	pruneEvery    = 24 * time.Hour         // for an owner whose assistants read
	readingFor    = 500 * time.Millisecond // after the first reading they are written
	maxReadings   = 256                    // told apart until they are written
	readMemories  = 256                    // named in one reading
	maxQuestion   = 2000                   // bytes
	maxReaderName = 200                    // bytes of a host or a project, which strangers choose
)

// settingSpace holds what the owner has switched on. A key is there, or it is not.
const settingSpace = "setting"

// questionsKey has the questions of assistants kept.
const questionsKey = "questions"

// KeepsQuestions reports whether the owner has the questions of assistants kept.
func KeepsQuestions(r store.Reader) (bool, error) {
	_, err := r.Attached(settingSpace, questionsKey, 0)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// KeepQuestions has the questions of assistants kept from now on, or no longer.
func KeepQuestions(w store.Writer, keep bool) error {
	if !keep {
		return NotFoundIsNone(w.Detach(settingSpace, questionsKey))
	}
	_, err := store.Attach(w, store.Attachment{Space: settingSpace, Key: questionsKey})
	if errors.Is(err, store.ErrExists) {
		return nil
	}
	return err
}

// inquiry is the question that a reading answers.
type inquiry struct{ way, project, text string }

// readingKey is what readings that count as one have in common.
type readingKey struct {
	owner       memory.DID
	host, token string
	inquiry
}

// heldReading is a reading that is not written yet.
type heldReading struct {
	readingKey
	at           time.Time
	times, given int
	ids          []memory.ID
}

// readings keeps readings for a moment, so that no answer waits for a write.
type readings struct {
	journal *journal

	mu    sync.Mutex
	held  map[readingKey]*heldReading
	timer *time.Timer

	writing sync.Mutex // held while readings are written, so that Flush waits for them
}

// noteGiven notes that a caller was given memories, or found none: for the audit log, see
// noteRead, and for the journal of readings.
func (j *journal) noteGiven(c memory.Caller, a inquiry, ids ...memory.ID) {
	j.noteRead(c, a.way, ids...)
	j.noteReading(c, a, ids...)
}

// noteReading notes that an assistant was given memories, or found none. A caller is an
// assistant if it is neither the owner in person nor a stranger.
func (j *journal) noteReading(c memory.Caller, a inquiry, ids ...memory.ID) {
	if j.readOnly || c.Owner == "" || c.Role != memory.Agent && c.Role != memory.Peer {
		return
	}
	key := readingKey{owner: c.Owner, host: excerpt(c.Agent, maxReaderName), inquiry: inquiry{a.way, excerpt(a.project, maxReaderName), excerpt(a.text, maxQuestion)}}
	if g := c.Grant; g != nil {
		key.token = g.ID
		if g.Runtime != nil && key.host == "" {
			key.host = excerpt(g.Runtime.Name, maxReaderName)
		}
	}
	j.readings.add(key, Instant(j.now()), ids)
}

// excerpt cuts a text to so many bytes, between runes.
func excerpt(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && text[most]&0xC0 == 0x80 {
		most--
	}
	return text[:most]
}

func (q *readings) add(key readingKey, at time.Time, ids []memory.ID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.held == nil {
		q.held = map[readingKey]*heldReading{}
	}
	if q.held[key] == nil && len(q.held) >= maxReadings {
		key.project, key.text = "", ""
		if q.held[key] == nil && len(q.held) >= 2*maxReadings {
			return
		}
	}
	r := q.held[key]
	if r == nil {
		r = &heldReading{readingKey: key, at: at}
		q.held[key] = r
	}
	r.times++
	r.given += len(ids)
	for _, id := range ids {
		if id != "" && len(r.ids) < readMemories && !slices.Contains(r.ids, id) {
			r.ids = append(r.ids, id)
		}
	}
	if q.timer == nil {
		q.timer = time.AfterFunc(readingFor, func() { q.write(context.Background()) })
	}
}

// write stores what was held.
func (q *readings) write(ctx context.Context) {
	q.writing.Lock()
	defer q.writing.Unlock()
	q.mu.Lock()
	held := q.held
	q.held, q.timer = nil, nil
	q.mu.Unlock()
	byOwner := map[memory.DID][]*heldReading{}
	for key, r := range held {
		byOwner[key.owner] = append(byOwner[key.owner], r)
	}
	for owner, list := range byOwner {
		slices.SortFunc(list, func(a, b *heldReading) int { return a.at.Compare(b.at) })
		var before, after store.Sum
		err := q.journal.store.Update(ctx, owner, func(w store.Writer) (err error) {
			if before, err = w.Sum(); err == nil {
				err = q.put(w, list)
			}
			if err == nil {
				after, err = w.Sum()
			}
			return err
		})
		if err == nil {
			q.journal.recalls.follow(owner, before, after)
		} else if !errors.Is(err, store.ErrReadOnly) {
			q.journal.log.Error("vault", "op", "note readings", "err", err)
		}
	}
}

// put writes readings of an owner, without the questions unless they are kept.
func (q *readings) put(w store.Writer, list []*heldReading) error {
	keeps, err := KeepsQuestions(w)
	if err != nil {
		return err
	}
	var rows []store.Reading
	places := map[readingKey]int{}
	for _, r := range list {
		key := r.readingKey
		if !keeps {
			key.text = ""
		}
		i, known := places[key]
		if !known {
			i, places[key] = len(rows), len(rows)
			rows = append(rows, store.Reading{At: r.at, Nonce: rand.Int64(), Way: key.way, Host: key.host, Token: key.token, Project: key.project, Question: masked(key.text)})
		}
		rows[i].Times += r.times
		rows[i].Given += r.given
		if err := nameMemories(w, &rows[i], r.ids); err != nil {
			return err
		}
	}
	return errors.Join(w.ReadingKeeper().PutReadings(rows), w.Schedule(store.Prune, list[len(list)-1].at.Add(pruneEvery)))
}

// masked returns a question without keys, tokens and passwords.
func masked(question string) string {
	redact.Mask(&question)
	return question
}

// nameMemories adds the numbers of those memories that exist still.
func nameMemories(r store.Reader, to *store.Reading, ids []memory.ID) error {
	for _, id := range ids {
		if len(to.Memories) == readMemories {
			return nil
		}
		number, err := r.Document(id)
		switch {
		case errors.Is(err, store.ErrNotFound):
		case err != nil:
			return err
		case !slices.Contains(to.Memories, number):
			to.Memories = append(to.Memories, number)
		}
	}
	return nil
}

// flush writes what is held now.
func (q *readings) flush(ctx context.Context) {
	q.mu.Lock()
	if q.timer != nil {
		q.timer.Stop()
	}
	q.mu.Unlock()
	q.write(ctx)
}

// pruneReadings drops the old readings of the owners who are said to have some.
func (v jobRunner) pruneReadings(ctx context.Context) error {
	return v.eachDue(ctx, pruning, func(owner memory.DID) error {
		by := Instant(v.now()).Add(-readingsLast)
		return v.unasked(ctx, pruning, owner, func(w store.Writer) error { return w.ReadingKeeper().DropReadings(by, mostReadings) })
	}, func(r store.Reader) (time.Time, error) {
		first, err := r.Readings().FirstReading()
		if err != nil || first.IsZero() {
			return time.Time{}, err
		}
		return first.Add(readingsLast), nil
	})
}
