package engram

import (
	"bytes"
	"crypto/ed25519"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// Trust says how far to trust an accepted export.
type Trust string

// The three degrees of trust.
const (
	// Verified: the expected issuer signed it.
	Verified Trust = "verified"
	// Unrecognised: the signature is valid, but no issuer was expected, and anybody can be
	// one (decision E-08).
	Unrecognised Trust = "valid signature by unknown issuer"
	// Unverified: there is no signature (section 12.6).
	Unverified Trust = "unsigned"
)

// Skew is how far an issuer's clock may be ahead (decision E-09). It does not extend an
// export's life.
const Skew = 5 * time.Minute

// VerifyOptions say what the reader expects of an export.
type VerifyOptions struct {
	// Issuer is the address of the expected issuer: where the export was fetched, or a
	// known one. Empty: no issuer is expected, and nothing is [Verified].
	Issuer string
	// Keys returns the issuer's keys. With fresh it asks the issuer again, because the
	// known keys lack a kid (ENGRAM-3.8-25).
	Keys func(fresh bool) ([]Key, error)
	Now  time.Time
	// Audience is the URI of this runtime: Verify refuses an export issued to another
	// (ENGRAM-3.7-22). Empty: not checked.
	Audience string
	// AllowUnsigned accepts exports without a signature, from a channel that is trusted
	// itself (ENGRAM-12.6-3).
	AllowUnsigned bool
	Supported     string // version; empty: [Version]
	Bytes         int64  // most bytes; 0: 32 MiB
}

// Verdict is an accepted export and how far to trust it.
type Verdict struct {
	Document Document
	Trust    Trust
	Kid      string      // of the key that signed it; empty: unsigned
	Until    time.Time   // its end: the earlier of expires_at and valid_until
	Warnings []Violation // as of [Parse]
}

// Verify reads an export and decides whether it may be used (section 3.8, steps 1 to 8).
// The error is a [*Refusal]; the verdict is then empty.
func Verify(raw []byte, o VerifyOptions) (Verdict, error) {
	d, warnings, err := Parse(raw, ReadOptions{Bytes: o.Bytes, Supported: o.Supported})
	if err != nil {
		return Verdict{}, unreadable(err)
	}
	out := Verdict{Document: d, Trust: Unverified, Until: d.until(), Warnings: warnings}
	if d.Signature.Value == Unsigned {
		if !o.AllowUnsigned {
			return Verdict{}, &Refusal{Reason: NotSigned, Rule: "ENGRAM-12.6-2"}
		}
	} else {
		if out.Kid, err = d.signed(o); err != nil {
			return Verdict{}, err
		}
		if out.Trust = Unrecognised; o.Issuer != "" {
			out.Trust = Verified
		}
	}
	if err := d.Usable(o); err != nil {
		return Verdict{}, err
	}
	return out, nil
}

// Usable repeats the checks that each use of a verified document needs: its issuer, its
// audience and its end.
func (d Document) Usable(o VerifyOptions) error {
	switch {
	case o.Issuer != "" && !SameIssuer(o.Issuer, d.Issuer.URL):
		return &Refusal{Reason: IssuerMismatch, Rule: "ENGRAM-3.8-26"}
	case o.Now.IsZero() || !o.Now.Before(d.until()): // no expiry counts as expired
		return &Refusal{Reason: Expired, Rule: "ENGRAM-3.8-13", Detail: expiredText}
	case d.IssuedAt.After(o.Now.Add(Skew)):
		return &Refusal{Reason: FromTheFuture, Rule: "ENGRAM-3.2-3"}
	case o.Audience != "" && d.Definition != nil && d.Definition.IssuedTo != "" && d.Definition.IssuedTo != o.Audience:
		return &Refusal{Reason: WrongAudience, Rule: "ENGRAM-3.7-22"}
	}
	return nil
}

// expiredText is what section 5 says about an expired export.
const expiredText = "Engram export has expired — fetch a fresh one"

// until returns the earlier of expires_at and valid_until (decision E-09); zero without an
// expiry.
func (d Document) until() time.Time {
	if d.ExpiresAt.IsZero() || d.Definition == nil || d.Definition.ValidUntil.IsZero() || d.ExpiresAt.Before(d.Definition.ValidUntil) {
		return d.ExpiresAt
	}
	return d.Definition.ValidUntil
}

// signed verifies the signature and returns the kid of its key.
func (d Document) signed(o VerifyOptions) (string, error) {
	kid := d.Kid
	if kid == "" {
		kid = d.Signature.Kid // decision E-04
	}
	if kid == "" {
		return "", &Refusal{Reason: MissingKid, Rule: "ENGRAM-3.8-9"}
	}
	signature, ok := decode64(d.Signature.Value, ed25519.SignatureSize)
	if !ok || !d.Signature.ed25519() {
		return "", &Refusal{Reason: MalformedSignature, Rule: "ENGRAM-3.8-27"}
	}
	if o.Issuer != "" && !SameIssuer(o.Issuer, d.Issuer.URL) {
		return "", &Refusal{Reason: IssuerMismatch, Rule: "ENGRAM-3.8-26"} // before its keys are asked for
	}
	key, err := o.key(kid)
	if err != nil {
		return "", err
	}
	switch {
	case !o.Now.Before(key.ExpiresAt):
		return "", &Refusal{Reason: KeyExpired, Rule: "ENGRAM-3.8-24"}
	case key.CreatedAt.After(d.IssuedAt):
		return "", &Refusal{Reason: KeyNotYet, Rule: "ENGRAM-3.8-24"}
	case !verifies(key.Public, d.Value.Without("signature"), signature):
		return "", &Refusal{Reason: BadSignature, Rule: "ENGRAM-3.8-12"}
	}
	return kid, nil
}

func (s Signature) ed25519() bool {
	return s.Algorithm == "" || s.Algorithm == "Ed25519" || s.Algorithm == "EdDSA"
}

// key returns the key of a kid, after asking again once.
func (o VerifyOptions) key(kid string) (Key, error) {
	for _, fresh := range []bool{false, true} {
		if o.Keys == nil {
			break
		}
		list, err := o.Keys(fresh)
		if err != nil {
			return Key{}, &Refusal{Reason: NoKeys, Rule: "ENGRAM-3.8-10", Detail: "the issuer's keys could not be had", Err: err}
		}
		at := slices.IndexFunc(list, func(k Key) bool { return k.Kid == kid })
		if at >= 0 && len(list[at].Public) == ed25519.PublicKeySize {
			return list[at], nil
		}
	}
	return Key{}, &Refusal{Reason: UnknownKid, Rule: "ENGRAM-3.8-11"}
}

// verifies tries the two forms that bind the same values (decision E-01).
func verifies(public ed25519.PublicKey, payload canon.Value, signature []byte) bool {
	canonical := payload.AppendCanonical(nil)
	if ed25519.Verify(public, canonical, signature) {
		return true
	}
	spelled := asSpelled(payload)
	return !bytes.Equal(spelled, canonical) && ed25519.Verify(public, spelled, signature)
}
