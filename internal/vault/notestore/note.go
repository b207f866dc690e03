package notestore

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Name tells a note apart from all others of its agent.
type Name struct {
	Agent   string // id of the agent
	Run     string // the run with which the note ends; empty: it lasts beyond
	Scope   string // user, session, task or long_term
	User    string // the person; empty: the owner, or for long_term nobody in particular
	Session string
	Key     string
}

// space returns where the note's attachment is.
func (n Name) space() string {
	if n.Run != "" {
		return vault.RunNoteSpace + n.Run
	}
	return vault.AgentNoteSpace + n.Agent
}

// seedKey returns the key of the attachment that says that a definition's content was written.
func (n Name) seedKey() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "satchel seed 1\x00%q", []string{n.Agent, n.Run, n.Scope, n.User, n.Session, n.Key}))
	return seedMark + hex.EncodeToString(sum[:16])
}

// seedMark begins the keys of attachments that are no notes.
const seedMark = "seed "

// Note is what an agent remembers under a name.
type Note struct {
	Name
	Text string
	By   string    // id of the run that wrote it
	At   time.Time // when
	Ends time.Time // when it expires; zero: never
	// Record is the record that holds the text; empty: none does. Confirmed: the owner confirmed
	// it.
	Record    memory.ID
	Confirmed bool
	Sealed    bool // its attachment is sealed under the owner's key

	id    string    // key of its attachment
	row   store.Row // of Record
	alive bool      // it has not expired, and the owner did not reject or erase it
}

// noteData is what an attachment says of a note.
type noteData struct {
	Agent   string    `json:"agent"`
	Scope   string    `json:"scope"`
	User    string    `json:"user,omitempty"`
	Session string    `json:"session,omitempty"`
	Key     string    `json:"key"`
	Text    string    `json:"text,omitempty"`
	By      string    `json:"by,omitempty"`
	At      time.Time `json:"at"`
	Ends    time.Time `json:"ends,omitzero"`
}

// attachment returns the attachment of a note.
func (s *Service) attachment(owner memory.DID, n Note) (store.Attachment, error) {
	d := noteData{n.Agent, n.Scope, n.User, n.Session, n.Key, n.Text, n.By, n.At, n.Ends}
	if n.Record != "" {
		d.Text = ""
	}
	raw, err := json.Marshal(d)
	if err != nil {
		return store.Attachment{}, err
	}
	a := store.Attachment{Space: n.space(), Key: n.id, From: n.Record, Data: raw}
	if !n.Sealed {
		return a, nil
	}
	return vault.SealNote(s.kernel.Holder(owner), a)
}

// note reads an attachment. One that is no note gives the zero Note.
func (s *Service) note(r store.Reader, a store.Attachment, now time.Time) (n Note, err error) {
	if strings.HasPrefix(a.Key, seedMark) {
		return Note{}, nil
	}
	sealed := vault.IsSealed(a.Data)
	if a, err = vault.OpenNote(s.kernel.Holder(r.Owner()), a); err != nil {
		return Note{}, err
	}
	var d noteData
	if err := json.Unmarshal(a.Data, &d); err != nil {
		return Note{}, fmt.Errorf("a note is not readable: %w", err)
	}
	run, ofRun := strings.CutPrefix(a.Space, vault.RunNoteSpace)
	if !ofRun {
		run = ""
	}
	n = Note{Name: Name{d.Agent, run, d.Scope, d.User, d.Session, d.Key}, Text: d.Text, By: d.By, At: d.At, Ends: d.Ends, Sealed: sealed, id: a.Key}
	if a.From != "" {
		return s.ofRecord(r, n, a.From, now)
	}
	n.alive = !n.expired(now)
	return n, nil
}

func (n Note) expired(now time.Time) bool { return !n.Ends.IsZero() && !now.Before(n.Ends) }

// mostVersions bounds how often a record was revised.
const mostVersions = 1000

// ofRecord completes a note with its record as it is now: the owner may have confirmed,
// changed or rejected it.
func (s *Service) ofRecord(r store.Reader, n Note, id memory.ID, now time.Time) (Note, error) {
	for range mostVersions {
		row, err := r.Row(id)
		if errors.Is(err, store.ErrNotFound) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		rec, damage, err := s.kernel.Read(r, row)
		if damage != nil || err != nil {
			return n, err
		}
		if len(rec.SupersededBy) > 0 && rec.Lifecycle.Status != memory.Tombstoned {
			id = rec.SupersededBy[len(rec.SupersededBy)-1]
			continue
		}
		end, ends := rec.Expiry()
		gone := rec.Lifecycle.Status == memory.Tombstoned || ends && !now.Before(end) || !rec.Time.ValidTo.IsZero() && !now.Before(rec.Time.ValidTo)
		n.Record, n.Text, n.row = rec.ID, rec.Body.Text, row
		n.Confirmed = rec.Lifecycle.Status.Or() == memory.Active
		n.alive = !gone && !n.expired(now)
		return n, nil
	}
	return n, nil
}
