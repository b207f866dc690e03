package umpsuite

import (
	"encoding/base64"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// claims returns the claims of a peer that may read the run's project for an hour, changed
// by a merge patch.
func claims(r *run, change string, args ...any) canon.Value {
	base := object(`{"v":%q,"iss":%q,"verbs":["read"],"scope":{"project":%q},"exp":%q,"jti":"conformance-%s"}`,
		ump.TokenEdition, r.Owner, r.Project, instant(r, time.Hour), raw(r.word()))
	v := canon.MergePatch(base, object(change, args...))
	if !v.Has("scope") { // a null removes the limits, not the member
		v = v.With("scope", canon.Object())
	}
	return v
}

// instant spells a time that is d from now.
func instant(r *run, d time.Duration) string {
	return r.Now().Add(d).UTC().Format("2006-01-02T15:04:05Z")
}

// token makes a capability token with valid claims.
func (r *run) token(change string, args ...any) (string, error) {
	claims := claims(r, change, args...)
	switch {
	case r.Mint != nil:
		return r.Mint(readClaims(claims))
	case r.Key != nil:
		return seal(claims.AppendCanonical(nil), *r.Key), nil
	}
	return "", notTried("needs the owner's key, or somebody who mints tokens")
}

// forged makes a token with any claims.
func forged(r *run, change string, args ...any) (string, error) {
	if r.Key == nil {
		return "", notTried("needs the owner's key, to make tokens that nobody should")
	}
	return seal(claims(r, change, args...).AppendCanonical(nil), *r.Key), nil
}

// seal signs any payload (decision UD-25).
func seal(payload []byte, key keys.Private) string {
	text := base64.RawURLEncoding.EncodeToString(payload)
	message := ump.Fingerprint([]byte(text))
	return "umpcap." + text + ".ed25519:" + base64.RawURLEncoding.EncodeToString(key.Sign(message[:]))
}

// readClaims converts valid claims into claims for minting.
func readClaims(v canon.Value) ump.Claims {
	text := func(name string) string { return v.Get(name).Text() }
	scope := v.Get("scope")
	c := ump.Claims{
		Version: text("v"), Issuer: memory.DID(text("iss")), Audience: text("aud"), Subject: text("sub"), ID: text("jti"),
		Scope: memory.Scope{
			Owner: memory.DID(scope.Get("owner").Text()), Project: scope.Get("project").Text(), Agent: scope.Get("agent").Text(),
			Visibility: memory.Visibility(scope.Get("visibility").Text()),
		},
	}
	for _, verb := range v.Get("verbs").Items() {
		c.Verbs = append(c.Verbs, memory.Verb(verb.Text()))
	}
	c.Expires, _ = time.Parse(time.RFC3339, text("exp"))
	c.NotBefore, _ = time.Parse(time.RFC3339, text("nbf"))
	return c
}

// peer returns a token to read the run's project, the same for all rows.
func (r *run) peer() (string, error) {
	if r.level < 3 {
		return "", notTried("below level 3 nobody is told apart by a token")
	}
	return r.peerToken.get(r, func() (string, error) { return r.token(`{}`) })
}

// outsider returns the token of a caller who does not see everything: a peer's, or else
// none. If the run itself needs no token, no such caller exists.
func outsider(r *run) (string, error) {
	if token, err := r.peer(); err == nil {
		return token, nil
	}
	if r.Token == "" {
		return "", notTried("the server tells nobody apart")
	}
	return "", nil
}

// shared stores a memory that peers may see, if the run's token may share.
func shared(r *run, visibility memory.Visibility, change string, args ...any) (note, error) {
	draft, word := r.draft(change, args...)
	draft = draft.With("scope", draft.Get("scope").With("visibility", canon.String(string(visibility))))
	a := r.post("remember", wrapped(draft))
	if a.code() == memory.ForbiddenScope {
		return note{}, notTried(fmt.Sprintf("the run's token may not write what is %s", visibility))
	}
	v, err := a.ok()
	if err != nil {
		return note{}, err
	}
	n := note{id: memory.ID(v.Get("id").Text()), word: word}
	r.wrote(n.id)
	n.record, err = r.get(n.id)
	return n, err
}
