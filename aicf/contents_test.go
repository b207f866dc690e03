package aicf

import (
	"reflect"
	"slices"
	"testing"
)

func contents(t *testing.T, text string) *Contents {
	t.Helper()
	return contentsOf(t, numbered(text))
}

// contentsOf reads a file that has its numbers.
func contentsOf(t *testing.T, data []byte) *Contents {
	t.Helper()
	f, err := Parse(data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := Read(f, Options{})
	return c
}

// of returns the entries of one kind.
func of[E Entry](c *Contents) []E {
	var all []E
	for _, e := range c.Entries {
		if e, ok := e.(E); ok {
			all = append(all, e)
		}
	}
	return all
}

const twoSessions = `@INSIGHTS before all|DATA|LOW|LOW

@CONVERSATION:c0
messages=1

@SESSION:s1
status=active

@CONVERSATION:c1
messages=1

@STATE
status=completed

@INSIGHTS in c1|DATA|LOW|LOW
@INSIGHTS in c1 too|DATA|LOW|LOW|id=mine

@CONVERSATION:c2
messages=1

@STATE
status=blocked

@SESSION:s2
status=active

@INSIGHTS still in c2|DATA|LOW|LOW

@DECISIONS in c2|LOW|LOW|why

@CONVERSATION:c3
messages=1

@LINKS c3->c0|related_to

@CONVERSATION:c1
messages=2
`

func TestIndex(t *testing.T) {
	c := contents(t, twoSessions)
	x := c.Index()
	sessionOf := func(e Entry) string {
		if s, ok := x.Session(e); ok {
			return s.ID
		}
		return ""
	}
	conversationOf := func(e Entry) string {
		if c, ok := x.Conversation(e); ok {
			return c.ID
		}
		return ""
	}
	t.Run("AICF-SESSION-11 conversations belong to the session before them", func(t *testing.T) {
		got := map[string]string{}
		for _, talk := range of[*Conversation](c) {
			got[talk.ID] = sessionOf(talk)
		}
		if want := map[string]string{"c0": "", "c1": "s2", "c2": "s1", "c3": "s2"}; !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("AICF-STATE-12 a state belongs to the conversation before it", func(t *testing.T) {
		var got []string
		for _, s := range of[*State](c) {
			got = append(got, conversationOf(s)+" "+string(*s.Status))
		}
		if want := []string{"c1 completed", "c2 blocked"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("AICF-INS-14 insights have ordinals or their own id", func(t *testing.T) {
		var got []string
		for _, in := range of[*Insight](c) {
			got = append(got, x.Name(in)+" "+conversationOf(in)+" "+sessionOf(in))
			if found, ok := x.Resolve(x.Name(in)); !ok || found != Entry(in) {
				t.Errorf("%s resolves to %v", x.Name(in), found)
			}
		}
		if want := []string{"insight_001  ", "insight_002 c1 s1", "mine c1 s1", "insight_004 c2 s1"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("AICF-DEC-8 decisions have ordinals", func(t *testing.T) {
		if d := of[*Decision](c)[0]; x.Name(d) != "decision_001" {
			t.Errorf("got %q", x.Name(d))
		}
	})
	t.Run("AICF-LINKS-8 links are of the file", func(t *testing.T) {
		if l := of[*Link](c)[0]; conversationOf(l) != "" || x.Name(l) != "" {
			t.Errorf("the link is in %q and called %q", conversationOf(l), x.Name(l))
		}
	})
	t.Run("AICF-CONV-9 the later revision holds, and both are there", func(t *testing.T) {
		e, ok := x.Resolve("c1")
		if talk, isTalk := e.(*Conversation); !ok || !isTalk || *talk.Messages != 2 || len(x.Revisions("c1")) != 2 {
			t.Errorf("got %v among %d", e, len(x.Revisions("c1")))
		}
	})
	t.Run("what is not there", func(t *testing.T) {
		stranger := &Insight{Text: "new"}
		if _, ok := x.Resolve("c9"); ok || x.Name(stranger) != "" || conversationOf(stranger) != "" || sessionOf(stranger) != "" {
			t.Error("something was found")
		}
	})
}

func TestMergeState(t *testing.T) {
	const older = "@STATE:user\nuser:lang=de\nsize=4\n\n@STATE:app\napp:lang=x\n\n@STATE\nmood=calm\n"
	const newer = "@STATE\nuser:lang=fr\nmood=busy\napp:limit=1\n\n@STATE:user\nuser:name=ann\n"
	a, b := contents(t, older), contents(t, newer)
	t.Run("AICF-STATE-9 keys of the user merge by the last write", func(t *testing.T) {
		want := []Pair{{Key: "user:lang", Value: "fr"}, {Key: "user:size", Value: "4"}, {Key: "user:name", Value: "ann"}}
		if got := MergeState(ScopeUser, a, b); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("AICF-STATE-9 keys of the app merge apart from those", func(t *testing.T) {
		want := []Pair{{Key: "app:lang", Value: "x"}, {Key: "app:limit", Value: "1"}}
		if got := MergeState(ScopeApp, a, b); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestEmbeddings(t *testing.T) {
	c := contents(t, "@EMBEDDING:c1\nmodel=a\ndimension=2\nvector=1, -2e-1\n\n@EMBEDDING:c1\nmodel=b\ndimension=1\nvector=3\n\n"+
		"@EMBEDDING:c1\nmodel=a\ndimension=2\nvector=4,5\n\n@EMBEDDING:c2\nmodel=a\ndimension=2\nvector=1,...\n")
	t.Run("AICF-EMB-11 one for each model, the last one", func(t *testing.T) {
		got := c.Embeddings("c1")
		if len(got) != 2 || got[0].Vector != "4,5" || got[1].Model != "b" {
			t.Errorf("got %v", got)
		}
	})
	t.Run("AICF-EMB-4 numbers", func(t *testing.T) {
		first := of[*Embedding](c)[0]
		if got, ok := first.Floats(); !ok || !slices.Equal(got, []float64{1, -0.2}) {
			t.Errorf("got %v, %v", got, ok)
		}
	})
	t.Run("AICF-EMB-6 an elided vector has no numbers", func(t *testing.T) {
		if got, ok := c.Embeddings("c2")[0].Floats(); ok {
			t.Errorf("got %v", got)
		}
	})
	t.Run("AICF-EMB-5 too few numbers are none", func(t *testing.T) {
		for _, vector := range []string{"", "1", "1,x", "1,Inf"} {
			if got, ok := (&Embedding{Dimension: 2, Vector: vector}).Floats(); ok {
				t.Errorf("%q gives %v", vector, got)
			}
		}
	})
}

func TestSearch(t *testing.T) {
	c := contents(t, "@EMBEDDING:roses\nmodel=a\ndimension=3\nvector=1,0,0\nkeywords=Sun|water\n\n"+
		"@EMBEDDING:lilies\nmodel=a\ndimension=3\nvector=0.6,0.8,0\nkeywords=water\n\n"+
		"@EMBEDDING:moss\nmodel=b\ndimension=3\nvector=1,0,0\n\n@EMBEDDING:fern\nmodel=a\ndimension=3\nvector=1,...\n\n"+
		"@EMBEDDING:clay\nmodel=a\ndimension=2\nvector=1,0\n\n@EMBEDDING:void\nmodel=a\ndimension=3\nvector=0,0,0\n")
	near := []Match{{"lilies", 0.8}, {"roses", 0}}
	t.Run("AICF-OV-6 the nearer entity comes first", func(t *testing.T) {
		if got := c.Nearest("a", []float64{0, 2, 0}, 9); !slices.Equal(got, near) {
			t.Errorf("got %v, want %v", got, near)
		}
		if got := c.Nearest("a", []float64{0, 2, 0}, 1); !slices.Equal(got, near[:1]) {
			t.Errorf("got %v", got)
		}
		if got := c.Nearest("a", nil, 9); len(got) > 0 {
			t.Errorf("got %v", got)
		}
	})
	t.Run("AICF-OV-6 a later vector of an entity replaces the earlier", func(t *testing.T) {
		later := contents(t, "@EMBEDDING:roses\nmodel=a\ndimension=1\nvector=1\n\n@EMBEDDING:roses\nmodel=a\ndimension=1\nvector=-1\n")
		if got := later.Nearest("a", []float64{1}, 9); !slices.Equal(got, []Match{{"roses", -1}}) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("AICF-EMB-9 keywords", func(t *testing.T) {
		want := []Match{{"roses", 1}, {"lilies", 0.5}}
		if got := c.WithKeywords([]string{"sun", "water"}, 9); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestUnknownHidesNothing(t *testing.T) {
	c := contents(t, "@CONVERSATION:c1\nmessages=1\n\n@WORK:c1\n\n@WORK:w1\n")
	x := c.Index()
	if e, _ := x.Resolve("c1"); e != c.Entries[0] {
		t.Errorf("AICF-FWD-4 c1 is %T", e)
	}
	if _, ok := x.Resolve("w1"); !ok {
		t.Error("AICF-FWD-4 w1 is not found")
	}
}

func TestCheckTogether(t *testing.T) {
	const link = "@LINKS c1->c2|related_to\n\n@LINKS c1->c3|related_to\n"
	a, b := contents(t, "@CONVERSATION:c1\nmessages=1\n\n"+link), contents(t, "@CONVERSATION:c2\nmessages=1\n")
	references := func(found []Finding) (all []string) {
		for _, f := range found {
			if f.Code == codeReference {
				all = append(all, f.Severity.String()+" "+f.Message)
			}
		}
		return all
	}
	t.Run("AICF-LINKS-7 alone a file may link to others", func(t *testing.T) {
		if got := references(Check(a, Options{})); len(got) != 2 {
			t.Errorf("got %q", got)
		}
	})
	t.Run("AICF-LINKS-7 together one of them has every id", func(t *testing.T) {
		found := CheckTogether([]*Contents{b, a}, Options{})
		want := []string{`error dangling reference: nothing has the id "c3"`}
		if got := references(found[1]); len(found) != 2 || !slices.Equal(got, want) || len(references(found[0])) > 0 {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
