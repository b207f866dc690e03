package recall_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/recall/recalltest"
	"github.com/satchel-memory/satchel/memory"
)

// TestEvidence shows what speaks against the first hit as an answer.
func TestEvidence(t *testing.T) {
	const focus, other, amount, date, unknown, long, bare = 2, 3, 4, 5, 6, 7, 10 // places among the values
	idx := new(recalltest.Index)
	for _, rec := range []memory.Record{
		fact("boiler", "The boiler is serviced every October.", 30),
		fact("loft", "Loft hatch.", 30),
		fact("elena", "Elena se casa en mayo con Pau, que tiene noventa primos.", 30),
		fact("yuki", "佐藤さんは京都に住んでいる。", 30),
		fact("sofa", "Bought a settee in Porto.", 30),
		fact("notes", "Notes of the meeting. "+strings.Repeat("Somebody spoke about the budget again and nobody listened. ", 20), 30),
		said("anna", "Anna: I moved to Braga with Carla."),
		said("bruno", "Bruno: My cat is called Pepper."),
	} {
		idx.Add(rec)
	}
	for i := range 60 {
		idx.Add(fact(fmt.Sprint("plain-", i), "The garden is green.", 30))
	}
	for _, c := range []struct {
		question string
		first    string
		at       int
		want     float64
	}{
		{"When is the boiler serviced?", "boiler", unknown, 0},
		{"Where did I buy the sofa?", "sofa", unknown, 0}, // a synonym is there
		{"Which lawyer serviced the boiler?", "boiler", unknown, 1},
		{"What did the boiler say to Ingrid?", "boiler", unknown, 1},       // a name
		{"Which xyzzyq is on the boiler?", "boiler", unknown, 0},           // no word that we know the forms of
		{"Do lawyers repair the boiler for Ingrid?", "boiler", unknown, 2}, // and no more
		{"When did Anna move to Braga?", "anna", other, 0},
		{"When did Dora move to Braga?", "anna", other, 1},
		{"When did the famous Carla move to Braga?", "anna", other, .5},
		{"Which lawyer serviced the boiler?", "boiler", focus, 1},
		{"Which xyzzyq is on the boiler?", "boiler", focus, .75},
		{"Who is the lawyer of the boiler?", "boiler", focus, 1},
		{"Who services the boiler?", "boiler", focus, 0}, // a verb
		{"Which two boilers are serviced?", "boiler", focus, 0},
		{"¿Cómo se llama el suegro de Elena?", "elena", focus, .75},
		{"佐藤さんの電話番号は？", "yuki", focus, .75},
		{"¿Cuándo se casa Elena?", "elena", date, 0},
		{"¿Cuántos primos tiene Pau?", "elena", amount, 0},
		{"How many boilers are serviced?", "boiler", amount, 1},
		{"What did Carla study?", "anna", bare, 1},
		{"Where did Carla move?", "anna", bare, 0},
		{"Who is Carla?", "anna", bare, 0}, // nothing but the name is asked for
		{"What is said of the hatch?", "loft", long, -.5},
		{"What is said of the budget?", "notes", long, 2.5},
	} {
		first, values, err := recall.Evidence(context.Background(), idx, memory.Query{Text: c.question}, recall.Options{Now: now}, everything)
		if err != nil || first != memory.ID("urn:ump:"+c.first) || math.Abs(values[c.at]-c.want) > 1e-9 {
			t.Errorf("%q finds %s with %v, want %s and %g at %d: %v", c.question, first, values, c.first, c.want, c.at, err)
		}
	}
}

