package mapping_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// everySection is a file with every section.
func everySection(t testing.TB) string {
	t.Helper()
	archive, err := txtar.ParseFile("../testdata/read/file/every-section.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return string(archive.Files[0].Data)
}

// saying finds the record with a text.
func saying(t testing.TB, all []memory.Record, text string) memory.Record {
	t.Helper()
	for _, r := range all {
		if r.Body.Text == text {
			return r
		}
	}
	t.Fatalf("no record says %q", text)
	return memory.Record{}
}

func structured(t testing.TB, r memory.Record) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(r.Body.Structured, &v); err != nil {
		t.Fatal(err)
	}
	delete(v, "aicf")
	return v
}

func TestWhatEntriesBecome(t *testing.T) {
	all, losses := recordsIn(t, everySection(t))
	if len(losses) > 0 {
		t.Errorf("losses %v", losses)
	}
	talk := saying(t, all, "Conversation talk_1: roses (12 messages, claude)")
	sun := saying(t, all, "roses want sun")
	plant := saying(t, all, "plant roses Rationale: the bed has sun")
	work := saying(t, all, "status=completed; actions=planned the bed; flow: question > advice > plan")
	t.Run("check 1: one record of each thing, and one of the file", func(t *testing.T) {
		if len(all) != 11 || all[len(all)-1].Body.Text != "AICF file notes.aicf\ndecision_hose explains insight_well" || *all[len(all)-1].Lifecycle.Salience != 0 {
			t.Errorf("%d records, the last says %q", len(all), all[len(all)-1].Body.Text)
		}
	})
	t.Run("a conversation stays true", func(t *testing.T) {
		if talk.Kind != memory.Episodic || !talk.Time.ValidTo.IsZero() || talk.Scope.Session != "s1" || talk.Scope.Agent != "claude" ||
			talk.Time.ValidFrom.Format(time.TimeOnly) != "09:00:00" || talk.Time.Observed.Format(time.TimeOnly) != "09:40:00" {
			t.Errorf("%+v", talk)
		}
	})
	t.Run("a state that is completed ends with its conversation", func(t *testing.T) {
		if work.Kind != memory.Working || work.Time.ValidTo.Format(time.TimeOnly) != "09:40:00" {
			t.Errorf("%+v", work)
		}
	})
	t.Run("the user's state has a record for each key", func(t *testing.T) {
		if r := saying(t, all, "soil: clay"); r.Kind != memory.Semantic || r.Scope.User != "u7" || r.Scope.Session != "" {
			t.Errorf("%+v", r)
		}
	})
	t.Run("levels are numbers", func(t *testing.T) {
		if *sun.Lifecycle.Salience != 0.75 || *sun.Lifecycle.Confidence != 0.9 || *plant.Lifecycle.Confidence != 0.3 {
			t.Errorf("%+v %+v", sun.Lifecycle, plant.Lifecycle)
		}
		if sun.Provenance.ActorKind != memory.ByModel || sun.Provenance.Method != "aicf_insight" || sun.Provenance.Source.Ref != "talk_1" {
			t.Errorf("%+v", sun.Provenance)
		}
	})
	t.Run("a decision comes from its conversation", func(t *testing.T) {
		if plant.Relations[0] != (memory.Relation{Type: memory.DerivedFrom, Target: string(talk.ID)}) {
			t.Errorf("%+v", plant.Relations)
		}
	})
	t.Run("links lead to records, or to what has the name", func(t *testing.T) {
		for _, want := range []memory.Relation{
			{Type: "depends_on", Target: "entity:talk_2"}, {Type: "semantic_cluster", Target: string(sun.ID)},
			{Type: memory.About, Target: "entity:roses"}, {Type: memory.About, Target: "entity:sun"},
		} {
			if !slices.Contains(talk.Relations, want) {
				t.Errorf("%v is not in %v", want, talk.Relations)
			}
		}
	})
	t.Run("a vector stands beside what it is of, flagged where it is elided", func(t *testing.T) {
		list, _ := structured(t, talk)["embedding"].([]any)
		if len(list) != 1 || list[0].(map[string]any)["elided"] != true || list[0].(map[string]any)["dimension"] != 8.0 {
			t.Errorf("%v", list)
		}
	})
	t.Run("a consolidation comes from its sources", func(t *testing.T) {
		r := saying(t, all, "roses")
		if r.Provenance.Method != "semantic_clustering" || len(r.Relations) != 2 || r.Relations[0].Target != string(talk.ID) || r.Relations[1].Target != "entity:talk_2" {
			t.Errorf("%+v", r)
		}
	})
}

const twoInsights = "1|@CONVERSATION:c\n2|timestamp_start=2025-01-01T08:00:00Z\n3|timestamp_end=2025-01-01T09:00:00Z\n4|messages=2\n5|\n" +
	"6|@STATE\n7|status=in_progress\n8|\n9|@INSIGHTS\n10|@INSIGHTS the gate is red|GENERAL|HIGH|HIGH\n11|@INSIGHTS the gate is blue|GENERAL|urgent|0.85|id=blue\n12|\n"

func TestSupersession(t *testing.T) {
	all, _ := recordsIn(t, twoInsights+"13|@LINKS blue->insight_001|supersedes\n14|@LINKS blue->nothing|supersedes\n15|\n")
	red, blue := saying(t, all, "the gate is red"), saying(t, all, "the gate is blue")
	if !slices.Equal(blue.Supersedes, []memory.ID{red.ID}) || !slices.Equal(red.SupersededBy, []memory.ID{blue.ID}) || !red.Time.ValidTo.Equal(blue.Time.From()) {
		t.Errorf("%+v\n%+v", red, blue)
	}
	if !slices.Contains(blue.Relations, memory.Relation{Type: "supersedes", Target: "entity:nothing"}) {
		t.Errorf("a dangling link is %v", blue.Relations)
	}
}

