package umpsuite

import (
	"errors"
	"fmt"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// object returns the JSON of a format. %q, %s and %d write its arguments. Only the owner's
// DID and ids come from outside, and they have no quotes.
func object(format string, args ...any) canon.Value {
	text := fmt.Sprintf(format, args...)
	v, err := canon.Parse([]byte(text), canon.Options{})
	if err != nil {
		panic("a literal is no JSON: " + text) // no test passes with it
	}
	return v
}

// word returns a word that appears in no other memory and in no other word.
func (r *run) word() string {
	r.words++
	word := r.nonce
	for n, i := r.words, 0; i < 3; n, i = n/len(conformance.Letters), i+1 {
		word += string(conformance.Letters[n%len(conformance.Letters)])
	}
	return word
}

// text returns a unique text and the word that finds it.
func (r *run) text() (text, word string) {
	word = r.word()
	r.seen.secrets = append(r.seen.secrets, word)
	return "The " + word + " stands in the yard.", word
}

// draft returns a unique draft, changed by a merge patch, and the word that finds it.
func (r *run) draft(change string, args ...any) (canon.Value, string) {
	text, word := r.text()
	base := object(`{"kind":"semantic","body":{"text":%q},"scope":{"owner":%q,"project":%q}}`, text, r.Owner, r.Project)
	return canon.MergePatch(base, object(change, args...)), word
}

// wrapped returns the request of remember.
func wrapped(record canon.Value) canon.Value {
	return canon.Object(canon.Member{Name: "record", Value: record})
}

// wrote notes that the run wrote a record. It ignores an invalid id.
func (r *run) wrote(id memory.ID) {
	if ump.ValidID(id) && !slices.Contains(r.made, id) {
		r.made = append(r.made, id)
	}
}

// put sends a record to remember and returns the result.
func (r *run) put(record canon.Value) (memory.ID, memory.Outcome, error) {
	return r.putAs(r.Token, record)
}

func (r *run) putAs(token string, record canon.Value) (memory.ID, memory.Outcome, error) {
	a := r.postAs(token, "remember", wrapped(record))
	r.wrote(memory.ID(a.Value.Get("id").Text()))
	v, err := a.ok()
	if err != nil {
		return "", "", err
	}
	id, result := memory.ID(v.Get("id").Text()), memory.Outcome(v.Get("result").Text())
	switch {
	case result != memory.Rejected && !ump.ValidID(id):
		return "", result, errors.New("remember answered without an id of the form urn:ump:…")
	case result != memory.Rejected:
		return id, result, nil
	}
	return "", memory.Rejected, fmt.Errorf("remember rejected the record (%s)", short(v.Get("reason").Text()))
}

// remember stores a draft with a merge patch applied.
func (r *run) remember(change string, args ...any) (memory.ID, error) {
	draft, _ := r.draft(change, args...)
	id, _, err := r.put(draft)
	return id, err
}

// get returns a record.
func (r *run) get(id memory.ID) (canon.Value, error) {
	v, err := r.fetch(id).ok()
	if err != nil {
		return canon.Value{}, err
	}
	return v.Get("record"), nil
}

// stored remembers a draft with a merge patch applied, and gets the record.
func (r *run) stored(change string, args ...any) (canon.Value, error) {
	id, err := r.remember(change, args...)
	if err != nil {
		return canon.Value{}, err
	}
	return r.get(id)
}

// refuses sends a draft with a merge patch applied. The server must refuse it with the code
// and keep nothing.
func (r *run) refuses(code memory.ErrorKind, change string, args ...any) error {
	draft, _ := r.draft(change, args...)
	return r.refusesRecord(draft, code)
}

// refusesRecord sends a record. The server must refuse it with one of the codes, or answer
// that it rejected the record.
func (r *run) refusesRecord(record canon.Value, codes ...memory.ErrorKind) error {
	a := r.post("remember", wrapped(record))
	r.wrote(memory.ID(a.Value.Get("id").Text()))
	if a.Status < 300 && a.Value.Get("result").Text() == string(memory.Rejected) {
		return nil
	}
	return a.refused(codes...)
}

// refusesAll works as refuses, for several changes with the same code.
func (r *run) refusesAll(code memory.ErrorKind, changes ...string) error {
	for _, change := range changes {
		if err := r.refuses(code, "%s", raw(change)); err != nil {
			return fmt.Errorf("a draft with %s: %w", short(change), err)
		}
	}
	return nil
}

// variant is one of several inputs to try: its description and its text.
type variant struct{ what, text string }

// raw is text that goes into a format unchanged.
type raw string

// accepts stores a draft with each change.
func (r *run) accepts(changes ...string) error {
	for _, change := range changes {
		if _, err := r.remember("%s", raw(change)); err != nil {
			return fmt.Errorf("a draft with %s: %w", short(change), err)
		}
	}
	return nil
}

// keeps stores a draft with a member set to a value, and compares the stored member.
func (r *run) keeps(pointer, change string) error {
	v, err := r.stored("%s", raw(change))
	if err != nil {
		return err
	}
	want, _ := object("%s", raw(change)).At(pointer)
	if got, _ := v.At(pointer); !canon.Equal(got, want) {
		return fmt.Errorf("%s is not kept as it was given", pointer)
	}
	return nil
}

// recall asks with the run's token; change is a merge patch on the request.
func (r *run) recall(query, change string, args ...any) ([]canon.Value, error) {
	return r.recallAs(r.Token, query, change, args...)
}

func (r *run) recallAs(token, query, change string, args ...any) ([]canon.Value, error) {
	v, err := r.postAs(token, "recall", r.question(query, change, args...)).ok()
	if err != nil {
		return nil, err
	}
	if v.Get("results").Type() != canon.TypeArray {
		return nil, errors.New("recall answered without results")
	}
	return v.Get("results").Items(), nil
}

// question returns the request of a recall in the run's project.
func (r *run) question(query, change string, args ...any) canon.Value {
	base := object(`{"query":%q,"scope":{"project":%q},"limit":50}`, query, r.Project)
	return canon.MergePatch(base, object(change, args...))
}

// idsOf returns the ids of results, best first.
func idsOf(results []canon.Value) []memory.ID {
	ids := make([]memory.ID, len(results))
	for i, hit := range results {
		ids[i] = memory.ID(hit.Get("record").Get("id").Text())
	}
	return ids
}

// finds recalls and compares: the results must have every id of want, and none of others.
func (r *run) finds(query, change string, want, others []memory.ID) error {
	return r.findsAs(r.Token, query, change, want, others)
}

func (r *run) findsAs(token, query, change string, want, others []memory.ID) error {
	results, err := r.recallAs(token, query, "%s", raw(change))
	if err != nil {
		return err
	}
	ids := idsOf(results)
	for _, id := range want {
		if !slices.Contains(ids, id) {
			return errors.New("recall does not bring a record that it should")
		}
	}
	for _, id := range others {
		if slices.Contains(ids, id) {
			return errors.New("recall brings a record that it should not")
		}
	}
	return nil
}

func first(errs ...error) error { return conformance.First(errs...) }
