package umpsuite

import (
	"errors"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

func redactedCopies(r *run) error {
	peer, err := r.peer()
	if err != nil {
		return err
	}
	for _, look := range []func(*run, string) error{copiesCut, salienceHidden} {
		if err := look(r, peer); err != nil {
			return err
		}
	}
	anywhere, err := r.token(`{"scope":null}`)
	if err != nil {
		return err
	}
	return projectHidden(r, anywhere)
}

// copiesCut checks that a redacted text appears nowhere else, and that its words find
// nothing.
func copiesCut(r *run, peer string) error {
	word := r.word()
	text := "The " + word + " stands in the yard."
	n, err := shared(r, memory.Shared, `{"body":{"text":%q,"structured":{"aimem":{"text":%q}}},"consent":{"redact":["body.text"]}}`, text, text)
	if err != nil {
		return err
	}
	a := r.fetchAs(peer, n.id)
	if _, err := a.ok(); err != nil {
		return err
	}
	if strings.Contains(string(a.Body), word) {
		return errors.New("a copy of what is redacted is left in the record")
	}
	b := r.postAs(peer, "recall", r.question("yard "+word, `{}`))
	if strings.Contains(string(b.Body), word) {
		return errors.New("recall brings a copy of what is redacted")
	}
	guessed, err := r.recallAs(peer, word, `{}`)
	if err != nil {
		return err
	}
	unlike := []rune(r.word()) // a server may find a word by one that looks like it
	slices.Reverse(unlike)
	wrong, err := r.recallAs(peer, string(unlike), `{}`)
	if err == nil && slices.Contains(idsOf(guessed), n.id) && !slices.Contains(idsOf(wrong), n.id) {
		err = errors.New("a word that is redacted finds its record")
	}
	return err
}

// salienceHidden checks that the signal reveals nothing of a redacted salience: it is the
// same for two records that differ in salience.
func salienceHidden(r *run, peer string) error {
	word := r.word()
	var told []float64
	for i, salience := range []string{"0.05", "0.95"} {
		n, err := shared(r, memory.Shared, `{"body":{"text":"The %s of row %d stands in the yard."},"lifecycle":{"salience":%s},"consent":{"redact":["lifecycle.salience"]}}`,
			raw(word), i, raw(salience))
		if err != nil {
			return err
		}
		hit, err := r.hit(peer, word, r.Project, n.id)
		if err != nil {
			return err
		}
		if hit.Type() == canon.TypeUndefined {
			return errors.New("recall does not bring a record of which a hint is redacted")
		}
		told = append(told, hit.Get("signals").Get("salience").Float())
	}
	if told[0] != told[1] {
		return errors.New("the signal salience tells of what is redacted")
	}
	return nil
}

// projectHidden checks that nobody can find a record's redacted project by asking for
// projects. Any two projects get the same answer.
func projectHidden(r *run, peer string) error {
	n, err := shared(r, memory.Shared, `{"scope":{"project":"%s-b"},"consent":{"redact":["scope.project"]}}`, raw(r.Project))
	if err != nil {
		return err
	}
	right, err := r.hit(peer, n.word, r.Project+"-b", n.id)
	if err != nil {
		return err
	}
	wrong, err := r.hit(peer, n.word, r.Project+"-c", n.id)
	switch {
	case err != nil:
		return err
	case right.Type() != wrong.Type():
		return errors.New("recall in one project and another tells to which a record belongs that does not say")
	case right.Get("signals").Get("scope_match").Float() != wrong.Get("signals").Get("scope_match").Float():
		return errors.New("the signal scope_match tells of a project that is redacted")
	}
	return nil
}

// hit returns a record among the results of a recall in a project, or undefined.
func (r *run) hit(token, query, project string, id memory.ID) (canon.Value, error) {
	hits, err := r.recallAs(token, query, `{"scope":{"project":%q}}`, project)
	at := slices.Index(idsOf(hits), id)
	if err != nil || at < 0 {
		return canon.Value{}, err
	}
	return hits[at], nil
}
