package aimemsuite

import (
	"fmt"
	"net/http"
	"strings"
)

// variant is a sample with one change, and the status that the server must return.
type variant struct {
	status int
	array  string   // the array with the changed first record; "" is the envelope
	edits  []string // see [edited]; $P, $A, $Z, $E stand for the producer and the ids of the sample's records
}

// accepted and refused return variants of the first record of an array, one for each edit.
func accepted(array string, edits ...string) []variant {
	return each(http.StatusOK, array, edits)
}

func refused(array string, edits ...string) []variant {
	return each(http.StatusUnprocessableEntity, array, edits)
}

func each(status int, array string, edits []string) []variant {
	var all []variant
	for _, e := range edits {
		all = append(all, variant{status, array, strings.Split(e, " && ")})
	}
	return all
}

// variants returns a check that sends all variants. A refused bundle must leave nothing
// behind.
func variants(groups ...[]variant) func(*run) error {
	return func(r *run) error {
		for _, group := range groups {
			for _, v := range group {
				if err := r.tryVariant(v); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

func (r *run) tryVariant(v variant) error {
	s := r.sample()
	names := strings.NewReplacer("$P", r.producer, "$A", s.at(chunks, 0).Get("id").Text(), "$Z", s.at(chunks, 1).Get("id").Text(),
		"$E", s.at(entities, 0).Get("id").Text())
	edits := make([]string, len(v.edits))
	for i, e := range v.edits {
		edits[i] = names.Replace(e)
	}
	changed := s.edit(v.array, edits...)
	if v.array == chunks && !changed.at(chunks, 0).Has("id") || changed.at(chunks, 0).Get("id").Text() != s.at(chunks, 0).Get("id").Text() {
		changed = sample{changed.With(edges, emptyArray()).With(links, emptyArray())} // the bundle has no other fault
	}
	var err error
	if v.status == http.StatusOK {
		err = r.takes(changed.sealed())
	} else {
		err = r.post(changed.sealed()).Is(v.status)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", shortened(strings.Join(edits, ", ")), err)
	}
	return nil
}

func shortened(text string) string {
	if len(text) > 80 {
		return text[:80] + "…"
	}
	return text
}
