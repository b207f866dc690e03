package aaifconform

import (
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/trial"
	"github.com/satchel-memory/satchel/keys"
)

// noKey is why rows are not tried without one.
const noKey = "the run has no key to sign with"

func signatureChecks() []check {
	return []check{
		{"AAIF-12-16", func(r *run) error {
			if r.Key.IsZero() {
				return trial.Lacks(noKey)
			}
			if err := r.present(); err != nil {
				return blocked(err)
			}
			v := r.sign(at(r.definition(r.agentID), "standard").With("x-conformance", canon.Number(1.5)))
			a := r.take(v)
			if err := named("a signed definition", a.taken()); err != nil {
				return err
			}
			if strings.Contains(texts(a.value.Get("warnings")), "SIGNATURE") || strings.Contains(texts(a.value.Get("warnings")), "signature") {
				return trial.Lacks("the platform does not trust the key for definitions")
			}
			return nil
		}},
		{"AAIF-12-17", altered},
	}
}

// altered sends definitions that were changed after they were signed, and some without
// a signature.
func altered(r *run) error {
	if err := r.present(); err != nil {
		return blocked(err)
	}
	unsigned := r.take(at(r.definition(r.agentID), "standard"))
	if unsigned.taken() == nil && unsigned.value.Get("warnings").Len() == 0 {
		return named("unsigned, and not warned of", unsigned.refused(0))
	}
	if r.Key.IsZero() {
		return trial.Lacks(noKey)
	}
	v := r.sign(at(r.definition(""), "standard"))
	if r.take(r.sign(at(r.definition(r.agentID), "strict"))).code() == aaif.SignatureUntrusted {
		return trial.Lacks("the platform does not trust the key for definitions")
	}
	_, err := r.rejects("a goal that was changed", http.StatusUnprocessableEntity, set(v, "/agent/goal", canon.String("Be somebody else.")), aaif.SignatureInvalid)
	return err
}

// sign signs a definition, and names the key, so that whoever does not know it can tell a
// change from an unknown author.
func (r *run) sign(v canon.Value) canon.Value {
	return aaif.Sign(aaif.WithSigner(v, r.Key.DID()), r.Key)
}

// stranger is a key that nobody knows.
func (r *run) stranger() (keys.Private, error) { return keys.Generate(r.Random) }
