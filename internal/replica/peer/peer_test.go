package peer_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/pack"
	"github.com/satchel-memory/satchel/internal/replica/peer"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// device is a machine with a memory of texts that only unite.
type device struct {
	self     replica.Machine
	key      keys.Private
	identity string

	mu       sync.Mutex
	log      []entry
	has      map[string]bool
	machines map[memory.DID]replica.Machine
	remotes  map[string][]byte
	stream   byte
	asked    []string
	broken   error                          // of Join
	pause    time.Duration                  // before Join
	entries  map[memory.DID]replica.Machine // what items of machines say
}

type entry struct {
	item replica.Item
	from string // the remote
}

func ownerKey(t testing.TB) keys.Private {
	t.Helper()
	return keyOf(t, "owner")
}

func keyOf(t testing.TB, name string) keys.Private {
	t.Helper()
	seed := sha256.Sum256([]byte(name))
	k, err := keys.FromSeed(seed[:])
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func newDevice(t testing.TB, name string, texts ...string) *device {
	t.Helper()
	identity, recipient, err := pack.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	d := &device{key: keyOf(t, name), identity: identity, has: map[string]bool{}, machines: map[memory.DID]replica.Machine{}, remotes: map[string][]byte{}}
	d.self = replica.Machine{ID: d.key.DID(), Name: name, Recipient: recipient, Added: time.Unix(1, 0).UTC()}.Proven(d.key).Signed(ownerKey(t))
	d.machines[d.self.ID] = d.self
	for _, text := range texts {
		d.add(text)
	}
	return d
}

func (d *device) add(text string) { d.take(replica.Item{Kind: "text", Key: text}, "") }

func (d *device) take(i replica.Item, from string) bool {
	if d.has[i.Key] {
		return false
	}
	d.has[i.Key] = true
	d.log = append(d.log, entry{i, from})
	return true
}

// know makes machines know each other.
func know(all ...*device) {
	for _, d := range all {
		for _, o := range all {
			d.machines[o.self.ID] = o.self
		}
	}
}

func (d *device) Self() replica.Machine { return d.self }

func (d *device) Machines(context.Context) (all []replica.Machine, _ error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.machines {
		all = append(all, m)
	}
	return all, nil
}

func (d *device) Since(_ context.Context, remote string, after replica.Position, most int) (items []replica.Item, upto replica.Position, more bool, _ error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if id := [16]byte{1, d.stream}; after.Rest != id {
		after = replica.Position{Rest: id}
	}
	upto = after
	for at := int(after.Changes); at < len(d.log); at++ {
		if d.log[at].from != remote || remote == "" {
			if len(items) > 0 && most < len(d.log[at].item.Key) || len(items) == 3 { // so that there are several portions
				return items, upto, true, nil
			}
			most -= len(d.log[at].item.Key)
			items = append(items, d.log[at].item)
		}
		upto.Changes = int64(at + 1)
	}
	return items, upto, false, nil
}

func (d *device) Join(_ context.Context, remote string, m replica.Message) (j replica.Joined, _ error) {
	time.Sleep(d.pause)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.broken != nil {
		return j, d.broken
	}
	for _, i := range m.Items {
		if i.Kind == "machine" {
			d.machines[memory.DID(i.Key)] = d.entries[memory.DID(i.Key)]
		}
		if d.take(i, remote) {
			j.Added++
		}
	}
	return j, nil
}

func (d *device) Erased(context.Context, replica.Position) ([]string, replica.Position, error) {
	return nil, replica.Position{}, nil
}

func (d *device) Marks([]replica.Item) []string { return nil }

func (d *device) Marked(_ context.Context, items []replica.Item) ([]bool, error) {
	return make([]bool, len(items)), nil
}

func (d *device) Remote(_ context.Context, name string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.remotes[name], nil
}

func (d *device) SetRemote(_ context.Context, name string, was, now []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !bytes.Equal(d.remotes[name], was) {
		return replica.ErrBusy
	}
	d.remotes[name] = now
	return nil
}

func (d *device) side(t testing.TB) peer.Side {
	t.Helper()
	owner := ownerKey(t)
	return peer.Side{Memory: d, Remotes: d, Now: time.Now, Secret: owner.Secret(peer.SecretPurpose),
		Author: pack.Author{Owner: owner.DID(), Self: d.self, Key: d.key}, Reader: pack.Reader{Owner: owner.DID(), Identity: d.identity}}
}

// serve answers other machines at an address.
func (d *device) serve(t testing.TB) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		h := peer.Host{Side: d.side(t), Asked: func(m replica.Machine) { d.asked = append(d.asked, m.Name) }}
		var a peer.Answer
		if err == nil {
			a, err = h.Answer(r.Context(), body)
		}
		if err != nil {
			peer.Refuse(w, err)
			return
		}
		_, _ = w.Write(a.Sealed)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func (d *device) client(t testing.TB, url string) *peer.Client {
	t.Helper()
	return &peer.Client{Side: d.side(t), URL: url, HTTP: http.DefaultClient}
}

func (d *device) texts() string {
	var all []string
	for text := range d.has {
		all = append(all, text)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func TestSync(t *testing.T) {
	a, b := newDevice(t, "a", "1", "2", "3", "4", "5", "6", "7"), newDevice(t, "b", "8", "9", "10", "11")
	know(a, b)
	c := b.client(t, a.serve(t))
	r, err := c.Sync(t.Context())
	if err != nil || r.Added != 7 || r.Sent != 4 {
		t.Fatalf("%+v %v", r, err)
	}
	if a.texts() != b.texts() || len(a.has) != 11 {
		t.Errorf("%q and %q", a.texts(), b.texts())
	}
	if r, err = c.Sync(t.Context()); err != nil || r.Rounds != 1 || r.Sent+r.Added != 0 {
		t.Errorf("with nothing new: %+v %v", r, err)
	}
	a.add("12")
	b.add("13")
	if r, err = c.Sync(t.Context()); err != nil || r.Sent != 1 || r.Added != 1 || r.Rounds > 2 {
		t.Errorf("with one new text each: %+v %v", r, err)
	}
	c = b.client(t, c.URL) // which has forgotten whom it met
	if r, err = c.Sync(t.Context()); err != nil || r.Rounds != 1 || r.Sent+r.Added != 0 {
		t.Errorf("by another program: %+v %v", r, err)
	}
	if k, err := peer.ReadKnown(t.Context(), a, b.self.ID); err != nil || k.Has.Changes != int64(len(a.log)) || k.Met.IsZero() {
		t.Errorf("%+v %v: the host does not know that the other machine has all", k, err)
	}
}

// logCheckingDevice is a device that sees whether another one's audit log was cut.
type logCheckingDevice struct {
	*device
	cut bool
}

func (w *logCheckingDevice) LogHead(context.Context) ([]byte, error) { return []byte("head"), nil }

func (w *logCheckingDevice) CheckLogHead(context.Context, memory.DID, []byte) (bool, error) {
	cut := w.cut
	w.cut = false
	return cut, nil
}

func (w *logCheckingDevice) SendAgain(_ context.Context, remote string) error {
	for i := range w.log {
		if w.log[i].from == remote {
			w.log[i].from = ""
		}
	}
	return nil
}

// TestPutBack: a machine whose store was put back to an earlier copy tells what it got since, though
// its count says that the other one has that, and gets back what it had. So do two copies of a store.
func TestPutBack(t *testing.T) {
	for name, c := range map[string]struct{ asks, another bool }{
		"it asks": {true, false}, "it is asked": {false, false}, "it asks, and its stream is another": {true, true}, "it is asked, and its stream is another": {false, true},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := newDevice(t, "a", "1", "2", "3"), &logCheckingDevice{device: newDevice(t, "b", "x")}
			know(a, b.device)
			meet := func() {
				t.Helper()
				one, other := (&logCheckingDevice{device: a}).linked(t), b.linked(t)
				if !c.asks {
					one, other = other, one
				}
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, err := io.ReadAll(r.Body)
					var answer peer.Answer
					if err == nil {
						answer, err = peer.Host{Side: other}.Answer(r.Context(), body)
					}
					if err != nil {
						t.Error(err)
					}
					_, _ = w.Write(answer.Sealed)
				}))
				defer s.Close()
				if _, err := (&peer.Client{Side: one, URL: s.URL, HTTP: http.DefaultClient}).Sync(t.Context()); err != nil {
					t.Error(err)
				}
			}
			meet()
			earlier := &device{self: a.self, key: a.key, identity: a.identity, machines: a.machines, log: slices.Clone(a.log), has: maps.Clone(a.has), remotes: maps.Clone(a.remotes)}
			a.add("4")
			a.add("5")
			meet()
			a = earlier
			a.add("after")
			if b.cut = !c.another; c.another {
				a.stream = 1
			}
			meet()
			if want := "1 2 3 4 5 after x"; b.texts() != want || a.texts() != want {
				t.Errorf("%q and %q, want %q", a.texts(), b.texts(), want)
			}
		})
	}
}

