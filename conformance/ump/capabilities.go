package umpsuite

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func capabilitiesChecks() []check {
	return []check{
		{"UMP-3-1", objectsOnly},
		{"UMP-3.1-2", eightMembers},
		{"UMP-3.1-3", levelInForce},
		{"UMP-3.1-4", bindingsInService},
		{"UMP-3.1-6", maxRecall},
		{"UMP-3.1-7", readOnlySays},
		{"UMP-3.1-8", askingChangesNothing},
	}
}

func objectsOnly(r *run) error {
	for _, body := range []string{`[]`, `"x"`, `5`, `null`} {
		if err := r.raw("recall", body).refused(memory.InvalidRecord); err != nil {
			return fmt.Errorf("a request that is %s: %w", body, err)
		}
	}
	_, err := r.post("recall", r.question("yard", `{}`)).ok()
	return err
}

func envelopes(r *run) error {
	for _, a := range []answer{
		r.fetch("urn:ump:aaaa"), r.raw("recall", `{"query":`), r.raw("remember", `{"record":{"body":{}}}`), r.call(r.Token, http.MethodGet, "/ump/nope", nil),
	} {
		if a.Err != nil {
			return a.Err
		}
	}
	return r.seen.verdict("UMP-3-2")
}

func eightMembers(r *run) error {
	types := []struct {
		name string
		want canon.Type
	}{
		{"server", canon.TypeObject}, {"ump", canon.TypeString}, {"conformance", canon.TypeString}, {"kinds", canon.TypeArray},
		{"bindings", canon.TypeArray}, {"retrieval_signals", canon.TypeArray}, {"max_recall", canon.TypeNumber}, {"writable", canon.TypeBool},
	}
	known := []string{"owner"} // whose memory the caller accesses: an extension
	if r.edition() == ump.LaterEdition {
		known = append(known, "audit") // row UMP1-9-2
	}
	for _, m := range types {
		if r.offered.Get(m.name).Type() != m.want {
			return fmt.Errorf("capabilities lacks %s, or has it with another type", m.name)
		}
		known = append(known, m.name)
	}
	for _, name := range []string{"name", "version"} {
		if r.offered.Get("server").Get(name).Text() == "" {
			return fmt.Errorf("capabilities.server has no %s", name)
		}
	}
	extras(r, "capabilities", r.offered, known...)
	for _, m := range r.offered.Members() {
		if !slices.Contains(known, m.Name) {
			return fmt.Errorf("capabilities has a member %q that the specification does not name", short(m.Name))
		}
	}
	return nil
}

func levelInForce(r *run) error {
	says, err := levelOf("", r.offered)
	if err != nil {
		return errors.New("capabilities.conformance is none of L0, L1, L2, L3")
	}
	if says < r.level {
		return fmt.Errorf("level L%d is claimed, and capabilities says L%d", r.level, says)
	}
	n, err := r.plain()
	if err != nil {
		return err
	}
	token := r.postAs("", "recall", r.question(n.word, `{}`))
	feedback := r.post("feedback", object(`{"id":%q,"outcome":"followed"}`, n.id))
	switch {
	case says < 3 && feedback.Status < 300:
		return fmt.Errorf("level L%d is announced, and feedback is taken", says)
	case says == 3 && feedback.Status >= 300:
		return fmt.Errorf("level L3 is announced, and feedback answers %s", feedback.Said())
	case says == 3 && token.Status < 300 && slices.Contains(idsOf(token.Value.Get("results").Items()), n.id):
		return errors.New("level L3 is announced, and private memory is recalled without a token")
	case says == 3 && !n.record.Has("integrity"):
		return errors.New("level L3 is announced, and a record comes unsigned")
	}
	return nil
}

func bindingsInService(r *run) error {
	for _, b := range r.offered.Get("bindings").Items() {
		if b.Text() == "http" {
			return nil
		}
	}
	return errors.New("capabilities.bindings does not list http")
}

func signalsAnnounced(r *run) error {
	if err := sawHit(r, ""); err != nil {
		return err
	}
	said := map[string]bool{}
	for _, v := range r.offered.Get("retrieval_signals").Items() {
		said[v.Text()] = true
		if !slices.Contains(memory.SignalNames(), v.Text()) {
			return fmt.Errorf("the signal %q is announced, which the specification does not name", short(v.Text()))
		}
		if !r.seen.signals[v.Text()] {
			return fmt.Errorf("the signal %s is announced and never comes", v.Text())
		}
	}
	for name := range r.seen.signals {
		if !said[name] {
			return fmt.Errorf("the signal %s comes and is not announced", short(name))
		}
	}
	return nil
}

// maxCrowd is the number of memories for testing whether recall exceeds its limit.
const maxCrowd = 60

func maxRecall(r *run) error {
	most := int(r.offered.Get("max_recall").Float())
	if most < 1 {
		return errors.New("max_recall is not positive")
	}
	word := "yard"
	if most <= maxCrowd {
		var err error
		if word, _, err = crowd(r, most+1); err != nil {
			return err
		}
	}
	hits, err := r.recall(word, `{"limit":%d}`, most+1)
	if err == nil && len(hits) > most {
		err = fmt.Errorf("%d results came, and max_recall is %d", len(hits), most)
	}
	return err
}

func readOnlySays(r *run) error {
	if r.offered.Get("writable").True() {
		_, err := r.plain()
		return err
	}
	draft, _ := r.draft(`{}`)
	return first(
		r.refusesRecord(draft, memory.Unsupported),
		r.post("revise", object(`{"id":"urn:ump:aaaa","patch":{"body":{"text":"x"}}}`)).refused(memory.Unsupported),
		r.forget("urn:ump:aaaa", `{}`).refused(memory.Unsupported))
}

func askingChangesNothing(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	for range 5 {
		if _, err := r.call(r.Token, http.MethodGet, "/ump/capabilities", nil).ok(); err != nil {
			return err
		}
	}
	got, err := r.get(n.id)
	if err == nil && !canon.Equal(got, n.record) {
		err = errors.New("a record is another after capabilities was asked")
	}
	return err
}
