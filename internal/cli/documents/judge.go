package documents

import (
	"cmp"
	"errors"
	"io"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
)

// The words for the trust in an export.
const (
	goodExport     = string(engram.Verified)
	unknownIssuer  = string(engram.Unrecognised) // the signature is valid
	unsignedExport = string(engram.Unverified)
	unknownKeys    = "issuer not known" // the signature was not checked
	rejectedExport = "rejected"
)

// Judging says how to judge exports of Engram.
type Judging struct {
	keys     []engram.Key // the given keys; nil: the keys of the issuer that are known here
	issuer   string       // the expected issuer; empty: any known one
	fetch    bool         // fetch the keys of an unknown issuer once
	audience string       // URI of the audience that an export must have, if it has any
	expired  bool         // judge an expired export as of its time
}

// ExportVerdict is the verdict on an export.
type ExportVerdict struct {
	Verdict  string   `json:"verdict"`
	Reason   string   `json:"reason,omitempty"` // of a refusal
	Rule     string   `json:"rule,omitempty"`
	Issuer   string   `json:"issuer,omitempty"`
	Kid      string   `json:"kid,omitempty"`
	Issued   string   `json:"issued_at,omitempty"`
	Until    string   `json:"until,omitempty"`
	Ended    bool     `json:"ended,omitempty"`                 // the export has expired, and was accepted
	Alias    bool     `json:"under_another_address,omitempty"` // this store signed it, when its address was Issuer
	Warnings []string `json:"warnings"`

	Doc     engram.Document `json:"-"`
	Refusal *engram.Refusal `json:"-"`
}

// maxExport is the most bytes of an export.
const maxExport = 32 << 20

// isExport reports whether a document is an export of Engram.
func (d *document) isExport() bool { return d.Format.Name == engram.Name && d.File != nil }

// Export reads the document as an export.
func (d *document) Export() ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(io.NewSectionReader(d.File, 0, d.Size), maxExport+1))
	if err == nil && len(raw) > maxExport {
		err = cli.Invalidf("%s is longer than %d MiB", cli.Clean(d.Source.Name), maxExport>>20)
	}
	return raw, err
}

// Judge decides whether to trust an export: by the given keys, by the known keys of its
// issuer, or, if asked, by the keys that the issuer publishes (decision E-08). The error
// concerns the search for keys, never the export.
func Judge(a *cli.App, raw []byte, how Judging) (ExportVerdict, error) {
	return JudgeWith(a, raw, how, func(issuer string) (KnownKeys, error) { return keysOfIssuer(a, issuer) })
}

// JudgeWith is [Judge] for a caller with an open store: known returns the known key lists
// of an issuer.
func JudgeWith(a *cli.App, raw []byte, how Judging, known func(issuer string) (KnownKeys, error)) (ExportVerdict, error) {
	d, warnings, err := engram.Parse(raw, engram.ReadOptions{})
	if err != nil {
		_, err := engram.Verify(raw, engram.VerifyOptions{Now: a.Now()})
		return refused(engram.Document{}, err), nil
	}
	by := KnownKeys{of: [][]engram.Key{how.keys}}
	if how.keys == nil {
		if by, err = known(cmp.Or(how.issuer, d.Issuer.URL)); err != nil {
			return ExportVerdict{}, err
		}
	}
	out, err := judgeBy(a, raw, d, by, how)
	for _, w := range warnings {
		out.Warnings = append(out.Warnings, w.Pointer+": "+w.Message+" ["+w.Rule+"]")
	}
	return out, err
}

// judgeBy judges an export by lists of keys; one list that verifies it is enough.
func judgeBy(a *cli.App, raw []byte, d engram.Document, by KnownKeys, how Judging) (ExportVerdict, error) {
	o := engram.VerifyOptions{Now: a.Now(), Audience: how.audience, AllowUnsigned: true, Issuer: how.issuer}
	named := o
	if o.Issuer == "" && engram.SameIssuer(d.Issuer.URL, d.Issuer.URL) {
		named.Issuer = d.Issuer.URL // the keys are known to be its own
	}
	var out ExportVerdict
	for _, list := range by.of {
		if out = verified(raw, d, named, list, how.expired); out.Verdict != rejectedExport {
			return out, nil
		}
	}
	if signedWith(raw, d, named, by.own) {
		out = verified(raw, d, named, by.own, how.expired)
		out.Alias = true
		return out, nil
	}
	if len(by.of) > 0 {
		return out, nil
	}
	return judgeStranger(a, raw, d, o, how)
}

