package aaifsuite

import (
	"net/http"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/keys"
)

// noKey is the reason for not trying rows without a key.
const noKey = "the run has no key to sign with"

func signatureChecks() []check {
	return []check{
		{"AAIF-12-16", func(r *run) error {
			if r.Key.IsZero() {
				return conformance.Lacks(noKey)
			}
			if err := r.present(); err != nil {
				return blocked(err)
			}
			a := r.takeSigned(at(r.definition(r.signedID), "standard").With("x-conformance", canon.Number(1.5)))
			if err := named("a signed definition", a.taken()); err != nil {
				return err
			}
			if strings.Contains(texts(a.Value.Get("warnings")), "SIGNATURE") || strings.Contains(texts(a.Value.Get("warnings")), "signature") {
				return conformance.Lacks("the platform does not trust the key for definitions")
			}
			return nil
		}},
		{"AAIF-12-17", altered},
	}
}

// altered sends definitions changed after signing, and some without a signature.
func altered(r *run) error {
	if err := r.present(); err != nil {
		return blocked(err)
	}
	unsigned := r.takeRaw(at(r.definition(r.agentID), "standard").Append(nil), jsonType)
	if unsigned.taken() == nil && unsigned.Value.Get("warnings").Len() == 0 {
		return named("unsigned, and not warned of", unsigned.refused(0))
	}
	if r.Key.IsZero() {
		return conformance.Lacks(noKey)
	}
	v := r.sign(at(r.definition(""), "standard"))
	if r.takeSigned(at(r.definition(r.signedID), "strict")).code() == aaif.SignatureUntrusted {
		return conformance.Lacks("the platform does not trust the key for definitions")
	}
	_, err := r.rejects("a goal that was changed", http.StatusUnprocessableEntity, set(v, "/agent/goal", canon.String("Be somebody else.")), aaif.SignatureInvalid)
	return err
}

// takeSigned sends a definition of the agent with signed definitions.
func (r *run) takeSigned(v canon.Value) answer {
	a := r.take(r.sign(v))
	if left := "agent " + r.signedID; a.taken() == nil && !slices.Contains(r.left, left) {
		r.left = append(r.left, left)
	}
	return a
}

// sign signs a definition and names the key. A reader who does not know the key can then
// tell a change from an unknown author.
func (r *run) sign(v canon.Value) canon.Value {
	return aaif.Sign(aaif.WithSigner(v, r.Key.DID()), r.Key)
}

// vouched signs an unsigned definition if the platform accepts signed ones only.
func (r *run) vouched(v canon.Value) canon.Value {
	if !r.signs || v.Get("provenance").Get("signature").Text() != "" {
		return v
	}
	return r.sign(v)
}

// stranger returns a key that nobody knows.
func (r *run) stranger() (keys.Private, error) { return keys.Generate(r.Random) }
