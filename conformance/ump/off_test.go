package umpsuite

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/memory"
)

// line answers requests without a network, so that time can be made up.
type line func(r *http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (l line) RoundTrip(r *http.Request) (*http.Response, error) { return l(r) }

// over is a line to a server.
func over(s *httptest.Server, first func(r *http.Request) (*http.Response, error)) *http.Client {
	return &http.Client{Transport: line(func(r *http.Request) (*http.Response, error) {
		if got, err := first(r); got != nil || err != nil {
			return got, err
		}
		w := httptest.NewRecorder()
		s.Config.Handler.ServeHTTP(w, r)
		return w.Result(), nil
	})}
}

func TestCalledOff(t *testing.T) {
	for _, c := range []struct {
		name  string
		off   bool          // the run is called off
		hangs bool          // nobody answers to forget
		most  time.Duration // that the run may take
		left  bool
	}{
		{"what was written is removed after the run is called off", true, false, time.Second, false},
		{"that takes thirty seconds at most", true, true, cleaning + time.Second, true},
		{"a server that does not answer any more is left alone", false, true, maxSilent*answerTime + time.Second, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := plainServer(t, nil)
			synctest.Test(t, func(t *testing.T) {
				ctx, off := context.WithCancel(t.Context())
				defer off()
				target := targetOf(server)
				target.Only = []string{"UMP-3.4-1", "UMP-2.1-2"}
				target.Client = over(server, func(r *http.Request) (*http.Response, error) {
					if !c.hangs || r.URL.Path != "/ump/forget" {
						return nil, nil
					}
					<-r.Context().Done()
					return nil, r.Context().Err()
				})
				began := time.Now()
				summary, err := Run(ctx, target, func(r conformance.Result) {
					if c.off && r.ID == "UMP-3.4-1" {
						off()
					}
				})
				if took := time.Since(began); took > c.most || c.off != errors.Is(err, context.Canceled) || c.left != (len(summary.Left) > 0) {
					t.Errorf("after %v: %v, %v are left", took, err, summary.Left)
				}
			})
		})
	}
}

func TestThrottled(t *testing.T) {
	for _, c := range []struct {
		name  string
		after func(now time.Time) string
		want  time.Duration
	}{
		{"seconds", func(time.Time) string { return "7" }, 7 * time.Second},
		{"a date", func(now time.Time) string { return now.Add(9 * time.Second).UTC().Format(http.TimeFormat) }, 9 * time.Second},
		{"nothing is said", func(time.Time) string { return "" }, time.Second},
		{"nonsense", func(time.Time) string { return "-5" }, time.Second},
		{"longer than a run would wait at once", func(time.Time) string { return "86400" }, 20 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := plainServer(t, nil)
			synctest.Test(t, func(t *testing.T) {
				target := targetOf(server)
				target.Only = []string{"UMP-3.2-2"}
				throttled := false
				target.Client = over(server, func(r *http.Request) (*http.Response, error) {
					if throttled || r.URL.Path != "/ump/recall" {
						return nil, nil
					}
					throttled = true
					w := httptest.NewRecorder()
					w.Header().Set("Retry-After", c.after(time.Now()))
					w.WriteHeader(http.StatusTooManyRequests)
					return w.Result(), nil
				})
				began := time.Now()
				summary, err := Run(t.Context(), target, nil)
				if took := time.Since(began); err != nil || !summary.OK() || took != c.want {
					t.Errorf("%v after %v", err, took)
				}
			})
		})
	}
}

func TestCredentials(t *testing.T) {
	server := plainServer(t, nil)
	secretless := targetOf(server)
	secretless.Token = ""
	stranger := targetOf(server)
	stranger.Token = "somebody-elses"
	at3 := secretless
	at3.Level = "L3"
	for _, c := range []struct {
		name   string
		target Target
		want   error
	}{
		{"the token of somebody else", stranger, ErrToken}, {"none where the level asks for one", at3, ErrToken}, {"none, and nobody says whose memory it is", secretless, ErrOwner},
		{"none, and the owner is known", func() Target { t := secretless; t.Owner = owner; return t }(), ErrToken},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Run(t.Context(), c.target, nil); !errors.Is(err, c.want) || strings.Contains(err.Error(), "elses") {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
}

// TestAwaits: an event is expected next, apart from the end of an earlier row's record.
func TestAwaits(t *testing.T) {
	told := func(name, id string) event {
		return event{name: name, data: object(`{"type":%q,"id":%q,"record":{"id":%q}}`, name, id, id)}
	}
	const earlier, followed, wanted, foreign = "urn:ump:earlier", "urn:ump:followed", "urn:ump:wanted", "urn:ump:foreign"
	created := told("created", wanted)
	for name, c := range map[string]struct {
		events []event
		ok     bool
	}{
		"the event": {[]event{created}, true},
		"after the end of an earlier row's record":   {[]event{told("tombstoned", earlier), told("tombstoned", earlier), created}, true},
		"after another change of it":                 {[]event{told("revised", earlier), created}, false},
		"after the end of a record that is followed": {[]event{told("tombstoned", followed), created}, false},
		"after the end of somebody's record":         {[]event{told("tombstoned", foreign), created}, false},
		"after its own end":                          {[]event{told("tombstoned", wanted), created}, false},
		"nothing":                                    {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := &stream{events: make(chan event, 3), ended: make(chan struct{})}
			for _, e := range c.events {
				s.events <- e
			}
			r := &run{ctx: t.Context(), made: []memory.ID{earlier, followed, wanted}, seen: newObserved()}
			r.Patience = 50 * time.Millisecond
			w := watched{events: []event{told("created", followed)}}
			if err := awaits(r, s, &w, memory.WasCreated, wanted); (err == nil) != c.ok {
				t.Error(err)
			}
		})
	}
}
