package umpsuite

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/memory"
)

func levelChecks() []check {
	return []check{
		{"UMP-7-1", bothForms},
		{"UMP-7-2", filesRedacted},
		{"UMP-7-6", levelSaid},
		{"UMP-8-1", entitiesAreNames},
		{"UMP-8-3", noConsolidate},
		{"UMP-8-4", decayHarmless},
	}
}

// bothForms looks for a record in the JSON export and converts it to Markdown and back.
// Without an export over HTTP it converts the result of get.
func bothForms(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	d, err := r.document()
	switch {
	case isSkipped(err):
		return survives(n.record)
	case err != nil:
		return err
	case !canon.Equal(d.records[n.id], n.record):
		return errors.New("a record is another in the export than over get")
	}
	return survives(d.records[n.id])
}

func filesRedacted(r *run) error {
	if r.level < 2 {
		return notTried("a server of level 1 is not told what to redact")
	}
	c, err := curate(r)
	if err != nil {
		return err
	}
	d, err := r.document()
	if err != nil {
		return err
	}
	if err := absentFrom(d, c.cut.id, c.secret); err != nil {
		return err
	}
	if !d.records[c.cut.id].Has("consent") {
		return errors.New("the consent block went with what it redacts")
	}
	return nil
}

// The demands of section 7 on a level count there, whatever the keyword of their own rows:
// the operations, and that each takes part in the level's subject.

func levelOne(r *run) error {
	return reached(r, "L1", "UMP-4.2-1", "UMP-4.2-2", "UMP-4.2-3", "UMP-4.2-6")
}

func levelTwo(r *run) error {
	return reached(r, "L2", "UMP-4.2-4", "UMP-4.2-5", "UMP-2.3-3", "UMP-2.2-3", "UMP-3.2-7", "UMP-3.6-2")
}

func levelThree(r *run) error {
	return reached(r, "L3", "UMP-4.2-7", "UMP-4.2-9", "UMP-3.7-2", "UMP-5.2-1", "UMP-2.8-1", "UMP-6.1-4")
}

// reached checks that the server keeps every row that counts, up to a level, and the level's
// essential rows.
func reached(r *run, level string, essence ...string) error {
	var broken []string
	for _, result := range r.Results {
		failed := result.Outcome == conformance.Fail || result.Outcome == conformance.Blocked || result.Outcome == conformance.Warn && slices.Contains(essence, result.ID)
		if failed && result.Level <= level && !slices.Contains([]string{"UMP-7-3", "UMP-7-4", "UMP-7-5"}, result.ID) {
			broken = append(broken, result.ID)
		}
	}
	if len(broken) == 0 {
		return nil
	}
	more := ""
	if n := len(broken) - 5; n > 0 {
		broken, more = broken[:5], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Errorf("not reached: %s%s", strings.Join(broken, ", "), more)
}

func levelSaid(r *run) error {
	_, v, err := manifestOf(r)
	if err == nil && v.Get("conformance").Text() != r.offered.Get("conformance").Text() {
		err = errors.New("the manifest says another level than capabilities")
	}
	if r.offered.Get("bindings").Len() == 0 {
		return errors.New("no binding is named")
	}
	return err
}

func entitiesAreNames(r *run) error {
	if _, err := r.remember(`{"relations":[{"type":"about","target":"entity:pump"}]}`); err != nil {
		return err
	}
	return r.fetch("entity:pump").refused(memory.NotFound, memory.InvalidRecord)
}

func noVectors(r *run) error { return sawRecord(r, "UMP-8-2") }

func noConsolidate(r *run) error {
	return r.raw("consolidate", `{}`).refused(memory.NotFound, memory.Unsupported)
}

func decayHarmless(r *run) error {
	n, err := r.noted(`{"lifecycle":{"decay":"moon phase; waning"}}`)
	if err == nil && n.record.Get("lifecycle").Get("decay").Text() != "moon phase; waning" {
		err = errors.New("the hint is not kept")
	}
	return first(err, r.finds(n.word, `{}`, []memory.ID{n.id}, nil))
}
