package umpsuite

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

func tokenChecks() []check {
	return []check{
		{"UMP-5.2-1", verbScopeTime},
		{"UMP-5.2-2", fourVerbs},
		{"UMP-5.2-3", ownerSignsTokens},
		{"UMP-5.2-4", deriveVerb},
		{"UMP-5.2-5", exportVerb},
		{"UMP-5.2-7", neverMore},
		{"UMP-5.2-8", revocable},
		{"UMP-5.2-9", endRequired},
	}
}

// lets sends the request that every valid token permits.
func lets(r *run, token string) answer { return r.postAs(token, "recall", r.question("yard", `{}`)) }

func verbScopeTime(r *run) error {
	peer, err := r.peer()
	if err != nil {
		return err
	}
	n, err := shared(r, memory.Shared, `{}`)
	if err != nil {
		return err
	}
	if err := r.findsAs(peer, n.word, `{}`, []memory.ID{n.id}, nil); err != nil {
		return fmt.Errorf("within its scope: %w", err)
	}
	elsewhere := r.postAs(peer, "recall", object(`{"query":"yard","scope":{"project":"%s-b"}}`, raw(r.Project)))
	if err := elsewhere.refused(memory.ForbiddenScope); err != nil {
		return fmt.Errorf("in another project: %w", err)
	}
	over, err := r.token(`{"exp":%q}`, instant(r, -2*time.Hour))
	if err != nil {
		return err
	}
	if err := lets(r, over).refused(memory.Unauthorized); err != nil {
		return fmt.Errorf("a token that has expired: %w", err)
	}
	return nil
}

func fourVerbs(r *run) error {
	for _, verb := range memory.Verbs() {
		token, err := r.token(`{"verbs":[%q]}`, verb)
		if err != nil {
			return err
		}
		if _, err := r.call(token, http.MethodGet, "/ump/capabilities", nil).ok(); err != nil {
			return fmt.Errorf("a token for %s: %w", verb, err)
		}
	}
	return refusesTokens(r,
		variant{"an unknown verb", `{"verbs":["read","admin"]}`}, variant{"no verb", `{"verbs":[]}`},
		variant{"verbs that are no list", `{"verbs":"read"}`}, variant{"no verbs at all", `{"verbs":null}`})
}

// refusesTokens sends tokens with claims that nobody may make.
func refusesTokens(r *run, changes ...variant) error {
	for _, change := range changes {
		token, err := forged(r, "%s", raw(change.text))
		if err != nil {
			return err
		}
		if err := lets(r, token).refused(memory.Unauthorized); err != nil {
			return fmt.Errorf("a token with %s: %w", change.what, err)
		}
	}
	return nil
}

func ownerSignsTokens(r *run) error {
	peer, err := r.peer()
	if err != nil {
		return err
	}
	payload, _, _ := strings.Cut(strings.TrimPrefix(peer, "umpcap."), ".")
	wider := claims(r, `{"verbs":["read","write"]}`).AppendCanonical(nil)
	swapped, _, _ := strings.Cut(strings.TrimPrefix(seal(wider, r.other), "umpcap."), ".")
	for _, token := range []variant{
		{"signed by somebody else", seal(claims(r, `{}`).AppendCanonical(nil), r.other)},
		{"with claims of another token", strings.Replace(peer, payload, swapped, 1)},
		{"cut short", peer[:max(len(peer)-4, 0)]},
		{"with something after it", peer + "AAAA"},
		{"without a signature", "umpcap." + payload},
	} {
		if err := lets(r, token.text).refused(memory.Unauthorized); err != nil {
			return fmt.Errorf("a token %s: %w", token.what, err)
		}
	}
	n, err := shared(r, memory.Shared, `{}`)
	if err != nil {
		return err
	}
	stranger := seal(claims(r, `{"iss":%q}`, r.other.DID()).AppendCanonical(nil), r.other)
	return hides(r, stranger, n)
}

func deriveVerb(r *run) error {
	n, err := shared(r, memory.Shared, `{}`)
	if err != nil {
		return err
	}
	writer, err := r.token(`{"verbs":["read","write"]}`)
	if err != nil {
		return err
	}
	deriver, err := r.token(`{"verbs":["read","write","derive"]}`)
	if err != nil {
		return err
	}
	for _, link := range []variant{
		{"a relation", fmt.Sprintf(`{"relations":[{"type":"derived_from","target":%q}]}`, n.id)},
		{"evidence", fmt.Sprintf(`{"provenance":{"actor":"a","actor_kind":"agent","method":"concluded","evidence":[{"ref":%q}]}}`, n.id)},
	} {
		if err := derives(r, writer, deriver, link); err != nil {
			return err
		}
	}
	return nil
}

