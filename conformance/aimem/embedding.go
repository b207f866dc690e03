package aimemsuite

import (
	"errors"
	"net/http"

	"github.com/satchel-memory/satchel/canon"
)

// vector encodes [0.1, -0.5, 1, 0], and spec is its description in the envelope.
const vector = "zczMPQAAAL8AAIA/AAAAAA=="

func embeddingChecks() []check {
	return []check{
		{"AIMEM-2.1-14", func(r *run) error {
			s := r.single(`embedding="` + vector + `"`)
			return first(r.post(s.sealed()).Is(422), r.takes(r.embedded().sealed()))
		}},
		{"AIMEM-2.1-15", func(r *run) error { return r.takes(r.single(`embedding=null`).sealed()) }},
		{"AIMEM-2.7-1", embedding(200, vector, `embedding_dim=4`)},
		{"AIMEM-2.7-2", both(embedding(422, "zczMPQAAAL8AAIA_AAAAAA==", `embedding_dim=4`), embedding(422, `zczMPQAA\nAL8AAIA/AAAAAA==`, `embedding_dim=4`))},
		{"AIMEM-2.7-3", both(embedding(422, "zczMPQAAAL8AAIA/", `embedding_dim=4`), embedding(422, "zczMPQAAAL8AAIA/AA==", `embedding_dim=4`))},
		{"AIMEM-2.7-4", both(embedding(422, vector, `embedding_dim=0`), embedding(422, vector, `embedding_dim=-1`),
			embedding(422, vector, `embedding_dim=3.5`), embedding(422, vector, `embedding_dim="4"`))},
		{"AIMEM-2.7-5", both(embedding(422, vector, `embedding_model`), embedding(422, vector, `embedding_model=""`))},
		{"AIMEM-2.7-7", func(r *run) error { return r.takes(r.embedded().sealed()) }},
		{"AIMEM-2.7-8", warnsOfModel},
		{"AIMEM-2.7-11", func(r *run) error {
			s := r.embedded()
			return r.takes(s.put(chunks, 1, r.chunk(r.urn("bare"))).sealed())
		}},
		{"AIMEM-5.5-1", noneUnasked},
	}
}

// embedded returns a bundle of one chunk, with an embedding of a model that nobody has.
func (r *run) embedded() sample {
	return r.single(`embedding="`+vector+`"`).edit("", `embedding_dim=4`, `embedding_model="conformance-`+r.nonce+`"`)
}

func embedding(status int, text string, envelope ...string) func(*run) error {
	return func(r *run) error {
		b := r.embedded().edit(chunks, `embedding="`+text+`"`).edit("", envelope...).sealed()
		if status == http.StatusOK {
			return r.takes(b)
		}
		return r.post(b).Is(status)
	}
}

// both runs all tries.
func both(tries ...func(*run) error) func(*run) error {
	return func(r *run) error {
		for _, try := range tries {
			if err := try(r); err != nil {
				return err
			}
		}
		return nil
	}
}

func warnsOfModel(r *run) error {
	a, err := r.imported(r.embedded().sealed())
	if err != nil {
		return err
	}
	for _, w := range a.Value.Get("warnings").Items() {
		if w.Get("embedding_model").Text() == "conformance-"+r.nonce {
			return nil
		}
	}
	return errors.New("no warning names the model that is not supported")
}

func noneUnasked(r *run) error {
	v, err := r.taken(r.embedded())
	if err != nil {
		return err
	}
	for _, c := range v.Get(chunks).Items() {
		if c.Get("embedding").Type() == canon.TypeString {
			return errors.New("an export has embeddings that nobody asked for")
		}
	}
	return nil
}
