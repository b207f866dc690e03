package gemini_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/importers/gemini"
	"github.com/satchel-memory/satchel/importers/importtest"
)

// activities writes a file of activities: of each its members beside those that all have.
func activities(each ...string) string {
	for i := range each {
		each[i] = fmt.Sprintf(`{"header":"Gemini","products":["Gemini"],"time":"2026-01-02T10:0%d:00Z",%s}`, i, each[i])
	}
	return "[" + strings.Join(each, ",") + "]"
}

// told reads a file, and returns the texts of its records and what is told as left out.
func told(t *testing.T, name, text string) (said, lost []string) {
	t.Helper()
	records, losses, err := importtest.Check(t, gemini.Format(), importtest.File(name, text), importtest.Options())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		said = append(said, r.Body.Text)
	}
	for _, l := range losses {
		if !strings.Contains(l.Reason, "products and controls") {
			lost = append(lost, l.Reason)
		}
	}
	return said, lost
}

// Prompts without an answer come in, in languages that are not known here as well.
func TestUnknownLanguage(t *testing.T) {
	const yes = `,"safeHtmlItem":[{"html":"<p>42.</p>"}]`
	const dropped = "1 activities without an answer, of which it is not known whether their titles are prompts: the language is not known here"
	for _, test := range []struct {
		name       string
		in         []string
		said, lost []string
	}{
		{"a label that several share", []string{`"title":"Qoxu: yksi"` + yes, `"title":"Qoxu: kaksi"`, `"title":"Qoxu: kolme: neljä"` + yes},
			[]string{"User: yksi\n\nAssistant: 42.", "User: kaksi", "User: kolme: neljä\n\nAssistant: 42."}, nil},
		{"a label that one alone has", []string{`"title":"Qoxu: yksi"`}, []string{"User: Qoxu: yksi"}, nil},
		{"prompts with colons are no labels", []string{`"title":"Note: yksi"` + yes, `"title":"Note: kaksi"` + yes, `"title":"kolme"` + yes},
			[]string{"User: Note: yksi\n\nAssistant: 42.", "User: Note: kaksi\n\nAssistant: 42.", "User: kolme\n\nAssistant: 42."}, nil},
		{"no label at all", []string{`"title":"Qoxu yksi"`, `"title":"Qoxu kaksi"` + yes}, []string{"User: Qoxu kaksi\n\nAssistant: 42."}, []string{dropped}},
		{"nothing was said", []string{`"title":""`, `"title":"Prompted a"`}, []string{"User: a"}, []string{"1 activities in which nothing was said"}},
	} {
		said, lost := told(t, "MyActivity.json", activities(test.in...))
		if !slices.Equal(said, test.said) || !slices.Equal(lost, test.lost) {
			t.Errorf("%s: %q, lost %q", test.name, said, lost)
		}
	}
}

// Answers and details come in or are told, whatever their form.
func TestOddAnswers(t *testing.T) {
	for _, test := range []struct{ in, said, lost string }{
		{`"safeHtmlItem":"a <b>b</b>"`, "User: q\n\nAssistant: a b", ""},
		{`"safeHtmlItem":["a","b"]`, "User: q\n\nAssistant: a\n\nAssistant: b", ""},
		{`"safeHtmlItem":{"html":"a"}`, "User: q\n\nAssistant: a", ""},
		{`"safeHtmlItem":[{"text":"a"}]`, "User: q", "1 requests or answers in which there is no text"},
		{`"safeHtmlItem":17`, "User: q", "1 requests or answers in which there is no text"},
		{`"details":[{"name":"Request","value":"r"}],"safeHtmlItem":[{"html":"a"}]`, "User: r\n\nAssistant: a", ""},
		{`"safeHtmlItem":null`, "User: q", ""},
		{`"details":[{"name":"From a Gem"}]`, "User: q", "1 lines below an activity, such as which Gem was used"},
		{`"details":[{"name":"Request","value":{"a":1}}]`, "User: q", "1 requests or answers in which there is no text"},
		{`"details":"From a Gem"`, "User: q", "1 requests or answers in which there is no text"},
	} {
		said, lost := told(t, "MyActivity.json", activities(`"title":"Prompted q",`+test.in))
		if strings.Join(said, "|") != test.said || strings.Join(lost, "|") != test.lost {
			t.Errorf("%s: %q, lost %q", test.in, said, lost)
		}
	}
}

// A page that is cut anywhere after an activity says so, in the words of a page.
func TestCutPage(t *testing.T) {
	const cell = `<div class="outer-cell mdl-cell"><div class="header-cell"><p>Gemini Apps</p></div><div class="content-cell">Prompted %s<br>May 1, 2026, 10:00:00 AM UTC<br><p>Yes.</p></div></div>`
	whole := "<html><body><div>" + fmt.Sprintf(cell, "one") + "\n" + fmt.Sprintf(cell, "two") + "</div></body></html>\n"
	first := strings.Index(whole, "\n")
	last := strings.Index(whole, "</body>")
	for cut := first; cut < last; cut++ {
		said, lost := told(t, "MyActivity.html", whole[:cut])
		if len(said) == 0 || len(lost) != 1 || !strings.Contains(lost[0], "the page breaks off") || strings.Contains(lost[0], "JSON syntax") {
			t.Fatalf("cut after %q: %d records, lost %q", whole[:cut], len(said), lost)
		}
	}
	if said, lost := told(t, "MyActivity.html", whole); len(said) != 2 || len(lost) > 0 {
		t.Errorf("the whole page: %q, lost %q", said, lost)
	}
}

// The date of an activity that cannot be read is not called missing.
func TestUnreadableTime(t *testing.T) {
	const bad, none = "the dates cannot be read", "nothing says when"
	page := func(line string) string {
		return `<html><body><div><div class="outer-cell"><div class="header-cell"><p>Gemini Apps</p></div><div class="content-cell">Prompted one<br>` + line + `<br><p>Yes.</p></div></div></div></body></html>`
	}
	for _, test := range []struct{ name, in, want, not string }{
		{"MyActivity.json", `[{"header":"Gemini","time":"x","title":"Prompted q"}]`, bad, none},
		{"MyActivity.json", `[{"header":"Gemini","time":5,"title":"Prompted q"}]`, bad, none},
		{"MyActivity.json", `[{"header":"Gemini","time":"","title":"Prompted q"}]`, none, bad},
		{"MyActivity.html", page("5 qqq 2025, 15:04:05 CET"), bad, none},
		{"MyActivity.html", page("some day"), none, bad},
	} {
		_, lost := told(t, test.name, test.in)
		if all := strings.Join(lost, "|"); !strings.Contains(all, test.want) || strings.Contains(all, test.not) {
			t.Errorf("%s: lost %q, want %q", test.in, lost, test.want)
		}
	}
}
