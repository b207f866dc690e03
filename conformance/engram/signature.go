package engramsuite

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/text/pattern"
)

func signatureChecks() []check {
	return []check{
		{"ENGRAM-3.8-1", func(r *run) error { return second(r.verified("")) }},
		{"ENGRAM-3.8-2", covers},
		{"ENGRAM-3.8-3", covers},
		{"ENGRAM-3.8-5", func(r *run) error {
			a := r.get("")
			return conformance.First(a.Is(200), numbers(a.Value))
		}},
		{"ENGRAM-3.8-7", func(r *run) error {
			a := r.get("")
			if s := a.Value.Get("signature"); !spelled.MatchString(s.Text()) {
				return errors.New("the signature is no string of 86 characters of base64url")
			}
			return a.Is(200)
		}},
		{"ENGRAM-3.8-10", func(r *run) error { return r.open(engram.KeysPath).Is(200) }},
		{"ENGRAM-3.8-16", func(r *run) error {
			a := r.open(engram.KeysPath)
			if err := a.Is(200); err != nil {
				return err
			}
			if a.Value.Get("keys").Len() == 0 || !strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") {
				return errors.New("no keys are listed, or not in JSON")
			}
			return nil
		}},
		{"ENGRAM-3.8-17", everyKey(func(k canon.Value) error {
			for _, name := range []string{"kid", "alg", "use", "public_key", "created_at", "expires_at"} {
				if k.Get(name).Text() == "" {
					return fmt.Errorf("a key has no %s", name)
				}
			}
			if k.Get("alg").Text() != "Ed25519" || k.Get("use").Text() != "sig" {
				return errors.New("a key is not for signing with Ed25519")
			}
			return nil
		})},
		{"ENGRAM-3.8-18", everyKey(func(k canon.Value) error {
			b, err := base64.RawURLEncoding.DecodeString(k.Get("public_key").Text())
			if err != nil || len(b) != ed25519.PublicKeySize {
				return errors.New("a public_key is not 32 bytes in base64url")
			}
			return nil
		})},
		{"ENGRAM-3.8-19", everyKey(func(k canon.Value) error {
			from, ok := engram.ParseInstant(k.Get("created_at").Text())
			to, also := engram.ParseInstant(k.Get("expires_at").Text())
			if !ok || !also || !to.After(from) {
				return errors.New("the times of a key are none, or in the wrong order")
			}
			return nil
		})},
		{"ENGRAM-3.8-20", func(r *run) error {
			var kids []string
			err := everyKey(func(k canon.Value) error {
				if slices.Contains(kids, k.Get("kid").Text()) {
					return errors.New("two keys have one kid")
				}
				kids = append(kids, k.Get("kid").Text())
				return nil
			})(r)
			return err
		}},
		{"ENGRAM-3.8-28", everyKey(func(k canon.Value) error {
			for _, name := range []string{"d", "private_key", "seed", "secret"} {
				if k.Has(name) {
					return fmt.Errorf("a listed key has a member %s", name)
				}
			}
			return nil
		})},
		{"ENGRAM-3.8-31", func(r *run) error { return second(r.verified("")) }},
		{"ENGRAM-12.6-4", func(r *run) error {
			a := r.get("")
			if s := a.Value.Get("signature"); s.Text() == engram.Unsigned || s.Get("value").Text() == engram.Unsigned {
				return errors.New("the context is not signed")
			}
			return a.Is(200)
		}},
	}
}

var spelled = pattern.New(`^[A-Za-z0-9_-]{86}$`)

// verified fetches a context and verifies it with the store's public answers.
func (r *run) verified(query string) (engram.Document, error) {
	a := r.get(query)
	if err := a.Is(http.StatusOK); err != nil {
		return engram.Document{}, err
	}
	v, err := engram.Verify(a.Body, engram.VerifyOptions{Issuer: r.Issuer, Now: r.Now(), Keys: func(bool) ([]engram.Key, error) { return r.keys() }})
	if err != nil {
		err = fmt.Errorf("%s: %w", a.Asked, err)
	}
	return v.Document, err
}

// keys returns the keys that the store lists.
func (r *run) keys() ([]engram.Key, error) {
	a := r.open(engram.KeysPath)
	if err := a.Is(http.StatusOK); err != nil {
		return nil, err
	}
	return engram.DecodeKeys(a.Body)
}

// covers checks that the signature verifies the canonical form alone, and covers each
// member.
func covers(r *run) error {
	a := r.get("")
	if err := a.Is(http.StatusOK); err != nil {
		return err
	}
	list, err := r.keys()
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(k engram.Key) bool { return k.Kid == a.Value.Get("kid").Text() })
	signature, bad := base64.RawURLEncoding.DecodeString(strings.TrimRight(a.Value.Get("signature").Text(), "="))
	if at < 0 || bad != nil || len(signature) != ed25519.SignatureSize {
		return errors.New("the signature is none, or its key is not listed")
	}
	payload := a.Value.Without("signature")
	if !ed25519.Verify(list[at].Public, payload.AppendCanonical(nil), signature) {
		return errors.New("the signature is not of the canonical form of all other members")
	}
	return nil
}

// numbers reports a number in a form that is not canonical.
func numbers(v canon.Value) error {
	for _, m := range v.Members() {
		if err := numbers(m.Value); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	for _, item := range v.Items() {
		if err := numbers(item); err != nil {
			return err
		}
	}
	if v.Type() == canon.TypeNumber && string(v.Append(nil)) != string(v.AppendCanonical(nil)) {
		return fmt.Errorf("a number is written as %s", v.Append(nil))
	}
	return nil
}

// everyKey tries each listed key.
func everyKey(try func(canon.Value) error) func(*run) error {
	return func(r *run) error {
		a := r.open(engram.KeysPath)
		if err := a.Is(http.StatusOK); err != nil {
			return err
		}
		if a.Value.Get("keys").Len() == 0 {
			return errors.New("no keys are listed")
		}
		for _, k := range a.Value.Get("keys").Items() {
			if err := try(k); err != nil {
				return err
			}
		}
		return nil
	}
}
