package umpsuite

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/satchel-memory/satchel/memory"
)

func scopeChecks() []check {
	return []check{
		{"UMP-2.1-1", fiveKinds},
		{"UMP-2.1-2", eachKind},
		{"UMP-2.1-3", someKinds},
		{"UMP-2.2-1", fitCounts},
		{"UMP-2.2-3", privateStays},
		{"UMP-2.2-4", sharedWithPeers},
		{"UMP-2.2-5", publicReaches},
	}
}

func fiveKinds(r *run) error {
	var said []string
	for _, kind := range r.offered.Get("kinds").Items() {
		said = append(said, kind.Text())
	}
	if len(said) != len(memory.Kinds()) {
		return errors.New("capabilities does not list five kinds")
	}
	for _, kind := range memory.Kinds() {
		if !slices.Contains(said, string(kind)) {
			return fmt.Errorf("capabilities does not list the kind %s", kind)
		}
	}
	return nil
}

func eachKind(r *run) error {
	for _, kind := range memory.Kinds() {
		n, err := r.noted(`{"kind":%q}`, kind)
		if err == nil && n.record.Get("kind").Text() != string(kind) {
			err = errors.New("it is got as another kind")
		}
		if err := first(err, r.finds(n.word, `{}`, []memory.ID{n.id}, nil)); err != nil {
			return fmt.Errorf("a record of kind %s: %w", kind, err)
		}
	}
	return nil
}

func someKinds(r *run) error {
	text, word := r.text()
	one, err := r.remember(`{"kind":"semantic","body":{"text":%q}}`, text)
	if err != nil {
		return err
	}
	two, err := r.remember(`{"kind":"episodic","body":{"text":%q}}`, text)
	return first(err,
		r.finds(word, `{"filter":{"kind":["semantic"]}}`, []memory.ID{one}, []memory.ID{two}),
		r.finds(word, `{}`, []memory.ID{one, two}, nil))
}

func fitCounts(r *run) error {
	text, word := r.text()
	fits, err := r.remember(`{"body":{"text":%q,"structured":{"n":1}},"scope":{"agent":"conformance-one"}}`, text)
	if err != nil {
		return err
	}
	if _, err := r.remember(`{"body":{"text":%q,"structured":{"n":2}},"scope":{"agent":"conformance-two"}}`, text); err != nil {
		return err
	}
	hits, err := r.recall(word, `{"scope":{"agent":"conformance-one"}}`)
	if err != nil {
		return err
	}
	if len(hits) == 0 || idsOf(hits)[0] != fits {
		return errors.New("of two records that differ in scope only, the one that fits is not first")
	}
	if len(hits) > 1 && hits[0].Get("signals").Get("scope_match").Float() <= hits[1].Get("signals").Get("scope_match").Float() {
		return errors.New("scope_match does not say which record fits better")
	}
	return nil
}

func ownerIsDID(r *run) error { return sawRecord(r, "UMP-2.2-2") }

// hides checks that the caller of a token neither recalls nor gets a record.
func hides(r *run, token string, n note) error {
	a := r.fetchAs(token, n.id)
	if err := a.refused(memory.NotFound, memory.ForbiddenScope, memory.Unauthorized); err != nil {
		return err
	}
	a = r.postAs(token, "recall", r.question(n.word, `{}`))
	if a.Status < 300 {
		return r.findsAs(token, n.word, `{}`, nil, []memory.ID{n.id})
	}
	return a.refused(memory.ForbiddenScope, memory.Unauthorized)
}

func privateStays(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	token, err := outsider(r)
	if err != nil || token == "" {
		return first(err, hides(r, "", n))
	}
	return first(hides(r, token, n), hides(r, "", n))
}

func sharedWithPeers(r *run) error {
	peer, err := r.peer()
	if err != nil {
		return err
	}
	n, err := shared(r, memory.Shared, `{}`)
	if err != nil {
		return err
	}
	elsewhere, err := r.token(`{"scope":{"project":"conformance-elsewhere"}}`)
	if err != nil {
		return err
	}
	_, got := r.fetchAs(peer, n.id).ok()
	return first(got, r.findsAs(peer, n.word, `{}`, []memory.ID{n.id}, nil), hides(r, elsewhere, n), hides(r, "", n))
}

func publicReaches(r *run) error {
	n, err := shared(r, memory.Public, `{"body":{"structured":{"door":"left","key":"brass"}},"consent":{"redact":["body.structured.key"]}}`)
	if err != nil {
		return err
	}
	token, err := outsider(r)
	if err != nil {
		return err
	}
	a := r.fetchAs("", n.id)
	if a.code() == memory.Unauthorized {
		if token == "" {
			return notOffered("anything to those without a token")
		}
		a = r.fetchAs(token, n.id)
	}
	v, err := a.ok()
	if err != nil {
		return err
	}
	structured := v.Get("record").Get("body").Get("structured")
	if structured.Has("key") || structured.Get("door").Text() != "left" {
		return errors.New("a public record did not come as its owner wants it redacted")
	}
	return nil
}

func otherOwners(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	a := r.post("recall", object(`{"query":%q,"scope":{"owner":%q}}`, n.word, r.other.DID()))
	if a.Status < http.StatusMultipleChoices {
		err = r.finds(n.word, fmt.Sprintf(`{"scope":{"owner":%q}}`, r.other.DID()), nil, []memory.ID{n.id})
	} else {
		err = a.refused(memory.ForbiddenScope, memory.NotFound)
	}
	return first(err, r.seen.verdict("UMP-2.2-6"))
}