// linked is the device's side with what it sees.
func (w *logCheckingDevice) linked(t *testing.T) peer.Side {
	s := w.device.side(t)
	s.Memory = w
	return s
}

// TestCutSync: wherever the way is cut, the next exchange goes on, and nothing is missing.
func TestCutSync(t *testing.T) {
	for n := range 6 {
		for _, delivered := range []bool{false, true} {
			a, b := newDevice(t, "a", "1", "2", "3", "4", "5"), newDevice(t, "b", "6", "7", "8", "9")
			know(a, b)
			c := b.client(t, a.serve(t))
			c.HTTP = &http.Client{Transport: &cut{at: n, delivered: delivered}}
			_, first := c.Sync(t.Context())
			c.HTTP = http.DefaultClient
			if r, err := c.Sync(t.Context()); err != nil || a.texts() != b.texts() || len(a.has) != 9 {
				t.Errorf("cut at %d (%v): %+v %v: %q and %q", n, first, r, err, a.texts(), b.texts())
			}
		}
	}
}

// cut is a way that breaks once, before or after a request is delivered.
type cut struct {
	at, n     int
	delivered bool
}

func (c *cut) RoundTrip(r *http.Request) (*http.Response, error) {
	at := c.n
	c.n++
	if at == c.at && !c.delivered {
		return nil, errors.New("cut")
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && at == c.at {
		err = errors.Join(errors.New("cut"), response.Body.Close())
		return nil, err
	}
	return response, err
}

// TestHave: a machine that comes back as it was long ago gets all again, and so does one
// that believes to have more than it has.
func TestHave(t *testing.T) {
	a, b := newDevice(t, "a", "1", "2", "3"), newDevice(t, "b")
	know(a, b)
	url := a.serve(t)
	if _, err := b.client(t, url).Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	old := newDevice(t, "b") // its store was put back, with what it knew of others
	old.identity, old.self = b.identity, b.self
	know(a, old)
	if _, err := old.client(t, url).Sync(t.Context()); err != nil || old.texts() != "1 2 3" {
		t.Errorf("%q %v", old.texts(), err)
	}
	a.remotes = map[string][]byte{} // the host forgets what it had joined
	old.add("4")
	c := old.client(t, url)
	c.Machine = a.self.ID
	if r, err := c.Sync(t.Context()); err != nil || !a.has["4"] {
		t.Errorf("%+v %v %q", r, err, a.texts())
	}
}

// TestRefused: who does not take part gets nothing, and hears why.
func TestRefused(t *testing.T) {
	a, b, gone, asking := newDevice(t, "a", "secret"), newDevice(t, "b"), newDevice(t, "gone"), newDevice(t, "asking")
	know(a, b, gone)
	removed := gone.self
	removed.Removed = time.Unix(2, 0).UTC()
	a.machines[gone.self.ID] = removed.Signed(ownerKey(t))
	url := a.serve(t)
	for name, c := range map[string]struct {
		by   *device
		want replica.Fault
	}{
		"removed": {gone, replica.ErrRemoved}, "alone": {asking, replica.ErrUnknown},
	} {
		if _, err := c.by.client(t, url).Sync(t.Context()); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if c.by.texts() != "" {
			t.Errorf("%s got %q", name, c.by.texts())
		}
	}
	asking.machines[a.self.ID] = a.self // signed by the owner's key, and unknown there
	if _, err := asking.client(t, url).Sync(t.Context()); !errors.Is(err, replica.ErrUnknown) {
		t.Error(err)
	}
	if !slices.Equal(a.asked, []string{"asking", "asking"}) {
		t.Errorf("%q asked", a.asked)
	}
	a.machines[asking.self.ID] = asking.self // the owner accepts it
	a.take(replica.Item{Kind: "machine", Key: string(a.self.ID)}, "")
	asking.entries = map[memory.DID]replica.Machine{a.self.ID: a.self}
	delete(asking.machines, a.self.ID)
	if _, err := asking.client(t, url).Sync(t.Context()); err != nil || !asking.has["secret"] {
		t.Errorf("accepted: %q %v", asking.texts(), err)
	}

	stranger := newDevice(t, "stranger") // of another owner
	other := keyOf(t, "another owner")
	stranger.self = stranger.self.Signed(other)
	stranger.machines[stranger.self.ID] = stranger.self
	c := stranger.client(t, url)
	c.Author.Owner, c.Reader.Owner, c.Author.Self, c.Secret = other.DID(), other.DID(), stranger.self, other.Secret(peer.SecretPurpose)
	if _, err := c.Sync(t.Context()); err == nil || stranger.texts() != "" {
		t.Errorf("another owner: %v, %q", err, stranger.texts())
	}
	if len(a.asked) != 2 {
		t.Errorf("%q asked", a.asked)
	}
}

// TestAcceptedMachineWithoutTheOthers: a machine that knows no other gets a memory of several
// portions, also if the last one tells it who the others are.
func TestAcceptedMachineWithoutTheOthers(t *testing.T) {
	a, b := newDevice(t, "a", "1", "2", "3", "4", "5", "6", "7"), newDevice(t, "b")
	a.machines[b.self.ID] = b.self
	a.take(replica.Item{Kind: "machine", Key: string(a.self.ID)}, "")
	b.entries = map[memory.DID]replica.Machine{a.self.ID: a.self}
	if r, err := b.client(t, a.serve(t)).Sync(t.Context()); err != nil || a.texts() != b.texts() {
		t.Errorf("%+v %v: %q", r, err, b.texts())
	}
}

// TestRemovedMeanwhile: what a machine answers ahead is not believed once what it had answered
// before has removed it.
func TestRemovedMeanwhile(t *testing.T) {
	a, b := newDevice(t, "a", "1", "2"), newDevice(t, "b")
	know(a, b)
	a.take(replica.Item{Kind: "machine", Key: string(a.self.ID)}, "")
	a.add("4")
	removed := a.self
	removed.Removed = time.Unix(2, 0).UTC()
	b.entries = map[memory.DID]replica.Machine{a.self.ID: removed.Signed(ownerKey(t))}
	b.pause = 200 * time.Millisecond // until the next answer is here
	if _, err := b.client(t, a.serve(t)).Sync(t.Context()); !errors.Is(err, replica.ErrRemoved) || b.has["4"] {
		t.Errorf("%v: %q", err, b.texts())
	}
}

// TestHostileHost: a host that answers with something else changes nothing.
func TestHostileHost(t *testing.T) {
	a, b, c := newDevice(t, "a", "1"), newDevice(t, "b"), newDevice(t, "c")
	know(a, b, c)
	seen := [][]byte{}
	record := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer, err := (peer.Host{Side: a.side(t)}).Answer(r.Context(), body)
		if err != nil {
			peer.Refuse(w, err)
			return
		}
		seen = append(seen, answer.Sealed)
		_, _ = w.Write(answer.Sealed)
	}))
	defer record.Close()
	if _, err := c.client(t, record.URL).Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, said := range map[string][]byte{
		"nothing": nil, "noise": []byte("noise"), "for another machine": seen[0], "cut": seen[0][:len(seen[0])-1], "too much": make([]byte, pack.MaxSealed+2),
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(said) }))
		_, err := b.client(t, s.URL).Sync(t.Context())
		fault := replica.Fault("")
		if !errors.As(err, &fault) || b.texts() != "" || len(b.remotes) > 0 {
			t.Errorf("%s: %v", name, err)
		}
		s.Close()
	}
	for status, want := range map[int]string{404: "no Satchel", 405: "no Satchel", 302: "answers 302", 500: "answers 500"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, strings.Repeat("x", 100000))
		}))
		if _, err := b.client(t, s.URL).Sync(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", status, err)
		}
		s.Close()
	}
}

