package pairing_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/pairing"
)

const maxTries = 3

const code, wrong = pairing.Code("acorn-actor-album-amber"), pairing.Code("acorn-actor-album-zebra")

// desk is the machine that shows the code.
type desk struct {
	*pairing.Host
	*httptest.Server
	mu        sync.Mutex
	now       time.Time
	confirmed []string // the offers of machines that take part
	full      bool     // it can write nothing
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
	host, err := pairing.NewHost(code, pairing.HostOptions{
		Now: func() time.Time { d.mu.Lock(); defer d.mu.Unlock(); return d.now },
		Secret: func(_ context.Context, offer []byte) ([]byte, error) {
			return append([]byte("the key, for "), offer...), nil
		},
		Confirmed: func(_ context.Context, offer []byte) error {
			if d.full {
				return errors.New("the disk is full")
			}
			d.confirmed = append(d.confirmed, string(offer))
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	d.Host, d.Server = host, httptest.NewServer(host)
	t.Cleanup(d.Server.Close)
	return d
}

func (d *desk) later(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.now.Add(by)
}

// ended returns how the host ended; a context's error if it goes on.
func (d *desk) ended(t *testing.T) error {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	return d.Wait(ctx)
}

// want fails unless these machines take part.
func (d *desk) want(t *testing.T, names ...string) {
	t.Helper()
	if got, want := strings.Join(d.confirmed, " "), strings.Join(names, " "); got != want {
		t.Errorf("%q take part, not %q", got, want)
	}
}

// joining is a machine on which a code is typed.
func joining(url, name string, typed pairing.Code, way http.RoundTripper) pairing.Client {
	return pairing.Client{HTTP: &http.Client{Transport: way}, URL: url, Code: typed, Offer: []byte(name), Check: func([]byte) error { return nil }}
}

func TestPairing(t *testing.T) {
	d := newDesk(t)
	gift, err := joining(d.URL, "laptop", code, nil).Join(t.Context())
	if err != nil || string(gift) != "the key, for laptop" {
		t.Fatalf("%q %v", gift, err)
	}
	d.want(t, "laptop")
	if err := d.ended(t); err != nil {
		t.Error(err)
	}
	if _, err := joining(d.URL, "thief", code, nil).Join(t.Context()); !errors.Is(err, pairing.ErrOver) {
		t.Errorf("a code is good twice: %v", err)
	}
	d.want(t, "laptop")
}

func TestCodes(t *testing.T) {
	seen := map[pairing.Code]bool{}
	for range 200 {
		made := pairing.NewCode()
		back, err := pairing.ParseCode(" " + strings.ToUpper(strings.ReplaceAll(string(made), "-", "  ")) + " ")
		if err != nil || back != made || seen[made] {
			t.Fatalf("%s: %s, %v", made, back, err)
		}
		seen[made] = true
	}
	for _, typed := range []string{"", "acorn", "acorn-actor-album", "acorn-actor-album-ambre", "acorn-actor-album-amber-angle", strings.Repeat("acorn-", 1000)} {
		if _, err := pairing.ParseCode(typed); err == nil || strings.Contains(err.Error(), "ambre") {
			t.Errorf("%.40q: %v", typed, err)
		}
	}
}

// TestGuessing: the third wrong code ends the code, for who knows it as well.
func TestGuessing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for n := range maxTries {
		if n == maxTries-1 && !errors.Is(d.ended(t), context.DeadlineExceeded) {
			t.Fatalf("ended after %d tries", n)
		}
		if _, err := joining(d.URL, "thief", wrong, nil).Join(t.Context()); !errors.Is(err, pairing.ErrCode) {
			t.Fatal(err)
		}
	}
	if err := d.ended(t); !errors.Is(err, pairing.ErrOver) {
		t.Error(err)
	}
	if _, err := joining(d.URL, "laptop", code, nil).Join(t.Context()); !errors.Is(err, pairing.ErrOver) {
		t.Error(err)
	}
	d.want(t)
}

// TestSilentGuessing: who asks and says nothing more has used a try, since the answer is
// enough to check one guess.
func TestSilentGuessing(t *testing.T) {
	d := newDesk(t)
	tape := &tape{}
	if _, err := joining(d.URL, "thief", wrong, tape).Join(t.Context()); !errors.Is(err, pairing.ErrCode) {
		t.Fatal(err)
	}
	hello := tape.sent[0]
	statuses := []int{post(t, d.URL, hello), post(t, d.URL, hello), post(t, d.URL, hello)}
	if statuses[0] != 200 || statuses[1] != 200 || statuses[2] != 403 {
		t.Errorf("%v", statuses)
	}
}

func TestExpired(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.later(pairing.Lasts)
	if _, err := joining(d.URL, "laptop", code, nil).Join(t.Context()); !errors.Is(err, pairing.ErrOver) {
		t.Error(err)
	}
	if err := d.ended(t); !errors.Is(err, pairing.ErrOver) {
		t.Error(err)
	}
	d = newDesk(t) // it ends between the first request and the second
	way := &tape{before: func(n int) { d.later(time.Duration(n) * pairing.Lasts) }}
	if _, err := joining(d.URL, "laptop", code, way).Join(t.Context()); !errors.Is(err, pairing.ErrOver) {
		t.Error(err)
	}
	d.want(t)
}

// TestTwoAtOnce: two machines know the code, and begin before either is done. One of them
// takes part.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var second error
	way := &tape{before: func(n int) {
		if n == 1 { // the first has begun
			_, second = joining(d.URL, "tablet", code, nil).Join(t.Context())
		}
	}}
	if _, err := joining(d.URL, "laptop", code, way).Join(t.Context()); !errors.Is(err, pairing.ErrOver) || second != nil {
		t.Errorf("%v, %v", err, second)
	}
	d.want(t, "tablet")

	d = newDesk(t)
	var all sync.WaitGroup
	results := make([]error, maxTries)
	for n := range results {
		all.Go(func() { _, results[n] = joining(d.URL, "x", code, nil).Join(t.Context()) })
	}
	all.Wait()
	joined := 0
	for _, err := range results {
		if err == nil {
			joined++
		} else if !errors.Is(err, pairing.ErrOver) {
			t.Error(err)
		}
	}
	if joined != 1 || len(d.confirmed) != 1 {
		t.Errorf("%d joined, %d confirmed", joined, len(d.confirmed))
	}
}

// TestInTheMiddle: who stands between and does not know the code learns nothing and changes
// nothing, whether it plays a host of its own or alters what it passes on.
func TestInTheMiddle(t *testing.T) {
	t.Parallel()
	played := newDesk(t) // knows another code than is typed
	if _, err := joining(played.URL, "laptop", wrong, nil).Join(t.Context()); !errors.Is(err, pairing.ErrCode) {
		t.Error(err)
	}
	played.want(t)

	for n := range 3 {
		for _, answers := range []bool{false, true} {
			d := newDesk(t)
			way := &tape{}
			bend := func(at int, body []byte) []byte {
				if at != n {
					return body
				}
				return bent(t, body)
			}
			if answers {
				way.answer = bend
			} else {
				way.request = bend
			}
			gift, err := joining(d.URL, "laptop", code, way).Join(t.Context())
			if err == nil {
				t.Errorf("message %d altered, answer %v: %q is taken", n, answers, gift)
			}
			if last := n == 2 && answers; last { // the host cannot know that its last word was lost
				d.want(t, "laptop")
			} else {
				d.want(t)
			}
			if bytes.Contains(bytes.Join(append(way.sent, way.got...), nil), []byte("the key")) {
				t.Error("the gift is readable on its way")
			}
		}
	}
}

// bent alters the last proof or sealed text of a message.
func bent(t *testing.T, body []byte) []byte {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sealed", "proof"} {
		if text, ok := m[name].(string); ok {
			flipped := byte('A')
			if text[len(text)/2] == flipped {
				flipped = 'B'
			}
			m[name] = text[:len(text)/2] + string(flipped) + text[len(text)/2+1:]
			break
		}
	}
	out, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestCut: a connection that breaks once, anywhere, costs nothing but the first request's
// try. One that stays broken leaves this machine without the gift, and the other one knows
// it only if the last answer was lost.
func TestCut(t *testing.T) {
	t.Parallel()
	for n := 1; n < 3; n++ {
		for _, delivered := range []bool{false, true} {
			d := newDesk(t)
			_, err := joining(d.URL, "laptop", code, &tape{cut: func(at int) bool { return at == n }, delivered: delivered}).Join(t.Context())
			if err != nil {
				t.Errorf("cut at %d, delivered %v: %v", n, delivered, err)
			}
			d.want(t, "laptop")
		}
	}
	d := newDesk(t)
	if _, err := joining(d.URL, "laptop", code, &tape{cut: func(at int) bool { return at >= 2 }}).Join(t.Context()); err == nil {
		t.Error("joined over a connection that is cut")
	}
	d.want(t)
}

func TestRefusedGift(t *testing.T) {
	d := newDesk(t)
	j := joining(d.URL, "laptop", code, nil)
	refused := errors.New("not this owner")
	j.Check = func([]byte) error { return refused }
	if _, err := j.Join(t.Context()); !errors.Is(err, refused) {
		t.Error(err)
	}
	d.want(t)
}

// TestFullDisk: if the host cannot write, the new machine does not join, and may ask again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.full = true
	if gift, err := joining(d.URL, "laptop", code, nil).Join(t.Context()); err == nil {
		t.Errorf("%q", gift)
	}
	d.want(t)
}

