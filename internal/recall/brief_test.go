package recall_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/memory"
)

func told(b recall.Briefing) string {
	var s []string
	for _, section := range b.Sections {
		s = append(s, string(section.Topic)+":")
		for _, r := range section.Records {
			s = append(s, strings.TrimPrefix(string(r.ID), "urn:ump:"))
		}
	}
	return strings.Join(s, " ")
}

func TestBrief(t *testing.T) {
	of := func(id string, k memory.Kind, project string, days int) memory.Record {
		r := fact(id, "text of "+id, days)
		r.Kind, r.Scope.Project = k, project
		return r
	}
	salient := of("salient", memory.Procedural, "", 300)
	salience := 1.0
	salient.Lifecycle.Salience = &salience
	again := of("again", memory.Semantic, "p", 400)
	again.Body.Text = "text  of fact "
	records := []memory.Record{
		of("fact", memory.Semantic, "p", 3), of("elsewhere", memory.Semantic, "q", 1), of("rule", memory.Procedural, "p", 20),
		of("otherrule", memory.Procedural, "q", 1), salient, of("name", memory.Identity, "", 900), of("news", memory.Semantic, "", 2),
		of("chat", memory.Episodic, "", 1), of("old", memory.Semantic, "", 60), again, of("event", memory.Episodic, "p", 1),
	}
	got := recall.Brief(records, memory.Scope{Project: "p"}, now, 0, nil)
	if want := "identity: name rules: rule salient project: event fact lately: news"; told(got) != want && told(got) != strings.Replace(want, "rule salient", "salient rule", 1) {
		t.Errorf("got  %s\nwant %s", told(got), want)
	}
	if got.Omitted != 0 {
		t.Errorf("%d omitted without a budget", got.Omitted)
	}
	if got := told(recall.Brief(records, memory.Scope{}, now, 0, nil)); got != "identity: name rules: salient lately: news" {
		t.Errorf("without a project: %s", got)
	}
}

func TestBriefBudget(t *testing.T) {
	var records []memory.Record
	for i := range 40 {
		r := fact(fmt.Sprint(i), fmt.Sprintf("The fact of number %d is told here.", i), i%10)
		r.Kind = []memory.Kind{memory.Identity, memory.Procedural, memory.Semantic, memory.Working}[i%4]
		records = append(records, r)
	}
	for _, budget := range []int{1, 50, 200, 400, 10_000} {
		b := recall.Brief(records, memory.Scope{}, now, budget, nil)
		spent, n := 0, 0
		for _, s := range b.Sections {
			for _, r := range s.Records {
				spent += recall.Tokens(r.Body.Text)
				n++
			}
		}
		if spent > budget {
			t.Errorf("%d tokens in a budget of %d", spent, budget)
		}
		if n+b.Omitted != len(records) {
			t.Errorf("budget %d: %d told and %d omitted of %d", budget, n, b.Omitted, len(records))
		}
		if budget == 200 && (len(b.Sections) != 3 || spent < 180) {
			t.Errorf("budget 200: %d sections, %d tokens", len(b.Sections), spent)
		}
	}
}

func TestTokens(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
	}{
		{"", 4}, {"four", 5}, {"Use pnpm in this repo, never npm.", 13}, {"Привет", 7}, {"我喜欢猫", 8}, {"\xff", 5},
	} {
		if got := recall.Tokens(tt.text); got != tt.want {
			t.Errorf("%q is estimated at %d tokens, want %d", tt.text, got, tt.want)
		}
	}
}
