package engram

import (
	"cmp"
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
	p, err := s.Payload(v)
	if err != nil {
		return nil, err
	}
	return s.Sign(p, now), nil
}

// Payload is an export without its times and its signature. It can be signed again and
// again by the signer that made it.
type Payload struct {
	parts [4][]byte // around expires_at, issued_at and signature; see [split]
	size  int
}

// Size is the number of bytes.
func (p Payload) Size() int { return p.size }

// Payload writes what a signed view says, apart from when.
func (s Signer) Payload(v View) (Payload, error) {
	if err := s.check(); err != nil {
		return Payload{}, err
	}
	p := Payload{parts: split(s.document(v).Wire())}
	for _, part := range p.parts {
		p.size += len(part)
	}
	return p, nil
}

// Sign issues at now what s wrote with [Signer.Payload].
func (s Signer) Sign(p Payload, now time.Time) []byte {
	now = now.UTC().Truncate(time.Second)
	before := slices.Concat(
		p.parts[0], stamp("expires_at", FormatInstant(now.Add(cmp.Or(s.Lifetime, DefaultLifetime)))),
		p.parts[1], stamp("issued_at", FormatInstant(now)), p.parts[2])
	signature := base64.RawURLEncoding.EncodeToString(s.Key.Sign(slices.Concat(before, []byte{','}, p.parts[3])))
	return slices.Concat(before, stamp("signature", signature), p.parts[3])
}

func stamp(name, value string) []byte { return []byte(`,"` + name + `":` + strconv.Quote(value) + `,`) }

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

// document puts the envelope around a view, without times and signature.
func (s Signer) document(v View) Document {
	if minimalIdentity(v.Scope) {
		v.Subject.DisplayName = "" // decision E-14
	}
	return Document{
		Version: Version, Schema: SchemaURL, Kid: s.Kid,
		Issuer: s.Issuer, Subject: v.Subject,
		Scope: v.Scope, Definition: v.Definition,
		Consents: v.Consents, Memory: v.Memory,
	}
}

// split writes the members of an envelope before, between and after its times and its
// signature. The first part has the opening brace, the last the closing one. No part is empty.
func split(envelope canon.Value) (parts [4][]byte) {
	var members [4][]canon.Member
	for _, m := range envelope.Members() {
		at := 0
		for _, name := range []string{"expires_at", "issued_at", "signature"} {
			if canon.CompareNames(m.Name, name) > 0 {
				at++
			}
		}
		members[at] = append(members[at], m)
	}
	for i, list := range members {
		text := canon.Object(list...).AppendCanonical(nil)
		parts[i] = text[1 : len(text)-1]
	}
	parts[0] = append([]byte{'{'}, parts[0]...)
	parts[3] = append(parts[3], '}')
	return parts
}