// TestReplay: what was recorded is worth nothing, here or at a later host of the same code.
func TestReplay(t *testing.T) {
	d := newDesk(t)
	tape := &tape{}
	if _, err := joining(d.URL, "laptop", code, tape).Join(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n, body := range tape.sent[:1] {
		if status := post(t, d.URL, body); status != http.StatusForbidden {
			t.Errorf("message %d again: %d", n, status)
		}
	}
	post(t, d.URL, tape.sent[1]) // answered as before, to who cannot read it
	post(t, d.URL, tape.sent[2])
	d.want(t, "laptop")
	later := newDesk(t)
	for _, body := range tape.sent {
		post(t, later.URL, body)
	}
	later.want(t)
}

// TestBusyServer: satchel serve refuses requests while it answers others. A pairing through it asks
// again, and uses up no try.
func TestBusyServer(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	refused := map[string]bool{}
	serve := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var asked struct{ Step string }
		if err = errors.Join(err, json.Unmarshal(body, &asked)); err != nil {
			t.Error(err)
		}
		if !refused[asked.Step] {
			refused[asked.Step] = true
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"error":{"code":"rate_limited","message":"busy"}}`)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		d.Host.ServeHTTP(w, r)
	}))
	defer serve.Close()
	if _, err := joining(serve.URL, "laptop", code, nil).Join(t.Context()); err != nil {
		t.Error(err)
	}
	d.want(t, "laptop")
}

func TestHostile(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, body := range []string{
		"", "null", "[]", "{}", `{"step":"hello"}`, `{"step":"hello","proof":"AAAA"}`, `{"step":"offer","attempt":"x"}`, `{"step":"hello","more":1}`,
		`{"step":"hello","proof":"` + strings.Repeat("A", 128) + `"}`, `{"step":"hello","proof":"` + strings.Repeat("A", pairing.MaxRequest) + `"}`,
		strings.Repeat(`{"step":`, 10000), `{"step":"confirm"}{}`,
	} {
		if status := post(t, d.URL, []byte(body)); status != 400 && status != 403 {
			t.Errorf("%.40s: %d", body, status)
		}
	}
	if _, err := joining(d.URL, "laptop", code, nil).Join(t.Context()); err != nil {
		t.Errorf("nonsense uses up tries: %v", err)
	}
	for _, said := range []string{"", "null", "<html>", `{"attempt":"x"}`, `{"proof":"AAAA"}`, `{"error":{"code":"x","message":"y"}}`, strings.Repeat("x", 2*pairing.MaxAnswer)} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, said) }))
		if _, err := joining(s.URL, "laptop", code, nil).Join(t.Context()); err == nil {
			t.Errorf("%.20s is taken", said)
		}
		s.Close()
	}
}

// FuzzHost: no request breaks a host, and none without the code gets anything.
func FuzzHost(f *testing.F) {
	for _, seed := range []string{`{"step":"hello","proof":"AAAA"}`, `{"step":"offer","attempt":"x","proof":"AAAA","sealed":"AAAA"}`, "{"} {
		f.Add([]byte(seed))
	}
	host, err := pairing.NewHost(code, pairing.HostOptions{Now: time.Now,
		Secret:    func(context.Context, []byte) ([]byte, error) { panic("given") },
		Confirmed: func(context.Context, []byte) error { panic("confirmed") }})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(_ *testing.T, body []byte) {
		host.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(context.Background(), http.MethodPost, pairing.Path, bytes.NewReader(body)))
	})
}

func post(t *testing.T, url string, body []byte) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+pairing.Path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// tape is a way to a host that records what passes, alters it, or cuts it.
type tape struct {
	sent, got       [][]byte
	before          func(n int)                     // request n
	request, answer func(n int, body []byte) []byte // alter it
	cut             func(n int) bool                // whether request n is lost
	delivered       bool                            // what is lost is the answer
}

func (w *tape) RoundTrip(r *http.Request) (*http.Response, error) {
	n := len(w.sent)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	w.sent = append(w.sent, body)
	if w.before != nil {
		w.before(n)
	}
	lost := w.cut != nil && w.cut(n)
	if lost && !w.delivered {
		return nil, errors.New("cut")
	}
	if w.request != nil {
		body = w.request(n, body)
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err = io.ReadAll(response.Body)
	if err != nil || lost {
		return nil, errors.Join(errors.New("cut"), err, response.Body.Close())
	}
	w.got = append(w.got, body)
	if w.answer != nil && response.StatusCode == http.StatusOK {
		body = w.answer(n, body)
	}
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return response, nil
}