// signedWith reports whether one of these keys signed an export, even if the export
// is refused for another reason.
func signedWith(raw []byte, d engram.Document, o engram.VerifyOptions, list []engram.Key) bool {
	o.Audience = ""
	return len(list) > 0 && verified(raw, d, o, list, true).Verdict == goodExport
}

// KnownKeys are the keys that may verify an export.
type KnownKeys struct {
	of  [][]engram.Key // lists of the issuer's keys, of which one is enough; none: the issuer is unknown
	own []engram.Key   // this store's own keys, which may have used that address; none: they are locked
}

// keysOfIssuer returns the keys of an issuer that the store knows; none without a store.
func keysOfIssuer(a *cli.App, issuer string) (known KnownKeys, err error) {
	h, err := a.Home()
	if err != nil || !cli.Exists(h.Config()) {
		return KnownKeys{}, nil // or if there is no place for a store
	}
	err = a.With(cli.Probing, func(o *cli.Session) error {
		known, err = KeysOfIssuer(o, a, issuer)
		return err
	})
	return known, err
}

// KeysOfIssuer returns the known keys of an issuer: this store's own, if it is the issuer
// and they open, and those that the owner trusts.
func KeysOfIssuer(o *cli.Session, a *cli.App, issuer string) (known KnownKeys, err error) {
	if !o.Key.IsZero() {
		if known.own, err = o.Config.CurrentIssuer().Ever(o.Key); err != nil {
			return known, err
		}
	}
	if engram.SameIssuer(issuer, IssuerURL(o.Config)) && len(known.own) > 0 {
		known.of, known.own = append(known.of, known.own), nil
	}
	trusted, err := TrustedKeys(o, a, issuer)
	if len(trusted) > 0 {
		known.of = append(known.of, trusted)
	}
	return known, err
}

// judgeStranger judges an export of an unknown issuer: no part of it is ever
// verified.
func judgeStranger(a *cli.App, raw []byte, d engram.Document, o engram.VerifyOptions, how Judging) (ExportVerdict, error) {
	var list []engram.Key
	if how.fetch && d.Signature.Value != engram.Unsigned {
		var err error
		if list, _, err = IssuerKeysNamed(a, "", d.Issuer.URL); err != nil {
			return ExportVerdict{}, err
		}
	}
	out := verified(raw, d, o, list, how.expired)
	if out.Refusal != nil && out.Refusal.Reason == engram.UnknownKid && list == nil {
		out.Verdict, out.Reason, out.Rule, out.Refusal = unknownKeys, "the signature was not checked: no key of the issuer is known here", "", nil
	}
	return out, nil
}

// verified verifies an export by a list of keys.
func verified(raw []byte, d engram.Document, o engram.VerifyOptions, list []engram.Key, expired bool) ExportVerdict {
	o.Keys = func(bool) ([]engram.Key, error) { return list, nil }
	v, err := engram.Verify(raw, o)
	ended := false
	if r, ok := errors.AsType[*engram.Refusal](err); ok && expired && hasEnded(r, d, o.Now) {
		o.Now, ended = d.IssuedAt, true
		v, err = engram.Verify(raw, o)
	}
	if err != nil {
		return refused(d, err)
	}
	out := outline(d)
	out.Verdict, out.Kid, out.Ended = string(v.Trust), v.Kid, ended
	return out
}

// hasEnded reports whether an export, or the key that signed it, was valid before.
func hasEnded(r *engram.Refusal, d engram.Document, now time.Time) bool {
	return (r.Reason == engram.Expired || r.Reason == engram.KeyExpired) && d.IssuedAt.Before(now)
}

// outline returns an export's statements about itself.
func outline(d engram.Document) ExportVerdict {
	until := d.ExpiresAt
	if d.Definition != nil && !d.Definition.ValidUntil.IsZero() && d.Definition.ValidUntil.Before(until) {
		until = d.Definition.ValidUntil
	}
	return ExportVerdict{Issuer: d.Issuer.URL, Issued: cli.Stamp(d.IssuedAt), Until: cli.Stamp(until), Warnings: []string{}, Doc: d}
}

// refused returns the verdict on a refused export.
func refused(d engram.Document, err error) ExportVerdict {
	out := outline(d)
	out.Verdict, out.Reason = rejectedExport, cli.Describe(err)
	if r, ok := errors.AsType[*engram.Refusal](err); ok {
		out.Refusal, out.Rule = r, r.Rule
		if r.Err == nil {
			out.Reason = string(r.Reason)
		}
	}
	return out
}
