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
	ctx, stop := context.WithCancel(ctx)
	var ahead chan roundTrip // brings the items after the answer that is joined meanwhile; nil: nothing
	defer func() {
		if stop(); ahead != nil {
			<-ahead
		}
	}()
	var last [2]replica.Position
	trip := roundTrip{}
	for stuck := 0; ; {
		trip = c.next(ctx, trip.from, ahead)
		if ahead = nil; trip.err != nil {
			return r, trip.err
		}
		if trip.answer.More {
			ahead = c.askAhead(ctx, trip)
		}
		joined, upto, err := c.joinMessage(ctx, trip.answer)
		if err != nil {
			return r, err
		}
		given := trip.answer.Have[c.Author.Self.ID]
		if err := c.saveKnown(ctx, trip.from.ID, upto, given); err != nil {
			return r, err
		}
		if ahead != nil && upto != trip.answer.Upto { // the items of ahead do not follow
			<-ahead
			ahead = nil
		}
		r.Joined.Add(joined)
		r.Sent, r.Rounds, c.Machine = r.Sent+trip.sent, r.Rounds+trip.rounds, trip.from.ID
		if c.Progress != nil {
			c.Progress(r)
		}
		more, err := c.hasMore(ctx, trip.answer, upto, given)
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

// roundTrip is a request and its answer, or several whose answers follow each other.
type roundTrip struct {
	answer replica.Message
	from   replica.Machine
	sent   int // items
	rounds int
	err    error
}

// next returns the round trip of ahead, or makes one that sends new items. before is the machine
// that answered before; zero: none did.
func (c *Client) next(ctx context.Context, before replica.Machine, ahead chan roundTrip) (t roundTrip) {
	if ahead != nil {
		if t = <-ahead; t.err == nil { // items that were joined meanwhile may have removed the machine
			r, err := c.reader(ctx)
			t.err = errors.Join(err, r.Check(t.from))
		}
		return t
	}
	asked, err := c.newMessage(ctx, c.Machine)
	if err == nil && c.Machine != "" {
		var k Known
		if k, err = ReadKnown(ctx, c.Remotes, c.Machine); err == nil {
			err = c.addItems(ctx, &asked, k.Has)
		}
	} else if err == nil { // it says no more than which stream this is
		var first replica.Position
		_, first, _, err = c.Memory.Since(ctx, "", replica.Position{}, 1)
		asked.After.Rest, asked.Upto.Rest = first.Rest, first.Rest
	}
	if err != nil {
		return roundTrip{err: err}
	}
	return c.ask(ctx, asked, before)
}

// together is how many answers askAhead puts together. A store joins many items at once faster, up
// to about as many as it indexes at once.
const together = 2

// askAhead asks for the items after an answer that this machine has not joined yet.
func (c *Client) askAhead(ctx context.Context, t roundTrip) chan roundTrip {
	ahead := make(chan roundTrip, 1)
	go func() {
		asked, err := c.newMessage(ctx, t.from.ID)
		if err != nil {
			ahead <- roundTrip{err: err}
			return
		}
		asked.After = t.answer.Have[c.Author.Self.ID]
		asked.Upto, asked.Begin = asked.After, t.answer.Upto
		got := c.ask(ctx, asked, t.from)
		for n := 1; n < together && got.err == nil && got.answer.More; n++ {
			asked.Begin = got.answer.Upto
			more := c.ask(ctx, asked, t.from)
			if more.err != nil || !got.add(more.answer) {
				break // the next request fails too, or asks again
			}
		}
		ahead <- got
	}()
	return ahead
}

// add adds an answer that follows, and reports whether it does.
func (t *roundTrip) add(next replica.Message) bool {
	if next.From != t.answer.From || next.After != t.answer.Upto {
		return false
	}
	t.rounds++
	next.Items, next.After = append(t.answer.Items, next.Items...), t.answer.After
	t.answer = next
	return true
}

// hasMore reports whether another round trip is needed.
func (c *Client) hasMore(ctx context.Context, answer replica.Message, upto, given replica.Position) (bool, error) {
	if answer.More || upto != answer.Upto {
		return true, nil
	}
	_, last, _, err := c.Memory.Since(ctx, RemoteName(answer.From), given, 1)
	return last != given, err
}

// ask makes one round trip. before is as in next.
func (c *Client) ask(ctx context.Context, asked replica.Message, before replica.Machine) (t roundTrip) {
	sealed, err := c.seal(ctx, asked, before)
	if err != nil {
		return roundTrip{err: err}
	}
	got, err := c.post(ctx, sealed)
	if err != nil {
		return roundTrip{err: err}
	}
	reader, err := c.reader(ctx)
	if err != nil {
		return roundTrip{err: err}
	}
	t.sent, t.rounds = len(asked.Items), 1
	t.answer, t.from, t.err = pack.Open(got, reader)
	if t.err == nil && (t.answer.To != c.Author.Self.ID || t.from.ID == c.Author.Self.ID) {
		t.err = replica.ErrNotForUs
	}
	return t
}

// seal makes the pack of a message. A machine that knows no other sends a request without the
// message, until a machine has answered.
func (c *Client) seal(ctx context.Context, asked replica.Message, before replica.Machine) ([]byte, error) {
	to, err := c.others(ctx)
	switch {
	case err != nil:
		return nil, err
	case len(to) == 0 && before.ID != "":
		to = []replica.Machine{before}
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
