package umpsuite

import (
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

func errorChecks() []check {
	return []check{
		{"UMP-3.7-4", unsupportedSaid},
	}
}

func everyCode(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	foreign, _ := complete(r, `{}`)
	forged, err := signed(foreign, &r.other)
	if err != nil {
		return err
	}
	err = first(
		r.fetch("urn:ump:aaaa").refused(memory.NotFound),
		r.raw("remember", `{"record":{}}`).refused(memory.InvalidRecord),
		r.refuses(memory.Unsupported, `{"ump":"9.0"}`),
		r.refuses(memory.ConsentViolation, `{"time":{"created":%q},"consent":{"retention":"P1D"}}`, longAgo),
		r.refusesRecord(forged, memory.SignatureInvalid),
		r.refuses(memory.ForbiddenScope, `{"scope":{"owner":%q}}`, r.other.DID()))
	if err == nil && r.Token != "" {
		err = r.fetchAs("no-token-at-all", n.id).refused(memory.Unauthorized)
	}
	return first(err, r.seen.verdict("UMP-3.7-1"))
}

func badCredentials(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	for _, token := range []variant{{"no token", ""}, {"a token that is none", "no-token-at-all"}, {"half a token", "umpcap.e30"}} {
		if err := r.postAs(token.text, "remember", wrapped(canon.Object())).refused(memory.Unauthorized); err != nil {
			return fmt.Errorf("%s: %w", token.what, err)
		}
		if err := r.fetchAs(token.text, n.id).refused(memory.Unauthorized, memory.NotFound); err != nil {
			return fmt.Errorf("%s: %w", token.what, err)
		}
	}
	return r.seen.verdict("UMP-3.7-2")
}

func otherScope(r *run) error {
	peer, err := r.peer()
	if err != nil {
		return err
	}
	draft, _ := r.draft(`{}`)
	return first(r.postAs(peer, "remember", wrapped(draft)).refused(memory.ForbiddenScope), r.seen.verdict("UMP-3.7-3"))
}

func unsupportedSaid(r *run) error {
	if err := r.refuses(memory.Unsupported, `{"ump":"9.0"}`); err != nil {
		return err
	}
	if says, _ := levelOf("", r.offered); says >= 3 {
		return nil
	}
	n, err := r.plain()
	if err != nil {
		return err
	}
	a := r.post("feedback", object(`{"id":%q,"outcome":"followed"}`, n.id))
	if a.Status == http.StatusNotFound { // no such route
		return nil
	}
	return a.refused(memory.Unsupported)
}

// The burst that should meet a limit.
const (
	burst   = 400
	senders = 8
)

// throttled requests something public, without a token, so that no other caller pays.
func throttled(r *run) error {
	answers := make(chan answer, burst)
	var wg sync.WaitGroup
	for range senders {
		wg.Go(func() {
			for range burst / senders {
				a := answer{r.client.Once(r.ctx, request("", http.MethodGet, "/ump/capabilities", nil))}
				answers <- a
				if a.Status == http.StatusTooManyRequests {
					return
				}
			}
		})
	}
	wg.Wait()
	close(answers)
	met := false
	for a := range answers {
		if a.Status == http.StatusTooManyRequests {
			met = true
			observeError(r, a)
			if err := a.refused(memory.RateLimited); err != nil {
				return err
			}
		}
	}
	if err := r.seen.verdict("UMP-3.7-5"); err != nil || met {
		return err
	}
	return notTried(fmt.Sprintf("no limit was met within %d requests", burst))
}

func noContentTold(r *run) error {
	for _, change := range []string{
		`{"kind":"note"}`, `{"scope":{"visibility":"team"}}`, `{"time":{"created":"today"}}`, `{"ump":"9.0"}`,
		`{"scope":{"visibility":"public"},"consent":{"exportable":false}}`, `{"lifecycle":{"status":"tombstoned"}}`,
	} {
		draft, _ := r.draft("%s", raw(change))
		a := r.post("remember", wrapped(draft))
		r.wrote(memory.ID(a.Value.Get("id").Text()))
		if a.Err != nil {
			return a.Err
		}
		if a.Status < 300 {
			return errors.New("a draft that breaks a rule was accepted")
		}
	}
	word := r.word()
	r.seen.secrets = append(r.seen.secrets, word)
	_ = r.raw("remember", `{"record":{"body":{"text":"`+word) // observe checks the answer
	_ = r.raw("recall", `{"query":"`+word+`","filter":{"kind":["foo"]}}`)
	return r.seen.verdict("UMP-3.7-6")
}
