package mapping_test

import (
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// spring is a file of another writer: numbered fields below one header, sections that the
// format does not know, repeated ids, and lines that belong to no section.
const spring = `Kept by the gardeners.

@DECISIONS:spring-round
timestamp=2025-10-06T15:00:00Z
decision_1=Plant garlic before the frost
rationale_1=It needs the cold
impact_1=HIGH
decision_2=Leave the leaves on the beds
total_decisions=2

@INSIGHTS:spring-round:CRITICAL
critical_insight_1=Worms want leaves|CRITICAL
insight_1=Snails do too

@WORK:unknown
timestamp=2025-10-06T15:45:00Z
status=completed
role=roofing

# Afterwards
The roof is tight.

@WORK:unknown
status=progressing

@DECISION:oak
decisions=Prune it | in March

@DECISION:unknown
decisions=
context=rain|frost
@NEXT:paint_the_shed_door
@NOTES_END
`

func texts(records []memory.Record) string {
	var all []string
	for _, r := range records {
		all = append(all, r.Body.Text)
	}
	return strings.Join(all, "\n--\n")
}

func TestWhatOthersWroteBecomesRecords(t *testing.T) {
	all, losses := recordsIn(t, spring)
	want := strings.Join([]string{
		"Kept by the gardeners.",
		"Plant garlic before the frost Rationale: It needs the cold",
		"Leave the leaves on the beds",
		"Worms want leaves",
		"Snails do too",
		"WORK unknown:\ntimestamp=2025-10-06T15:45:00Z\nstatus=completed\nrole=roofing\n# Afterwards\nThe roof is tight.",
		"WORK unknown: status=progressing",
		"Prune it | in March",
		"DECISION unknown:\ndecisions=\ncontext=rain|frost",
		"NEXT paint_the_shed_door",
		"AICF file notes.aicf",
	}, "\n--\n")
	if got := texts(all); got != want || len(losses) > 0 {
		t.Fatalf("losses %v, records\n%s\nwant\n%s", losses, got, want)
	}
	garlic := saying(t, all, "Plant garlic before the frost Rationale: It needs the cold")
	if *garlic.Lifecycle.Salience != 0.75 || garlic.Time.Created.Format(time.RFC3339) != "2025-10-06T15:00:00Z" || garlic.Provenance.Method != "decision" {
		t.Errorf("%+v", garlic)
	}
	if got, _ := fileOf(t, all...); got != spring {
		t.Errorf("AICF-FWD-1 written\n%s\nof\n%s", got, spring)
	}
}

func TestWhatOthersWroteIsEdited(t *testing.T) {
	all, _ := recordsIn(t, spring)
	all[1].Body.Text, all[1].Origin, all[1].Current = "Plant garlic in March", nil, nil
	got, _ := fileOf(t, all...)
	for _, want := range []string{"Plant garlic in March|GENERAL|HIGH|", "decision_2=Leave the leaves on the beds\n", "role=roofing\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "\ndecision_1=") {
		t.Errorf("the former text is in\n%s", got)
	}
	again, losses := recordsIn(t, got)
	if len(again) != len(all) || len(losses) > 0 {
		t.Errorf("%d records became %d, losses %v:\n%s", len(all), len(again), losses, texts(again))
	}
}

func TestWhatOthersWroteLeavesItsFile(t *testing.T) {
	all, _ := recordsIn(t, spring)
	some := all[:len(all)-1] // without the record that stands for the file
	got, _ := fileOf(t, some...)
	again, losses := recordsIn(t, got)
	if len(again) != len(some) || len(losses) > 0 || !strings.Contains(got, "@INSIGHTS WORK unknown: status=progressing|GENERAL") {
		t.Errorf("%d records became %d, losses %v:\n%s", len(some), len(again), losses, got)
	}
}

func TestAnInsightWithoutATextSaysWhatItHas(t *testing.T) {
	all, losses := recordsIn(t, `{"conversations":[],"insights":[{"work":[{"what":"the pump is old"}]}],"decisions":[{"due":"spring"}]}`)
	if got := texts(all); !strings.Contains(got, "the pump is old") || !strings.Contains(got, "due=spring") || len(losses) > 0 {
		t.Errorf("losses %v, records\n%s", losses, got)
	}
}

func TestRowsOfTablesBecomeRecords(t *testing.T) {
	const tables = "@TASKS\n@SCHEMA\nT#|PRIORITY|TASK|ASSIGNED\n\n@DATA\n45|H|Label the tins|@mira\n46|L|Sweep|\n\n" +
		"@ISSUES\n@SCHEMA\nI#|TITLE|ISSUE\n\n@DATA\n3|Rust|Tins rust in the cellar\n\n" +
		"@CONVERSATIONS\n@SCHEMA\nC#|TIMESTAMP|TOPIC|WHAT\n\n@DATA\n12|20251001T230000Z|seeds|Wrote a list of seeds\n"
	all, _ := recordsIn(t, tables)
	got := texts(all)
	for _, want := range []string{
		"TASK T45:\npriority=H\ntask=Label the tins\nassigned=@mira", "TASK T46:\npriority=L\ntask=Sweep", "ISSUE I3:\ntitle=Rust\nissue=Tins rust in the cellar",
		"Conversation C12: seeds (0 messages)\nwhat=Wrote a list of seeds",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if len(all) != 5 {
		t.Errorf("%d records:\n%s", len(all), got)
	}
	if back, _ := fileOf(t, all...); back != tables {
		t.Errorf("AICF-WRITE-8 written\n%s", back)
	}
	opt := mapOptions()
	opt.Apart = true
	apart, _, err := tryRecords(tables, opt)
	if err != nil {
		t.Fatal(err)
	}
	some := apart[1:] // one was forgotten
	written, _ := fileOf(t, some...)
	if strings.Contains(written, "Label the tins") {
		t.Errorf("what was forgotten is in\n%s", written)
	}
	if again, _ := recordsIn(t, written); len(again) != len(some) {
		t.Errorf("%d records became %d:\n%s\nin\n%s", len(some), len(again), texts(again), written)
	}
}