// TestReplayedRequest: a recorded request teaches its author's peer nothing new, and its
// answer is readable by its author alone.
func TestReplayedRequest(t *testing.T) {
	a, b := newDevice(t, "a", "1"), newDevice(t, "b", "2")
	know(a, b)
	var sent [][]byte
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = append(sent, body)
		answer, err := (peer.Host{Side: a.side(t)}).Answer(r.Context(), body)
		if err != nil {
			peer.Refuse(w, err)
			return
		}
		_, _ = w.Write(answer.Sealed)
	}))
	defer s.Close()
	if _, err := b.client(t, s.URL).Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := len(a.log)
	for _, body := range sent {
		if _, err := (peer.Host{Side: a.side(t)}).Answer(t.Context(), body); err != nil {
			t.Error(err)
		}
	}
	if len(a.log) != before {
		t.Errorf("%d entries, not %d", len(a.log), before)
	}
	b.add("3")
	if _, err := b.client(t, s.URL).Sync(t.Context()); err != nil || a.texts() != "1 2 3" {
		t.Errorf("after that: %v %q", err, a.texts())
	}
}

func TestFailedJoin(t *testing.T) {
	a, b := newDevice(t, "a", "1"), newDevice(t, "b", "2")
	know(a, b)
	a.broken = fmt.Errorf("the disk is full")
	c := b.client(t, a.serve(t))
	if _, err := c.Sync(t.Context()); err == nil {
		t.Error("a failed join is told as done")
	}
	a.broken = nil
	if _, err := c.Sync(t.Context()); err != nil || a.texts() != "1 2" {
		t.Errorf("%v %q", err, a.texts())
	}
}