// derives checks that a new or revised record can link to another memory only by a token
// with the verb for it.
func derives(r *run, writer, deriver string, link variant) error {
	draft, _ := r.draft("%s", raw(link.text))
	a := r.postAs(writer, "remember", wrapped(draft))
	r.wrote(memory.ID(a.Value.Get("id").Text()))
	if err := a.refused(memory.ForbiddenScope); err != nil {
		return fmt.Errorf("with %s: %w", link.what, err)
	}
	if _, _, err := r.putAs(deriver, draft); err != nil {
		return fmt.Errorf("with %s, and the verb for it: %w", link.what, err)
	}
	old, err := shared(r, memory.Shared, `{}`)
	if err != nil {
		return err
	}
	revision := object(`{"id":%q,"patch":%s}`, old.id, raw(link.text))
	a = r.postAs(writer, "revise", revision)
	r.wrote(memory.ID(a.Value.Get("id").Text()))
	if err := a.refused(memory.ForbiddenScope); err != nil {
		return fmt.Errorf("a revision with %s: %w", link.what, err)
	}
	a = r.postAs(deriver, "revise", revision)
	r.wrote(memory.ID(a.Value.Get("id").Text()))
	if _, err := a.ok(); err != nil {
		return fmt.Errorf("a revision with %s, and the verb for it: %w", link.what, err)
	}
	return nil
}

func exportVerb(r *run) error {
	if _, err := exportAs(r, "json"); err != nil {
		return err
	}
	peer, err := r.peer()
	if err != nil {
		return err
	}
	exporter, err := r.token(`{"verbs":["export"]}`)
	if err != nil {
		return err
	}
	if err := r.call(peer, http.MethodGet, "/ump/export?format=json", nil).refused(memory.ForbiddenScope); err != nil {
		return err
	}
	a := r.call(exporter, http.MethodGet, "/ump/export?format=json", nil)
	switch {
	case a.Err != nil:
		return a.Err
	case a.Status != http.StatusOK:
		return fmt.Errorf("with the verb export: %s answered %s", a.Asked, a.Said())
	}
	n, err := r.plain()
	if err == nil && strings.Contains(string(a.Body), n.word) {
		err = errors.New("a peer's export has a private record")
	}
	return err
}

func neverMore(r *run) error {
	n, err := shared(r, memory.Shared, `{}`)
	if err != nil {
		return err
	}
	all, err := r.token(`{"verbs":["read","write","derive","export"]}`)
	if err != nil {
		return err
	}
	if err := r.forgetAs(all, n.id, `{"hard":true}`).refused(memory.ForbiddenScope); err != nil {
		return fmt.Errorf("erasing: %w", err)
	}
	for _, change := range []variant{{"publishing", "public"}, {"hiding", "private"}} {
		a := r.postAs(all, "revise", object(`{"id":%q,"patch":{"scope":{"visibility":%q}}}`, n.id, change.text))
		r.wrote(memory.ID(a.Value.Get("id").Text()))
		if err := a.refused(memory.ForbiddenScope); err != nil {
			return fmt.Errorf("%s: %w", change.what, err)
		}
	}
	if got, err := r.get(n.id); err != nil || !canon.Equal(got, n.record) {
		return first(err, errors.New("a revision that was refused changed the record"))
	}
	draft, _ := r.draft(`{"scope":{"visibility":"public"}}`)
	a := r.postAs(all, "remember", wrapped(draft))
	r.wrote(memory.ID(a.Value.Get("id").Text()))
	if err := a.refused(memory.ForbiddenScope); err != nil {
		return fmt.Errorf("writing in public: %w", err)
	}
	elsewhere, err := r.token(`{"aud":%q}`, r.other.DID())
	if err != nil {
		return err
	}
	if err := lets(r, elsewhere).refused(memory.Unauthorized); err != nil {
		return fmt.Errorf("a token for another server: %w", err)
	}
	return nil
}

func revocable(r *run) error {
	if r.Revoke == nil {
		return notTried("needs somebody who revokes tokens: the protocol has no operation for it")
	}
	jti := "conformance-" + r.word()
	token, err := r.token(`{"jti":%q}`, jti)
	if err != nil {
		return err
	}
	if _, err := lets(r, token).ok(); err != nil {
		return err
	}
	if err := r.Revoke(jti); err != nil {
		return notTried("the token could not be revoked: " + err.Error())
	}
	if err := lets(r, token).refused(memory.Unauthorized); err != nil {
		return err
	}
	peer, err := r.peer()
	if err != nil {
		return err
	}
	_, err = lets(r, peer).ok()
	return err
}

func endRequired(r *run) error {
	return refusesTokens(r,
		variant{"no exp", `{"exp":null}`}, variant{"an exp that is no time", `{"exp":"never"}`}, variant{"an exp that is a number", `{"exp":4102444800}`},
		variant{"an nbf to come", fmt.Sprintf(`{"nbf":%q,"exp":%q}`, instant(r, 2*time.Hour), instant(r, 3*time.Hour))},
		variant{"an exp in the past", fmt.Sprintf(`{"exp":%q}`, instant(r, -2*time.Hour))})
}
