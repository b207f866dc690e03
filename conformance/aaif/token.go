package aaifsuite

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
)

func tokenChecks() []check {
	return []check{
		{"AAIF-8.2-2", func(r *run) error {
			return r.tokens(aaif.TokenInvalid, map[string]twist{"for 901 seconds": claiming("exp", func(t time.Time) canon.Value { return canon.Int(t.Unix() + 901) })})
		}},
		{"AAIF-12-12", func(r *run) error {
			return r.tokens(aaif.TokenInvalid, map[string]twist{
				"without a signature": func(_ *run, _, claims canon.Value) (string, error) {
					return compact(text("alg", "none"), claims, nil), nil
				},
				"signed with the public key":  publicSecret,
				"for 901 seconds, and ending": longEnding,
				"without an end": func(r *run, header, claims canon.Value) (string, error) {
					return r.signed(header, claims.Without("exp")), nil
				},
			})
		}},
		{"AAIF-12-13", func(r *run) error {
			return r.tokens(aaif.TokenInvalid, map[string]twist{"of a stranger": func(r *run, header, claims canon.Value) (string, error) {
				key, err := r.stranger()
				if err != nil {
					return "", err
				}
				return compact(header, claims, key.Sign), nil
			}})
		}},
		{"AAIF-8.2-8", bound},
	}
}

// twist makes a bad token from the content of a good one.
type twist func(r *run, header, claims canon.Value) (string, error)

func claiming(name string, to func(issued time.Time) canon.Value) twist {
	return func(r *run, header, claims canon.Value) (string, error) {
		return r.signed(header, claims.With(name, to(r.Now()))), nil
	}
}

// publicSecret plays the old trick: it uses the public key as a shared secret.
func publicSecret(r *run, header, claims canon.Value) (string, error) {
	return compact(header.With("alg", canon.String("HS256")), claims, func(signed []byte) []byte {
		m := hmac.New(sha256.New, r.Key.Public())
		m.Write(signed)
		return m.Sum(nil)
	}), nil
}

// longEnding is a token whose lifetime is too long, with 5 minutes left.
func longEnding(r *run, header, claims canon.Value) (string, error) {
	from := r.Now().Add(5*time.Minute - 901*time.Second).Unix()
	return r.signed(header, claims.With("iat", canon.Int(from)).With("nbf", canon.Int(from)).With("exp", canon.Int(from+901))), nil
}

// compact writes a JWS; with a nil sign, an unsigned one.
func compact(header, claims canon.Value, sign func([]byte) []byte) string {
	part := base64.RawURLEncoding.EncodeToString
	signed := part(header.Append(nil)) + "." + part(claims.Append(nil))
	if sign == nil {
		return signed + "."
	}
	return signed + "." + part(sign([]byte(signed)))
}

func (r *run) signed(header, claims canon.Value) string { return compact(header, claims, r.Key.Sign) }

// token returns a good token for a state.
func (r *run) token(state canon.Value) (aaif.Token, error) {
	id, err := aaif.NewTokenID(r.Random)
	now := r.Now()
	t := aaif.Token{ID: id, Issuer: r.Issuer, Audience: cmp.Or(r.Audience, r.offer.Platform.Name), IssuedAt: now, Expires: now.Add(10 * time.Minute)}
	return t.For(state), err
}

// ready gives a state its token and checksum.
func (r *run) ready(v canon.Value) (canon.Value, error) {
	t, err := r.token(v)
	if err != nil {
		return v, err
	}
	raw, err := aaif.IssueToken(t, r.Key, "")
	return aaif.WithToken(v, raw), err
}

// fresh returns a state that is ready to leave.
func (r *run) fresh() (canon.Value, error) {
	v, err := r.state()
	if err != nil {
		return v, err
	}
	return r.ready(v)
}

// forged gives a state a token signed by a stranger.
func (r *run) forged(v canon.Value) (canon.Value, error) {
	return r.twisted(v, func(r *run, header, claims canon.Value) (string, error) {
		key, err := r.stranger()
		return compact(header, claims, key.Sign), err
	})
}

// twisted gives a state a token that a twist made.
func (r *run) twisted(v canon.Value, make twist) (canon.Value, error) {
	t, err := r.token(v)
	if err != nil {
		return v, err
	}
	now := canon.Int(t.IssuedAt.Unix())
	claims := text("iss", t.Issuer, "aud", t.Audience, "sub", t.StateID, "agent_id", t.AgentID, "run_id", t.RunID, "jti", t.ID, "aaif_digest", t.Digest).
		With("iat", now).With("nbf", now).With("exp", canon.Int(t.Expires.Unix()))
	raw, err := make(r, text("alg", "EdDSA", "typ", "aaif-migration+jwt"), claims)
	return aaif.WithToken(v, raw), err
}

// tokens sends states with tokens that the platform must refuse, as documents and as
// streams.
func (r *run) tokens(code aaif.Code, twists map[string]twist) error {
	if err := r.moves(); err != nil {
		return blocked(err)
	}
	for what, make := range twists {
		v, err := r.state()
		if err != nil {
			return err
		}
		if v, err = r.twisted(v, make); err != nil {
			return err
		}
		if err := r.refuses(what, http.StatusUnauthorized, v, code); err != nil {
			return err
		}
		if r.streams() == nil {
			if err := r.stops(what+", as a stream", v, whole, code); err != nil {
				return err
			}
		}
	}
	return nil
}

// bound misuses tokens, and uses one token twice.
func bound(r *run) error {
	if err := r.moves(); err != nil {
		return blocked(err)
	}
	one, err := r.fresh()
	if err != nil {
		return err
	}
	other, err := r.state()
	if err != nil {
		return err
	}
	taken, _ := one.At("/provenance/migration_token")
	audience, err := r.twisted(other, claiming("aud", func(time.Time) canon.Value { return canon.String("elsewhere-" + r.nonce) }))
	if err != nil {
		return err
	}
	return conformance.First(
		r.refuses("a token of another state", 0, aaif.WithToken(other, taken.Text()), aaif.TokenBinding),
		r.refuses("a token for another platform", 0, audience, aaif.TokenAudience),
		named("a good one", r.land(one).taken()),
		named("the same again", r.land(one).refused(0, aaif.TokenReplayed)))
}
