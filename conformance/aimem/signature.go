package aimemsuite

import (
	"encoding/base64"
	"errors"
	"net/http"

	"github.com/satchel-memory/satchel/canon"
)

func signatureChecks() []check {
	return []check{
		{"AIMEM-5.3-1", func(r *run) error { return r.badSignature() }},
		{"AIMEM-5.3-2", func(r *run) error {
			a := r.get(exportPath)
			if err := a.Is(200); err != nil {
				return err
			}
			said := a.Header.Values("AIMEM-Signature")
			if len(said) == 0 {
				return notOffered("signatures of its exports")
			}
			if _, err := base64.StdEncoding.DecodeString(said[0]); err != nil || len(said) > 1 {
				return errors.New("AIMEM-Signature of an export is not base64, or there is more than one")
			}
			return summed(r.send(a.Body, "", "AIMEM-Signature: "+said[0]))
		}},
		{"AIMEM-5.3-4", func(r *run) error {
			v, said, err := r.signed()
			if err != nil {
				return err
			}
			// The signature covers the bundle, not the bytes of the document.
			if err := summed(r.send(v.AppendIndent(nil, " "), "", "AIMEM-Signature: "+said)); err != nil {
				return err
			}
			other := sample{v}.edit("", `exported_at="2026-06-12T10:00:01Z"`).sealed()
			return r.send(other.Append(nil), "", "AIMEM-Signature: "+said).Is(422)
		}},
		{"AIMEM-5.3-6", func(r *run) error {
			a := r.call(r.Token, http.MethodGet, keyPath, nil)
			if err := publicKey(a); err != nil {
				return err
			}
			if a.Header.Get("Content-Type") != "application/cose-key" {
				return errors.New("the public key does not come as application/cose-key")
			}
			return nil
		}},
		{"AIMEM-5.3-7", func(r *run) error { return publicKey(r.call("", http.MethodGet, keyPath, nil)) }},
		{"AIMEM-5.3-9", func(r *run) error { return r.badSignature() }},
		{"AIMEM-5.4-3", func(r *run) error {
			v, said, err := r.signed()
			if err != nil {
				return err
			}
			return r.send(sample{v}.edit("", `exported_at="2031-01-01T00:00:00Z"`).sealed().Append(nil), "", "AIMEM-Signature: "+said).Is(422)
		}},
	}
}

// publicKey returns nil if an answer holds a COSE_Key, or a set of them.
func publicKey(a answer) error {
	if a.Status == http.StatusNotFound {
		return notOffered("a public key")
	}
	if err := a.Is(200); err != nil {
		return err
	}
	if len(a.Body) == 0 || a.Body[0]>>5 != 5 && a.Body[0]>>5 != 4 {
		return errors.New("the public key is no COSE_Key")
	}
	return nil
}

// signed returns an export and its signature.
func (r *run) signed() (bundle canon.Value, signature string, err error) {
	a := r.get(exportPath)
	if signature = a.Header.Get("AIMEM-Signature"); signature == "" {
		return bundle, "", notOffered("signatures of its exports")
	}
	bundle, err = exported(a)
	return bundle, signature, err
}

// badSignature sends an invalid signature with a good bundle.
func (r *run) badSignature() error {
	s := r.single()
	junk := base64.StdEncoding.EncodeToString([]byte("no signature at all"))
	b, stale := s.sealed().Append(nil), s.With("checksum", canon.String("sha256:"+zeros)).Append(nil)
	return first(r.send(b, "", "AIMEM-Signature: "+junk).Is(422), r.send(b, "", "AIMEM-Signature: !!!").Is(422),
		r.send(stale, "", "AIMEM-Signature: !!!").Is(409), r.outside("", s.content(0)))
}