func TestAddress(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://memory.example": true, "https://memory.example:8443/x": true, "http://127.0.0.1:7777": true, "http://[::1]:1": true, "http://localhost:1": true,
		"http://memory.example": false, "http://192.168.1.4": false, "ftp://x": false, "": false, "x": false, "https://": false, "https://u:p@x": false, "https://x?y": false,
	} {
		if err := peer.CheckAddress(address); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
	}
	if _, err := newDevice(t, "a").client(t, "http://192.168.1.4").Sync(t.Context()); err == nil {
		t.Error(err)
	}
}

// TestSilentHost gives up a server that says nothing, or says it too slowly.
func TestSilentHost(t *testing.T) {
	a, b := newDevice(t, "a", "tea"), newDevice(t, "b")
	know(a, b)
	for name, answer := range map[string]func(http.ResponseWriter){
		"silent":   func(http.ResponseWriter) {},
		"dripping": func(w http.ResponseWriter) { _, _ = fmt.Fprint(w, "x"); w.(http.Flusher).Flush() },
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				answer(w)
				<-r.Context().Done()
			}))
			defer s.Close()
			c := a.client(t, s.URL)
			c.Patience = 50 * time.Millisecond
			if _, err := c.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), "did not answer in time") {
				t.Errorf("%v", err)
			}
		})
	}
}
