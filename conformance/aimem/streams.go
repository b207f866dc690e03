package aimemsuite

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/satchel-memory/satchel/canon"
)

func streamChecks() []check {
	return []check{
		{"AIMEM-3.1-10", func(r *run) error {
			a := r.get(streamPath)
			if _, _, err := streamed(a); err != nil {
				return err
			}
			if got := a.Header.Get("Content-Type"); got != streamType {
				return fmt.Errorf("a stream comes as %q", got)
			}
			return nil
		}},
		{"AIMEM-3.1-11", func(r *run) error {
			envelope, _, err := r.stream("")
			if err != nil {
				return err
			}
			for _, array := range []string{chunks, edges, entities, links} {
				if envelope.Has(array) {
					return errors.New("the first line of a stream has " + array)
				}
			}
			for _, name := range []string{"format", "version", "producer", "tenant_id", "exported_at", "scope", "checksum"} {
				if !envelope.Has(name) {
					return errors.New("the first line of a stream has no " + name)
				}
			}
			return nil
		}},
		{"AIMEM-3.1-12", func(r *run) error {
			if err := r.takes(r.sample().sealed()); err != nil {
				return err
			}
			_, lines, err := r.stream("")
			if err == nil && len(lines) == 0 {
				err = errors.New("a stream of a memory that is not empty has no records")
			}
			for _, line := range lines {
				if !slices.Contains(kinds(), line.Get("_kind").Text()) {
					return errors.New("a line of a stream has no _kind, or none of the four")
				}
			}
			return err
		}},
		{"AIMEM-3.1-13", sameAsWhole},
		{"AIMEM-3.1-14", func(r *run) error {
			fact := r.single()
			if err := first(r.call("", http.MethodGet, streamPath+"?scope=DNA_ONLY", nil).Is(401), r.get(streamPath+"?scope=ALL").Is(422), r.takes(fact.sealed())); err != nil {
				return err
			}
			v, err := r.reassembled("?scope=DNA_ONLY")
			if err == nil && found(v, fact.content(0)).Type() != canon.TypeUndefined {
				err = errors.New("a stream of DNA_ONLY has a fact")
			}
			return first(err, equal("scope of the stream", v.Get("scope"), `"DNA_ONLY"`))
		}},
		{"AIMEM-3.1-15", interleaved},
	}
}

// kinds returns the kinds of a stream's lines, in the order of the arrays.
func kinds() []string { return []string{"chunk", "edge", "entity", "chunk_entity"} }

func arrays() []string { return []string{chunks, edges, entities, links} }

// stream returns the envelope and the records of a stream.
func (r *run) stream(query string) (envelope canon.Value, records []canon.Value, err error) {
	return streamed(r.get(streamPath + query))
}

// streamed returns the envelope and the records of an answer with status 200.
func streamed(a answer) (envelope canon.Value, records []canon.Value, err error) {
	if err := a.Is(200); err != nil {
		return canon.Value{}, nil, err
	}
	if len(a.Body) == 0 || a.Body[len(a.Body)-1] != '\n' {
		return canon.Value{}, nil, errors.New("the last line of a stream is not ended")
	}
	for line := range bytes.SplitSeq(bytes.TrimSuffix(a.Body, []byte("\n")), []byte("\n")) {
		v, err := parse(line)
		if err != nil || v.Type() != canon.TypeObject {
			return canon.Value{}, nil, errors.New("a line of a stream is no JSON object")
		}
		records = append(records, v)
	}
	if !records[0].Has("checksum") {
		return canon.Value{}, nil, errors.New("the first line of a stream is no envelope")
	}
	return records[0], records[1:], nil
}

// reassembled returns the bundle that a stream represents.
func (r *run) reassembled(query string) (canon.Value, error) {
	envelope, records, err := r.stream(query)
	if err != nil {
		return canon.Value{}, err
	}
	by := map[string][]canon.Value{}
	for _, v := range records {
		kind := v.Get("_kind").Text()
		by[kind] = append(by[kind], v.Without("_kind"))
	}
	for i, kind := range kinds() {
		envelope = envelope.With(arrays()[i], canon.Array(by[kind]...))
	}
	return envelope, nil
}

func sameAsWhole(r *run) error {
	v, err := r.reassembled("")
	if err != nil {
		return err
	}
	if err := equal("checksum of a stream", v.Get("checksum"), `"`+checksumOf(v)+`"`); err != nil {
		return err
	}
	whole, err := r.export("")
	if err != nil {
		return err
	}
	for _, array := range arrays() {
		if !canon.Equal(v.Get(array), whole.Get(array)) {
			return fmt.Errorf("%s of a stream are not those of the export", array)
		}
	}
	return nil
}

// interleaved sends a stream with its edge before its chunks.
func interleaved(r *run) error {
	s := r.sample()
	b := s.sealed()
	envelope := b
	for _, array := range arrays() {
		envelope = envelope.Without(array)
	}
	body := append(envelope.Append(nil), '\n')
	for _, i := range []int{1, 3, 0, 2} {
		for _, v := range b.Get(arrays()[i]).Items() {
			body = append(v.With("_kind", canon.String(kinds()[i])).Append(body), '\n')
		}
	}
	a := r.send(body, "", "Content-Type: "+streamType)
	if a.Status == http.StatusUnsupportedMediaType {
		return notOffered("the import of streams")
	}
	return first(a.Is(200), equal("number of chunks inserted", a.Value.Get("inserted"), "2"), r.inside("", s.content(1)))
}
