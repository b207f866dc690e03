package peer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/pack"
	"github.com/satchel-memory/satchel/memory"
)

// Client syncs with another machine.
type Client struct {
	Side
	URL  string // of the other Satchel, see [CheckAddress]
	HTTP *http.Client
	// Ticket is sent with each request, see [TicketHeader]; empty: none.
	Ticket string
	// Machine is the machine that answered last; empty: unknown. It saves a round trip. Sync
	// sets it.
	Machine memory.DID
	// Progress is called after each round trip; nil: not called.
	Progress func(Report)
	// Patience is how long one round trip may take; 0: three minutes.
	Patience time.Duration
}

// patience is enough for a pack in each direction over a slow line.
const patience = 3 * time.Minute

// errSilent: the other machine did not answer in time.
var errSilent = errors.New("the other machine did not answer in time; satchel sync tries again")

// Report says what an exchange did.
type Report struct {
	replica.Joined
	Sent   int // items that this machine sent
	Rounds int // round trips
}

// The failures of Sync besides faults.
var (
	// errAddress: others could read what is sent to the address.
	errAddress = errors.New("an address of another Satchel begins with https://, or with http:// and a name of this machine")
	// errNoSync: what answers there is no Satchel, or has no such owner.
	errNoSync = errors.New("no Satchel of this owner takes part there; if the owner's key was changed, satchel pair there lets this machine join again")
)

// CheckAddress fails unless an address is https, or http on this machine, so that others can
// neither read nor change what is sent there.
func CheckAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "https" && (u.Scheme != "http" || !httpkit.OnThisMachine(u)) {
		return errAddress
	}
	return nil
}

// Sync exchanges messages until both machines have all items. If Sync fails, what was joined
// until then stays. The error is a [*Refusal] if the other machine refuses a pack, or wraps a
// [replica.Fault] if this one refuses an answer.
func (c *Client) Sync(ctx context.Context) (r Report, err error) {
	if err := CheckAddress(c.URL); err != nil {
		return r, err
	}
	var last [2]replica.Position
	for stuck := 0; ; {
		before := c.Machine
		asked, err := c.newMessage(ctx, before)
		if err != nil {
			return r, err
		}
		if before != "" {
			k, err := ReadKnown(ctx, c.Remotes, before)
			if err == nil {
				err = c.addItems(ctx, &asked, k.Has)
			}
			if err != nil {
				return r, err
			}
		}
		answer, from, err := c.ask(ctx, asked)
		if err != nil {
			return r, err
		}
		joined, upto, err := c.joinMessage(ctx, answer)
		if err != nil {
			return r, err
		}
		given := answer.Have[c.Author.Self.ID]
		if err := c.saveKnown(ctx, from.ID, upto, given); err != nil {
			return r, err
		}
		r.Joined.Add(joined)
		r.Sent, r.Rounds, c.Machine = r.Sent+len(asked.Items), r.Rounds+1, from.ID
		if c.Progress != nil {
			c.Progress(r)
		}
		more, err := c.hasMore(ctx, answer, upto, given)
		if err != nil || !more {
			return r, err
		}
		if now := [2]replica.Position{upto, given}; now != last {
			last, stuck = now, 0
		} else if stuck++; stuck > 2 { // neither machine goes on
			return r, errStuck
		}
	}
}

// hasMore reports whether another round trip is needed.
func (c *Client) hasMore(ctx context.Context, answer replica.Message, upto, given replica.Position) (bool, error) {
	if answer.More || upto != answer.Upto {
		return true, nil
	}
	_, last, _, err := c.Memory.Since(ctx, RemoteName(answer.From), given, 1)
	return last != given, err
}

// ask sends a message, and returns the answer and its author.
func (c *Client) ask(ctx context.Context, asked replica.Message) (answer replica.Message, from replica.Machine, err error) {
	sealed, err := c.seal(ctx, asked)
	if err != nil {
		return answer, from, err
	}
	got, err := c.post(ctx, sealed)
	if err != nil {
		return answer, from, err
	}
	reader, err := c.reader(ctx)
	if err != nil {
		return answer, from, err
	}
	if answer, from, err = pack.Open(got, reader); err != nil {
		return answer, from, err
	}
	if answer.To != c.Author.Self.ID || from.ID == c.Author.Self.ID {
		return answer, from, replica.ErrNotForUs
	}
	return answer, from, nil
}

// seal makes the pack of a message. A machine that knows no other sends a request without the
// message.
func (c *Client) seal(ctx context.Context, asked replica.Message) ([]byte, error) {
	to, err := c.others(ctx)
	switch {
	case err != nil:
		return nil, err
	case len(to) == 0:
		return pack.SealWithSecret(purposeRequest, nil, c.Author, c.Secret)
	}
	return pack.Seal(asked, c.Author, to)
}

// mostRefusal is how many bytes of a refusal are read.
const mostRefusal = 64 << 10

func (c *Client) post(ctx context.Context, sealed []byte) ([]byte, error) {
	ctx, stop := context.WithTimeoutCause(ctx, cmp.Or(c.Patience, patience), errSilent)
	defer stop()
	got, err := c.exchange(ctx, sealed)
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		return nil, errSilent
	}
	return got, err
}

func (c *Client) exchange(ctx context.Context, sealed []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(c.URL, "/")+Path, bytes.NewReader(sealed))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", Media)
	r.Header.Set(OwnerHeader, string(c.Author.Owner))
	if c.Ticket != "" {
		r.Header.Set(TicketHeader, c.Ticket)
	}
	response, err := c.HTTP.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, refusal(response)
	}
	got, err := io.ReadAll(io.LimitReader(response.Body, pack.MaxSealed+1))
	if err == nil && len(got) > pack.MaxSealed {
		err = replica.ErrTooLarge
	}
	return got, err
}

// refusal reads the error of another machine: a [*Refusal], or another error.
func refusal(response *http.Response) error {
	var s refusalBody
	data, err := io.ReadAll(io.LimitReader(response.Body, mostRefusal))
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	switch {
	case err == nil && isFault(s.Error.Details.Fault):
		return &Refusal{s.Error.Details.Fault}
	case response.StatusCode == http.StatusNotFound || response.StatusCode == http.StatusMethodNotAllowed:
		return errNoSync
	}
	return fmt.Errorf("the other machine answers %s", response.Status)
}

// isFault reports whether this release knows a fault.
func isFault(f replica.Fault) bool { return f != "" && f.Error() != string(f) }

// Refusal means that another machine found a fault in what this one sent.
type Refusal struct{ Fault replica.Fault }

// Error describes the refusal for people, and says what to do.
func (r *Refusal) Error() string {
	switch r.Fault {
	case replica.ErrUnknown:
		return "the other machine does not know this one: accept it there with satchel devices accept, or pair it"
	case replica.ErrRemoved:
		return "the owner has removed this machine: it gets nothing any more"
	case replica.ErrForeign:
		return "the other machine has another owner, or the owner's key was changed there: pair this machine again"
	case replica.ErrNotForUs:
		return "the other machine cannot read what this one sends: each must know the other, see satchel devices"
	}
	return "the other machine refuses: " + r.Fault.Error()
}

// Is reports whether the fault is target.
func (r *Refusal) Is(target error) bool { return target == r.Fault }
