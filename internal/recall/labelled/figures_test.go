package labelled_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/satchel-memory/satchel/internal/recall/labelled"
	"github.com/satchel-memory/satchel/memory"
)

// questions returns a set of questions with the evidence of each.
func questions(evidence ...[]memory.ID) labelled.Set {
	store := labelled.Store{Name: "s"}
	for i, e := range evidence {
		store.Questions = append(store.Questions, labelled.Question{Text: string(rune('a' + i)), Class: "c", Evidence: e})
	}
	return labelled.Set{Stores: []labelled.Store{store}}
}

var nan = math.NaN()

func TestMeasure(t *testing.T) {
	set := questions([]memory.ID{"2"}, []memory.ID{"6", "11"}, []memory.ID{"9"})
	set.Stores[0].Questions[0].Class = "first"
	set.Stores[0].Questions[2].Lang = "de"
	got, err := labelled.Measure(context.Background(), set, 0, func(_ int, q labelled.Question) ([]memory.ID, float64, error) {
		switch q.Text {
		case "a":
			return []memory.ID{"1", "2", "2"}, 1, nil // second
		case "b":
			return []memory.ID{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"}, 1, nil // sixth and eleventh
		}
		return nil, 0, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	one := labelled.Figures{Questions: 1, At5: 1, At10: 1, At20: 1, MRR: .5, AUC: nan, Refused: nan, Kept: nan, RefusedAt90: nan}
	none := labelled.Figures{Questions: 1, Empty: 1, AUC: nan, Refused: nan, Kept: nan, RefusedAt90: nan}
	all := labelled.Figures{Questions: 3, At5: 1. / 3, At10: .5, At20: 2. / 3, MRR: (.5 + 1./6) / 3, Empty: 1. / 3, AUC: nan, Refused: nan, Kept: nan, RefusedAt90: nan}
	rest := labelled.Figures{Questions: 2, At10: .25, At20: .5, MRR: 1. / 12, Empty: .5, AUC: nan, Refused: nan, Kept: nan, RefusedAt90: nan}
	want := map[string]labelled.Figures{"all": all, "class first": one, "class c": rest, "lang de": none, "store s": all}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12), cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
}

// TestMeasureScores: five questions have no answer, and ten have one.
func TestMeasureScores(t *testing.T) {
	var evidence [][]memory.ID
	for i := range 15 {
		evidence = append(evidence, nil)
		if i >= 5 {
			evidence[i] = []memory.ID{"x"}
		}
	}
	best := []float64{.1, .2, .3, .4, .9, .2, .35, .5, .5, .6, .6, .7, .8, .8, .95}
	got, err := labelled.Measure(context.Background(), questions(evidence...), .5, func(_ int, q labelled.Question) ([]memory.ID, float64, error) {
		return []memory.ID{"x"}, best[q.Text[0]-'a'], nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// .1 loses to 10, .2 to 9 and ties with one, .3 to 9, .4 to 8, .9 to 1. Nine of ten are
	// at least .35, and so are .4 and .9.
	want := labelled.Figures{Questions: 10, At1: 1, At5: 1, At10: 1, At20: 1, MRR: 1, AUC: (10 + 9.5 + 9 + 8 + 1) / 50, Refused: .8, Kept: .8, RefusedAt90: .6}
	if diff := cmp.Diff(want, got["all"], cmpopts.EquateApprox(0, 1e-12), cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
}

func TestMeasureStops(t *testing.T) {
	broken := errors.New("broken")
	set := questions([]memory.ID{"x"})
	search := func(int, labelled.Question) ([]memory.ID, float64, error) { return nil, 0, broken }
	if _, err := labelled.Measure(context.Background(), set, 0, search); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := labelled.Measure(ctx, set, 0, search); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestTable(t *testing.T) {
	table := labelled.Table{
		{Set: "locomo", Form: "stated", Ranking: "recall", Group: "all", Figures: labelled.Figures{Questions: 7, At1: .25, At10: 1, MRR: .5, AUC: nan, Refused: nan, Kept: nan, RefusedAt90: nan}},
		{Set: "facts", Form: "shuffled", Ranking: "bm25", Group: "class name", Figures: labelled.Figures{Questions: 2, AUC: .75}},
	}
	var written, printed bytes.Buffer
	if err := table.Write(&written); err != nil {
		t.Fatal(err)
	}
	read, err := labelled.ReadTable(&written)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(table, read, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
	read[0].At1, read[0].MRR = .2, .51
	if err := table.Print(&printed, read[:1]); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(printed.String(), "\n")
	if got, want := strings.Join(strings.Fields(lines[1]), " "), "locomo stated recall all 7 .250 +.050 .000 1.000 .000 .500 -.010 .000"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := strings.Join(strings.Fields(lines[2]), " "), "facts shuffled bm25 class name 2 .000 .000 .000 .000 .000 .000 .750 .000 .000 .000"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if at := strings.Index(lines[0], "MRR") + 3; !strings.HasSuffix(lines[1][:at], ".500") {
		t.Errorf("the columns are not aligned:\n%s", printed.String())
	}
}

func TestReadTableRefuses(t *testing.T) {
	var b bytes.Buffer
	if err := (labelled.Table{{Set: "a"}}).Write(&b); err != nil {
		t.Fatal(err)
	}
	good := b.String()
	head := good[:strings.Index(good, "\n")+1]
	for name, text := range map[string]string{
		"nothing":         "",
		"no rows":         head,
		"other columns":   strings.Replace(good, "MRR", "NDCG", 1),
		"a row too short": head + "a\tb\n",
		"no number":       strings.Replace(good, "0.000000", "many", 1),
		"no count":        strings.Replace(good, "\t0\t", "\tsome\t", 1),
	} {
		if table, err := labelled.ReadTable(strings.NewReader(text)); err == nil {
			t.Errorf("%s: got %v", name, table)
		}
	}
}
