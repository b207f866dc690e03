package machines

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/peer"
	"github.com/satchel-memory/satchel/internal/vault/replicate"
	"github.com/satchel-memory/satchel/memory"
)

// satchel pair gives the new machine a copy of its database, once, if the store holds this owner
// alone. The new machine then need not verify and index each memory. It trusts that machine: it has
// just taken the owner's key from it.

const (
	copyPath   = "/copy"
	copyHeader = "Satchel-Copy"        // a copyHead in JSON
	copySum    = "Satchel-Copy-Sha256" // trailer: the digest of the database, so that one cut short is refused
)

// copyHead describes a copy.
type copyHead struct {
	From   memory.DID       `json:"from"`   // the machine that made it
	Stream replica.Position `json:"stream"` // the beginning of that machine's stream
}

// errNoCopy: the other machine gives no copy.
var errNoCopy = errors.New("the other machine gives no copy of its store")

// answerCopy answers /copy for the new machine.
func (p *pairingHost) answerCopy(w http.ResponseWriter, r *http.Request) {
	if err := p.admit(r.Header.Get(peer.TicketHeader)); err != nil {
		peer.Refuse(w, err)
		return
	}
	defer p.release()
	p.mu.Lock()
	again := p.copied
	p.mu.Unlock()
	if again || p.RequireAlone(r.Context()) != nil {
		http.NotFound(w, r)
		return
	}
	p.mu.Lock()
	p.copied = true
	p.mu.Unlock()
	if err := p.sendCopy(r.Context(), w); err != nil {
		p.app.Detail("%s got no copy of the store, and gets its memory in packs: %s", cli.Clean(p.joined.Name), cli.Describe(err))
		panic(http.ErrAbortHandler) // so that the other machine sees that something is missing
	}
}

// sendCopy sends a copy of the database.
func (p *pairingHost) sendCopy(ctx context.Context, w http.ResponseWriter) error {
	head := copyHead{From: p.memory.Self().ID}
	var err error
	if _, head.Stream, _, err = p.memory.Since(ctx, "", replica.Position{}, 1); err != nil {
		return err
	}
	said, err := json.Marshal(head)
	if err != nil {
		return err
	}
	w.Header().Set(copyHeader, string(said))
	w.Header().Set("Content-Type", "application/vnd.sqlite3")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Trailer", copySum)
	sum := sha256.New()
	// Compressed it would be a fifth as long. But machines that pair stand near each other, and
	// to compress takes longer than to send.
	err = p.CopyAlone(ctx, io.MultiWriter(sum, &patientWriter{p, w, http.NewResponseController(w)}))
	if err = errors.Join(err, ctx.Err()); err == nil {
		w.Header().Set(copySum, hex.EncodeToString(sum.Sum(nil)))
	}
	return err
}

// scanAhead scans for changes while the owner types the code: the copy needs that, and the first
// scan of a large memory takes seconds. The caller has to call stop.
func (p *pairingHost) scanAhead() (stop func()) {
	ctx, cancel := context.WithCancel(p.app.Ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if p.certificate != nil {
			_, _, _, _ = p.memory.Since(ctx, "", replica.Position{}, 1) // whoever needs it does it again, and says why it fails
		}
	}()
	return func() { cancel(); <-done }
}

// patientWriter sends to a machine that may be slow, but goes on reading.
type patientWriter struct {
	p       *pairingHost
	to      io.Writer
	control *http.ResponseController
}

// Write fails if the other machine does not read for [httpkit.Patience].
func (s *patientWriter) Write(b []byte) (int, error) {
	_ = s.control.SetWriteDeadline(time.Now().Add(httpkit.Patience)) // a connection without deadlines ends with the command
	n, err := s.to.Write(b)
	s.p.mu.Lock()
	s.p.lastSeen = time.Now()
	s.p.mu.Unlock()
	return n, err
}

// Copy writes a copy of the other machine's database, of at most so many bytes. It fails if the
// other machine gives none, or not all of it.
func (j *JoinedMachine) Copy(a *cli.App, to io.Writer, most int64) error {
	if !j.address.temporary {
		return errNoCopy
	}
	ctx, stop := context.WithCancel(a.Ctx)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(j.address.url, "/")+copyPath, http.NoBody)
	if err != nil {
		return err
	}
	r.Header.Set(peer.TicketHeader, j.Ticket)
	response, err := withoutRedirects(j.transport(func() []byte { return j.Certificate })).Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errNoCopy
	}
	var head copyHead
	if err := json.Unmarshal([]byte(response.Header.Get(copyHeader)), &head); err != nil {
		return fmt.Errorf("the other machine does not say what it copies: %w", err)
	}
	silence := time.AfterFunc(httpkit.Patience, stop)
	defer silence.Stop()
	progress := a.ProgressIn("copied", "bytes")
	defer progress.End()
	sum, done := sha256.New(), 0
	heard := writerFunc(func(b []byte) (int, error) {
		silence.Reset(httpkit.Patience)
		done += len(b)
		progress.Reached(done)
		return len(b), nil
	})
	n, err := io.Copy(io.MultiWriter(to, sum, heard), io.LimitReader(response.Body, most+1))
	if err == nil && n > most {
		err = fmt.Errorf("the other machine's store has more than %d MiB, and there is no room for it", most>>20)
	}
	if err != nil {
		return err
	}
	want, err := hex.DecodeString(response.Trailer.Get(copySum))
	if err != nil || subtle.ConstantTimeCompare(want, sum.Sum(nil)) == 0 {
		return errors.New("the copy of the store is not whole")
	}
	j.copied = &head
	return nil
}

// writerFunc is a function as an io.Writer.
type writerFunc func([]byte) (int, error)

// Write calls the function.
func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// Part makes a store that holds the copy this machine's own, see [replicate.Part].
func (j *JoinedMachine) Part(a *cli.App, s cli.Engine) error {
	from := j.copied.From
	return replicate.Part(a.Ctx, s, j.Owner.DID(), from, peer.RemoteName(from), func(upto replica.Position) ([]byte, error) {
		upto.Rest = j.copied.Stream.Rest
		return json.Marshal(peer.Known{Joined: upto})
	})
}