// TestAloneIsCertain: a record with two of three words of a question is its answer if no other
// record comes near, though the question calls a thing by its kind.
func TestAloneIsCertain(t *testing.T) {
	for name, others := range map[string][]string{
		"alone":  nil,
		"beside": {"The dashboard is in Svelte.", "The garden is green.", "My sister lives in Cork.", "Calls never begin before ten."},
	} {
		t.Run(name, func(t *testing.T) {
			idx := new(recalltest.Index)
			idx.Add(fact("build", "The build uses pnpm, not npm.", 30))
			for i, text := range others {
				idx.Add(fact(fmt.Sprint("other-", i), text, 30))
			}
			for question, certain := range map[string]bool{
				"which package manager does the build use?": true,
				"which lawyer handled the divorce?":         false,
				"which lawyer does the build use?":          false,
				"when does the nursery close?":              false,
			} {
				hits, _, err := recall.Search(context.Background(), idx, memory.Query{Text: question, Limit: 3}, recall.Options{Now: now}, everything)
				if err != nil || (len(hits) > 0 && hits[0].Score >= memory.Certain) != certain {
					t.Errorf("%q finds %q, first with %v; want it certain: %v, %v", question, texts(hits), hits, certain, err)
				}
			}
		})
	}
}

// TestOtherScripts asks for names that records spell in another script.
func TestOtherScripts(t *testing.T) {
	idx := new(recalltest.Index)
	for id, text := range map[string]string{
		"юлия": "Юлия живёт в Казани.", "νίκος": "Ο Νίκος μένει στη Νάξο.", "ケンジ": "ケンジは大阪に引っ越した。", "민준": "민준은 부산에 산다.", "oksana": "Oksana lives in Poltava.",
	} {
		idx.Add(fact(id, text, 30))
	}
	for i := range 20 {
		idx.Add(fact(fmt.Sprint("plain-", i), "Somebody else is somewhere.", 30))
	}
	for _, c := range []struct{ question, want string }{
		{"What does Julia do?", "юлия"},
		{"What about Nikos?", "νίκος"},
		{"What about Kenji?", "ケンジ"},
		{"What about Minjun?", "민준"},
		{"Где Оксана?", "oksana"},
		{"What about Justin Kent?", ""},
	} {
		if got := ids(search(t, idx, memory.Query{Text: c.question, Limit: 1})); got != c.want {
			t.Errorf("%q finds %q, want %q", c.question, got, c.want)
		}
	}
}

// TestFamiliesOfTongues asks in a language for a relative of what a record in it says.
func TestFamiliesOfTongues(t *testing.T) {
	idx := new(recalltest.Index)
	idx.Add(fact("tochter", "Meine Tochter Ida lernt schwimmen.", 30))
	idx.Add(fact("hond", "Onze honden slapen in de gang.", 30))
	for question, want := range map[string]string{"Wie heißt mein Kind?": "tochter", "Welke huisdieren hebben wij?": "hond"} {
		if got := ids(search(t, idx, memory.Query{Text: question, Limit: 1})); got != want {
			t.Errorf("%q finds %q, want %s", question, got, want)
		}
	}
}

// TestOtherTongues asks in one language for facts that are told in another.
func TestOtherTongues(t *testing.T) {
	idx := new(recalltest.Index)
	for id, text := range map[string]string{
		"passport": "The passports are in the desk.", "chave": "A chave da garagem está com o vizinho.", "hund": "Der Hund heißt Bruno.",
		"врач": "Приём у стоматолога в среду.", "電車": "妹は六月に結婚する。", "pan": "The frying pan is new.",
	} {
		idx.Add(fact(id, text, 30))
	}
	for _, c := range []struct{ question, want string }{
		{"Wo sind die Reisepässe?", "passport"},
		{"Où est mon passeport ?", "passport"},
		{"护照在哪里？", "passport"},
		{"Where is the key to the garage?", "chave"},
		{"Köpeğin adı ne?", "hund"},
		{"When is my dentist's appointment?", "врач"},
		{"Quando si sposa mia sorella?", "電車"},
		{"¿Dónde está el pan?", ""}, // bread is no pan, but the word is the same
	} {
		hits, _, err := recall.Search(context.Background(), idx, memory.Query{Text: c.question, Limit: 3}, recall.Options{Now: now}, everything)
		if err != nil || c.want != "" && (len(hits) == 0 || hits[0].Record.ID != memory.ID("urn:ump:"+c.want)) {
			t.Errorf("%q finds %q, want %s: %v", c.question, texts(hits), c.want, err)
		}
	}
}