func TestReadingAgainGivesTheSameIDs(t *testing.T) {
	first, _ := recordsIn(t, twoInsights)
	grown, _ := recordsIn(t, twoInsights+"13|@INSIGHTS the hedge is high|GENERAL|LOW|LOW\n14|@INSIGHTS the hedge is high|GENERAL|LOW|LOW\n15|\n")
	ids := map[memory.ID]bool{}
	for _, r := range grown {
		if ids[r.ID] {
			t.Errorf("two records are %s", r.ID)
		}
		ids[r.ID] = true
	}
	for _, r := range first[:len(first)-1] { // the last stands for the file
		if !ids[r.ID] {
			t.Errorf("%q is another record in the longer file", r.Body.Text)
		}
	}
}

func TestEditsAreWrittenInPlace(t *testing.T) {
	all, _ := recordsIn(t, twoInsights)
	for i, r := range all {
		if r.Body.Text == "the gate is blue" {
			r.Origin, r.Body.Text = nil, "the gate | is green"
			all[i] = r
		}
	}
	text, _ := fileOf(t, all...)
	if !strings.Contains(text, "\n13|@INSIGHTS the gate is red|GENERAL|HIGH|HIGH\n14|@INSIGHTS the gate \\| is green|GENERAL|urgent|0.85|id=blue\n15|\n") {
		t.Errorf("%s", text)
	}
	got, losses := recordsIn(t, text)
	if len(got) != len(all) || len(losses) > 0 {
		t.Errorf("%d records of %d, losses %v", len(got), len(all), losses)
	}
	t.Run("what is gone is not told", func(t *testing.T) {
		text, _ := fileOf(t, slices.DeleteFunc(all, func(r memory.Record) bool { return r.Body.Text == "the gate is red" })...)
		if strings.Contains(text, "is red") {
			t.Errorf("%s", text)
		}
	})
}

// preference is a record like that of UMP section 2.
func preference(t testing.TB) memory.Record {
	t.Helper()
	salience, confidence, yes := 0.6, 0.82, true
	r, err := ump.Author(memory.Record{
		Kind: memory.Semantic, Body: memory.Body{Text: "Use spaces, never tabs, in these notes."},
		Scope: memory.Scope{Owner: testKey(t).DID()}, Time: memory.Times{Created: mapTime},
		Lifecycle:  memory.Lifecycle{Salience: &salience, Confidence: &confidence},
		Provenance: &memory.Provenance{Actor: "ann", ActorKind: memory.ByUser, Method: "stated"}, Consent: &memory.Consent{Exportable: &yes},
	}, testKey(t))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestOneRecordInAFile(t *testing.T) {
	text, _ := fileOf(t, preference(t))
	t.Run("check 2: an insight, and the record beside it", func(t *testing.T) {
		if !strings.Contains(text, "@INSIGHTS Use spaces, never tabs, in these notes.|GENERAL|MEDIUM|HIGH|memory_type=semantic\n") || strings.Count(text, "@UMP_RECORD:") != 1 {
			t.Errorf("%s", text)
		}
		findings, err := aicf.Validate([]byte(text), aicf.Options{Strict: true})
		if err != nil || aicf.Fatal(findings, true) {
			t.Errorf("%v %v", err, findings)
		}
	})
	t.Run("check 3: pipes, line ends and backslashes", func(t *testing.T) {
		r := preference(t)
		r.ID, r.Origin, r.Integrity, r.Body.Text = "", nil, nil, "a|b\nC:\\new"
		r, err := ump.Author(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := fileOf(t, r)
		for _, text := range []string{text, withoutRides(text)} {
			all, _ := recordsIn(t, text)
			saying(t, all, "a|b\nC:\\new")
		}
	})
	t.Run("check 4: without the record the level is a number", func(t *testing.T) {
		all, _ := recordsIn(t, withoutRides(text))
		if r := saying(t, all, "Use spaces, never tabs, in these notes."); *r.Lifecycle.Salience != 0.5 || *r.Lifecycle.Confidence != 0.9 || len(all) != 1 {
			t.Errorf("%+v of %d", r.Lifecycle, len(all))
		}
	})
	t.Run("check 5: what may not be exported is absent", func(t *testing.T) {
		r, no := preference(t), false
		r.Origin, r.Integrity, r.Consent = nil, nil, &memory.Consent{Exportable: &no}
		text, losses := fileOf(t, r)
		if strings.Contains(text, "spaces") || len(losses) != 1 || losses[0].ID != r.ID {
			t.Errorf("%s\n%v", text, losses)
		}
	})
	t.Run("an edit in the file counts, and takes back no consent", func(t *testing.T) {
		all, losses := recordsIn(t, strings.Replace(text, "never tabs", "seldom tabs", 1))
		r := saying(t, all, "Use spaces, seldom tabs, in these notes.")
		if len(all) != 1 || len(losses) != 1 || r.Consent == nil || !*r.Consent.Exportable {
			t.Errorf("%d records, losses %v, consent %v", len(all), losses, r.Consent)
		}
	})
	t.Run("a record that was changed after it was signed does not come back", func(t *testing.T) {
		all, losses := recordsIn(t, strings.Replace(text, `"method":"stated"`, `"method":"guessed"`, 1))
		if len(losses) != 1 || len(all) != 1 || all[0].Integrity != nil {
			t.Errorf("%+v %v", all, losses)
		}
	})
}
