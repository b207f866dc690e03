package visit

import (
	"encoding/json"
	"errors"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Site is where browsers reach the pages. A passkey is good at one host only, and so is a
// cookie over TLS.
type Site struct {
	Host   string // without a port
	Origin string // with scheme and port
	// Name is the name that cookies are bound to, as the browser's requests bring it. Empty:
	// the connection is not encrypted, and comes from this machine.
	Name string
}

// bound returns the secret of a visit as the site's cookie: a copy of it is worthless at a site
// of another name.
func (t Site) bound(secret string) string {
	if t.Name == "" {
		return secret
	}
	return secret + siteMark + t.Name
}

// siteMark stands in a secret before the name of the site.
const siteMark = "@"

// party is the site as WebAuthn knows it.
func (t Site) party() (*webauthn.WebAuthn, error) {
	return webauthn.New(&webauthn.Config{RPID: t.Host, RPDisplayName: "Satchel", RPOrigins: []string{t.Origin}})
}

// holder is an owner with passkeys, as WebAuthn knows one.
type holder struct {
	owner memory.DID
	keys  []webauthn.Credential
}

var _ webauthn.User = holder{}

func (h holder) WebAuthnID() []byte                         { return []byte(h.owner) }
func (h holder) WebAuthnName() string                       { return string(h.owner) }
func (h holder) WebAuthnDisplayName() string                { return "your memory" }
func (h holder) WebAuthnCredentials() []webauthn.Credential { return h.keys }

// holderOf returns an owner with the passkeys among these rows.
func holderOf(owner memory.DID, rows []store.Session) holder {
	h := holder{owner: owner}
	for _, row := range rows {
		var key webauthn.Credential
		if row.Use == store.Passkey && json.Unmarshal([]byte(row.Code), &key) == nil {
			h.keys = append(h.keys, key)
		}
	}
	return h
}

// challenge is what a device was asked to sign, and all that is needed to judge its answer.
type challenge struct{ text, session string }

func challengeFor(session *webauthn.SessionData) (challenge, error) {
	kept, err := json.Marshal(session)
	return challenge{session.Challenge, string(kept)}, err
}

// offer asks for a new passkey, on a device that none of the holder's is on.
func (t Site) offer(h holder) (question []byte, asked challenge, err error) {
	p, err := t.party()
	if err != nil {
		return nil, asked, err
	}
	needs := protocol.AuthenticatorSelection{ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(), UserVerification: protocol.VerificationRequired}
	creation, session, err := p.BeginRegistration(h, webauthn.WithAuthenticatorSelection(needs), webauthn.WithExclusions(webauthn.Credentials(h.keys).CredentialDescriptors()))
	if err == nil {
		asked, err = challengeFor(session)
	}
	if err == nil {
		question, err = json.Marshal(creation.Response)
	}
	return question, asked, err
}

// made verifies a new passkey and returns its id and what the store keeps of it.
func (t Site) made(h holder, asked string, answer []byte) (id, key string, err error) {
	p, err := t.party()
	if err != nil {
		return "", "", err
	}
	session, err := sessionOf(asked)
	if err != nil {
		return "", "", err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return "", "", err
	}
	made, err := p.CreateCredential(h, session, parsed)
	if err != nil {
		return "", "", err
	}
	key, err = keptOf(made)
	return string(made.ID), key, err
}

// ask asks for any passkey of this site.
func (t Site) ask() (question []byte, asked challenge, err error) {
	p, err := t.party()
	if err != nil {
		return nil, asked, err
	}
	assertion, session, err := p.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err == nil {
		asked, err = challengeFor(session)
	}
	if err == nil {
		question, err = json.Marshal(assertion.Response)
	}
	return question, asked, err
}

// verify verifies the answer of a device with a passkey of the holder's, and returns what the
// store keeps of the passkey from now on. A passkey that seems to be a copy is refused.
func (t Site) verify(h holder, asked string, answer []byte) (key string, err error) {
	p, err := t.party()
	if err != nil {
		return "", err
	}
	session, err := sessionOf(asked)
	if err != nil {
		return "", err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return "", err
	}
	used, err := p.ValidateDiscoverableLogin(func(_, _ []byte) (webauthn.User, error) { return h, nil }, session, parsed)
	if err != nil {
		return "", err
	}
	if used.Authenticator.CloneWarning {
		return "", errors.New("the passkey counts backwards: there is a copy of it")
	}
	return keptOf(used)
}

func sessionOf(asked string) (session webauthn.SessionData, err error) {
	return session, json.Unmarshal([]byte(asked), &session)
}

// keptOf returns what the store keeps of a passkey: nothing that says which device it is on.
func keptOf(key *webauthn.Credential) (string, error) {
	kept := webauthn.Credential{ID: key.ID, PublicKey: key.PublicKey, Flags: key.Flags, Authenticator: webauthn.Authenticator{SignCount: key.Authenticator.SignCount}}
	text, err := json.Marshal(kept)
	return string(text), err
}

// shown is who a device says that it is.
type shown struct {
	id    string // of the passkey
	owner memory.DID
}

// shownBy reads who a device says that it is. Nothing is verified yet.
func shownBy(answer []byte) (shown, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return shown{}, err
	}
	return shown{string(parsed.RawID), memory.DID(parsed.Response.UserHandle)}, nil
}

// challengeOf reads which challenge a device answers. Nothing is verified yet.
func challengeOf(answer []byte) (string, error) {
	var said struct {
		Response struct {
			ClientDataJSON protocol.URLEncodedBase64 `json:"clientDataJSON"`
		} `json:"response"`
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return "", err
	}
	var client struct {
		Challenge string `json:"challenge"`
	}
	if err := json.Unmarshal(said.Response.ClientDataJSON, &client); err != nil || client.Challenge == "" {
		return "", errors.Join(err, errors.New("the answer names no challenge"))
	}
	return client.Challenge, nil
}
