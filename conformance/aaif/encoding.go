package aaifsuite

import (
	"fmt"
	"net/http"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
)

func encodingChecks() []check {
	return []check{
		{"AAIF-9-4", func(r *run) error {
			raw, err := r.binary()
			if err != nil {
				return err
			}
			other := r.takeRaw(raw, `application/cbor; profile="https://other.example/cbor"`)
			return named("under another profile", other.is(http.StatusUnsupportedMediaType))
		}},
		{"AAIF-9-3", func(r *run) error {
			if _, err := r.binary(); err != nil {
				return err
			}
			for what, v := range r.wrong() {
				v = r.vouched(v)
				raw, err := aaif.ToCBOR(v)
				if err != nil {
					return err
				}
				json, cbor := r.take(v), r.takeRaw(raw, aaif.CBORMediaType)
				if err := cbor.refused(http.StatusUnprocessableEntity, json.code()); err != nil {
					return named(what, err)
				}
			}
			return nil
		}},
		{"AAIF-9-5", func(r *run) error {
			if _, err := r.binary(); err != nil {
				return err
			}
			return r.takeRaw([]byte{0xa1, 0x01, 0x02}, aaif.CBORMediaType).refused(http.StatusUnprocessableEntity, aaif.CBORKeyType)
		}},
		{"AAIF-9-7", func(r *run) error {
			if _, err := r.binary(); err != nil {
				return err
			}
			undefined := []byte{0xa1, 0x61, 'a', 0xf7}
			doubled := []byte{0xa2, 0x61, 'a', 0x01, 0x61, 'a', 0x02}
			return conformance.First(
				named("undefined", r.takeRaw(undefined, aaif.CBORMediaType).refused(http.StatusUnprocessableEntity, aaif.CBORNotJSON)),
				named("doubled keys", r.takeRaw(doubled, aaif.CBORMediaType).refused(http.StatusUnprocessableEntity, aaif.DuplicateKey)))
		}},
		{"AAIF-9-8", func(r *run) error {
			if _, err := r.binary(); err != nil {
				return err
			}
			return r.take(r.definition(r.agentID).With("tags", list("json"))).taken()
		}},
	}
}

// binary sends a definition as CBOR and returns it. Platforms need not accept CBOR.
func (r *run) binary() ([]byte, error) {
	if err := r.present(); err != nil {
		return nil, blocked(err)
	}
	raw, err := aaif.ToCBOR(r.vouched(r.definition(r.agentID).With("tags", list("cbor"))))
	if err != nil {
		return nil, err
	}
	a := r.takeRaw(raw, aaif.CBORMediaType)
	if a.Err == nil && a.Status == http.StatusUnsupportedMediaType {
		return nil, conformance.NotOffered("to take CBOR")
	}
	return raw, a.taken()
}

// twins sends the same definition in both encodings: the second must change nothing, and
// runs of both are alike.
func twins(r *run) error {
	if _, err := r.binary(); err != nil {
		return err
	}
	r.serial++
	v := r.vouched(r.definition(r.agentID).With("tags", list(fmt.Sprintf("twin-%d", r.serial))).With("x-conformance", canon.Array(canon.Number(0.5), canon.Int(7))))
	json := r.take(v)
	if err := json.taken(); err != nil {
		return err
	}
	raw, err := aaif.ToCBOR(v)
	if err != nil {
		return err
	}
	cbor := r.takeRaw(raw, aaif.CBORMediaType)
	if err := cbor.taken(); err != nil {
		return err
	}
	for _, name := range []string{"agent_id", "revision", "digest", "level", "warnings"} {
		if !canon.Equal(json.Value.Get(name), cbor.Value.Get(name)) {
			return fmt.Errorf("%s is another of the same definition in CBOR", name)
		}
	}
	if cbor.Status == http.StatusCreated {
		return fmt.Errorf("the same definition in CBOR is taken in as another: %s", cbor.Said())
	}
	return stage{r}.encodings()
}
