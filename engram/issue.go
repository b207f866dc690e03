package engram

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
)

// DefaultLifetime is how long an export lives unless its signer says otherwise
// (ENGRAM-3.2-6). MaxLifetime is the longest recommended lifetime (ENGRAM-3.2-5).
const (
	DefaultLifetime = 12 * time.Hour
	MaxLifetime     = 24 * time.Hour
)

// Signer is an issuer with a key, which issues exports.
type Signer struct {
	Issuer
	Kid      string
	Key      keys.Private
	Lifetime time.Duration // 0: [DefaultLifetime]
}

// Issue signs a view (section 3.8, steps 1 to 5). The bytes are canonical, numbers
// included, so one form is signed and verified (decision E-01).
func (s Signer) Issue(v View, now time.Time) ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	before, after := split(s.document(v, now).Wire())
	payload := slices.Concat(before, []byte{','}, after)
	signature := base64.RawURLEncoding.EncodeToString(s.Key.Sign(payload))
	return slices.Concat(before, []byte(`,"signature":`+strconv.Quote(signature)+`,`), after), nil
}

func (s Signer) check() error {
	switch {
	case s.Key.IsZero():
		return fmt.Errorf("issue an export: %w", keys.ErrNoKey)
	case s.Kid == "":
		return errors.New("issue an export: the key has no kid")
	case s.Name == "":
		return errors.New("issue an export: the issuer has no name")
	case !isAddress(s.URL):
		return errors.New("issue an export: the address of the issuer is not absolute; give one like https://memory.example")
	case s.Lifetime < 0:
		return errors.New("issue an export: it would have expired before it was issued")
	}
	return nil
}

// document puts the envelope around a view.
func (s Signer) document(v View, now time.Time) Document {
	lifetime := s.Lifetime
	if lifetime == 0 {
		lifetime = DefaultLifetime
	}
	now = now.UTC().Truncate(time.Second)
	if minimalIdentity(v.Scope) {
		v.Subject.DisplayName = "" // decision E-14
	}
	return Document{
		Version: Version, Schema: SchemaURL,
		IssuedAt: now, ExpiresAt: now.Add(lifetime), Kid: s.Kid,
		Issuer: s.Issuer, Subject: v.Subject,
		Scope: v.Scope, Definition: v.Definition,
		Memory: v.Memory,
	}
}

// split writes the members of an envelope before and after its signature, without the outer
// braces. Neither part is empty.
func split(envelope canon.Value) (before, after []byte) {
	var first, last []canon.Member
	for _, m := range envelope.Members() {
		switch c := canon.CompareNames(m.Name, "signature"); {
		case c < 0:
			first = append(first, m)
		case c > 0:
			last = append(last, m)
		}
	}
	before = canon.Object(first...).AppendCanonical(nil)
	after = canon.Object(last...).AppendCanonical(nil)
	return before[:len(before)-1], after[1:]
}

// SameIssue reports whether two signed documents say the same, apart from the times of
// issue and expiry.
func SameIssue(a, b []byte) bool {
	if len(a) != len(b) { // all dates of this package have one length
		return false
	}
	said := func(document []byte) (canon.Value, error) {
		v, err := canon.Parse(document, canon.Options{Bytes: int64(len(document)), Inexact: true})
		return v.Without("issued_at").Without("expires_at").Without("signature"), err
	}
	was, err := said(a)
	is, other := said(b)
	return err == nil && other == nil && canon.Equal(was, is)
}
