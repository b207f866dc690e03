package umpsuite

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/satchel-memory/satchel/memory"
)

func httpChecks() []check {
	return []check{
		{"UMP-4-1", bindingsInService},
		{"UMP-4.2-7", bearer},
		{"UMP-4.2-10", wrongRoutes},
	}
}

func recallRoute(r *run) error { return sawHit(r, "UMP-4.2-1") }

func rememberRoute(r *run) error {
	_, err := r.plain()
	return first(r.seen.verdict("UMP-4.2-2"), err)
}

func getRoute(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	for _, path := range []string{"/ump/memory/" + string(n.id), "/ump/memory/urn%3Aump%3A" + string(n.id)[len("urn:ump:"):]} {
		v, err := r.call(r.Token, http.MethodGet, path, nil).ok()
		if err != nil {
			return err
		}
		if v.Get("record").Get("id").Text() != string(n.id) {
			return errors.New("get gives another record")
		}
	}
	return r.seen.verdict("UMP-4.2-3")
}

func reviseRoute(r *run) error {
	_, err := r.revised()
	return first(r.seen.verdict("UMP-4.2-4"), err)
}

func forgetRoute(r *run) error {
	_, err := r.gone()
	return first(r.seen.verdict("UMP-4.2-5"), err)
}

func capabilitiesOpen(r *run) error {
	_, err := r.call("", http.MethodGet, "/ump/capabilities", nil).ok()
	return first(err, r.seen.verdict("UMP-4.2-6"))
}

func bearer(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	question := r.question(n.word, `{}`)
	if a := r.postAs("", "recall", question); a.Status < 300 {
		// Public memories need no token.
		if err := r.findsAs("", n.word, `{}`, nil, []memory.ID{n.id}); err != nil {
			return fmt.Errorf("without a token: %w", err)
		}
	} else if err := a.refused(memory.Unauthorized); err != nil {
		return fmt.Errorf("without a token: %w", err)
	}
	peer, err := r.peer()
	if err != nil {
		return err
	}
	_, err = r.postAs(peer, "recall", question).ok()
	return err
}

func jsonBothWays(r *run) error {
	return first(
		r.raw("recall", `{"query":`).refused(memory.InvalidRecord),
		r.raw("remember", `nonsense`).refused(memory.InvalidRecord),
		r.seen.verdict("UMP-4.2-8"))
}

func fullRoutes(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	v, err := r.post("feedback", object(`{"id":%q,"outcome":"followed"}`, n.id)).ok()
	if err == nil && !v.Get("ok").True() {
		err = errors.New("feedback does not answer {\"ok\":true}")
	}
	if err != nil {
		return err
	}
	s, err := follow(r, r.Token, "", "")
	if err != nil {
		return err
	}
	s.leave()
	return r.seen.verdict("UMP-4.2-9")
}

func wrongRoutes(r *run) error {
	if err := r.call(r.Token, http.MethodGet, "/ump/nope", nil).refused(memory.NotFound); err != nil {
		return err
	}
	a := r.call(r.Token, http.MethodGet, "/ump/recall", nil)
	if a.Status != http.StatusMethodNotAllowed || a.code() == "" {
		return fmt.Errorf("GET /ump/recall answered %s, not 405 with the envelope", a.Said())
	}
	return nil
}
