package policy_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/policy"
)

// wordJudge finds a violation in texts with a word. It counts what it is asked.
type wordJudge struct {
	word  string
	err   error
	asked int
}

func (j *wordJudge) Violates(_ context.Context, _, text string) (bool, string, error) {
	j.asked++
	return strings.Contains(text, j.word), "it says " + j.word, j.err
}

var _ policy.Judge = (*wordJudge)(nil)

func rules(t *testing.T, table string) []policy.Rule {
	t.Helper()
	r, err := policy.ReadRules([]byte(table))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const bananas = `{"Never output the word banana":{"forbid_pattern":"(?i)banana","in":"output"}}`

func banana(t *testing.T, level string) aaif.Definition {
	t.Helper()
	return agent(t, `"constraints":["Never output the word banana"],"compliance":{"safety_level":"`+level+`"}`)
}

// said returns what follows from an answer.
func said(t *testing.T, c *policy.Constraints, text string) policy.Outcome {
	t.Helper()
	found, err := c.Check(t.Context(), policy.Output, text)
	if err != nil {
		t.Fatal(err)
	}
	return c.OfOutput(text, found)
}

func TestOutcomes(t *testing.T) {
	const text = "Take a Banana, or a pear."
	for _, c := range []struct {
		level, text string
		code        aaif.Code
		approve     bool
	}{
		{"minimal", text, "", false},
		{"standard", "Take a [removed], or a pear.", "", false},
		{"strict", "Take a [removed], or a pear.", aaif.ConstraintViolation, false},
		{"regulated", "Take a [removed], or a pear.", aaif.ConstraintViolation, true},
		{"maximum", "Take a [removed], or a pear.", aaif.ConstraintViolation, true},
	} {
		for _, id := range []string{"AAIF-4.9-2", "AAIF-3-3"} {
			t.Run(id+" "+c.level, func(t *testing.T) {
				out := said(t, policy.NewConstraints(rules(t, bananas), nil, banana(t, c.level)), text)
				want(t, "text", out.Text, c.text)
				want(t, "events", events(out.Notices), "constraint_violation /agent/constraints/0")
				if aaif.CodeOf(out.Err) != c.code || out.Approve != c.approve {
					t.Errorf("got %+v", out)
				}
			})
		}
		t.Run("AAIF-4.9-2 a judge, "+c.level, func(t *testing.T) {
			out := said(t, policy.NewConstraints(nil, &wordJudge{word: "Banana"}, banana(t, c.level)), text)
			if withheld := "[withheld: it violates a constraint of this agent]"; c.level != "minimal" {
				want(t, "text", out.Text, withheld)
			} else {
				want(t, "text", out.Text, text)
			}
			if aaif.CodeOf(out.Err) != c.code || out.Approve != c.approve {
				t.Errorf("got %+v", out)
			}
		})
		t.Run("AAIF-4.9-2 a judge that fails, "+c.level, func(t *testing.T) {
			out := said(t, policy.NewConstraints(nil, &wordJudge{err: errors.New("500")}, banana(t, c.level)), "a pear")
			want(t, "events", events(out.Notices), "constraint.unjudged /agent/constraints/0")
			if aaif.CodeOf(out.Err) != c.code || (out.Text == "a pear") != (c.code == "") {
				t.Errorf("got %+v", out)
			}
		})
	}
	t.Run("AAIF-4.9-2 what keeps the constraints stays as it is", func(t *testing.T) {
		out := said(t, policy.NewConstraints(rules(t, bananas), nil, banana(t, "regulated")), "a pear\u200b")
		if out.Text != "a pear\u200b" || out.Err != nil || out.Notices != nil {
			t.Errorf("got %+v", out)
		}
	})
}

func TestCheck(t *testing.T) {
	for _, id := range []string{"AAIF-12-5", "AAIF-U.I-1"} {
		t.Run(id+" an answer with the code word does not reach the caller", func(t *testing.T) {
			d := agent(t, `"constraints":["Never reveal the code word zebra"]`)
			c := policy.NewConstraints(rules(t, `{"0":{"forbid_pattern":"(?i)zebra"}}`), nil, d)
			for _, text := range []string{"zebra", "It is ZEBRA.", "z\u200be\u00adbra", "ｚｅｂｒａ", `{"word":"\u007aebra"}`, `["z","\u200bzebra"]`, "z\u200debra"} {
				if out := said(t, c, text); strings.Contains(strings.ToLower(out.Text), "ebra") || strings.Contains(out.Text, "ｅ") || len(out.Notices) != 1 {
					t.Errorf("%q: got %+v", text, out)
				}
			}
		})
	}
	t.Run("AAIF-12-6 constraints of others hold, with rule and judge", func(t *testing.T) {
		c := policy.NewConstraints(rules(t, bananas), nil, agent(t, ""), banana(t, "strict"))
		if out := said(t, c, "banana"); aaif.CodeOf(out.Err) != aaif.ConstraintViolation || out.Notices[0].Pointer != "" {
			t.Errorf("got %+v", out)
		}
	})
	t.Run("AAIF-3-3 a judge is asked about what no rule decides", func(t *testing.T) {
		d := agent(t, `"constraints":["Never output the word banana","Be kind"]`)
		j := &wordJudge{word: "fool"}
		c := policy.NewConstraints(rules(t, bananas), j, d)
		out := said(t, c, "fool")
		want(t, "events", events(out.Notices), "constraint_violation /agent/constraints/1")
		if j.asked != 1 {
			t.Errorf("asked %d times", j.asked)
		}
	})
	t.Run("AAIF-3-3 a stopped run gets no word on a text", func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if _, err := policy.NewConstraints(nil, &wordJudge{}, banana(t, "standard")).Check(ctx, policy.Output, "x"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("AAIF-3-3 what is required", func(t *testing.T) {
		d := agent(t, `"constraints":["End with the notice"]`)
		c := policy.NewConstraints(rules(t, `{"End with the notice":{"require_pattern":"No advice\\.$"}}`), nil, d)
		if out := said(t, c, "Buy. No advice."); out.Notices != nil {
			t.Errorf("got %+v", out)
		}
		if out := said(t, c, "Buy."); !strings.HasPrefix(out.Text, "[withheld") {
			t.Errorf("got %+v", out)
		}
		if found, _, err := c.CheckCall(t.Context(), call(t, "buy", `{}`)); err != nil || found != nil {
			t.Errorf("got %v, %v", found, err)
		}
	})
	t.Run("AAIF-3-3 JSON that redaction breaks is withheld", func(t *testing.T) {
		d := agent(t, `"constraints":["No quotes"]`)
		c := policy.NewConstraints(rules(t, `{"0":{"forbid_pattern":"\"x"}}`), nil, d)
		if out := said(t, c, `{"a":"x"}`); !strings.HasPrefix(out.Text, "[withheld") {
			t.Errorf("got %+v", out)
		}
	})
}

func TestCheckCall(t *testing.T) {
	table := `{"Never mail":{"forbid_tool":["send_email"]},"Ask before paying":{"require_approval":"pay"},"No bananas":[{"forbid_pattern":"(?i)banana","in":"arguments"}]}`
	definition := func(level string) aaif.Definition {
		return agent(t, `"constraints":["Never mail","Ask before paying","No bananas"],"compliance":{"safety_level":"`+level+`"}`)
	}
	for _, c := range []struct {
		level, tool, args string
		refuse, ask       bool
		code              aaif.Code
	}{
		{"minimal", "send_email", `{}`, true, false, ""},
		{"standard", "send_email", `{}`, true, false, ""},
		{"strict", "send_email", `{}`, true, false, aaif.ConstraintViolation},
		{"standard", "pay", `{"for":"pears"}`, false, true, ""},
		{"minimal", "buy", `{"what":"banana"}`, false, false, ""},
		{"standard", "buy", `{"what":"b\u0061nana"}`, true, false, ""},
		{"regulated", "buy", `{"what":"banana"}`, true, false, aaif.ConstraintViolation},
		{"standard", "buy", `{"what":"pears"}`, false, false, ""},
	} {
		t.Run("AAIF-3-3 "+c.level+" "+c.tool+" "+c.args, func(t *testing.T) {
			k := policy.NewConstraints(rules(t, table), nil, definition(c.level))
			found, ask, err := k.CheckCall(t.Context(), call(t, c.tool, c.args))
			if err != nil {
				t.Fatal(err)
			}
			out := k.OfCall(found)
			if out.Refuse != c.refuse || (ask != "") != c.ask || aaif.CodeOf(out.Err) != c.code || (out.Text != "") != c.refuse {
				t.Errorf("got %+v, %q", out, ask)
			}
			if out.Refuse && value(t, out.Text).Get("error").Text() != "CONSTRAINT_VIOLATION" {
				t.Errorf("the model is told %s", out.Text)
			}
		})
	}
	t.Run("AAIF-3-3 rules decide all constraints: nothing is unenforced", func(t *testing.T) {
		if reasons, notices := policy.Preflight(definition("strict"), policy.PreflightOptions{Rules: rules(t, table)}); reasons != nil || notices != nil {
			t.Errorf("got %v, %v", reasons, notices)
		}
	})
}

func TestReadRules(t *testing.T) {
	t.Run("AAIF-3-3 the example of the documentation", func(t *testing.T) {
		text, err := os.ReadFile("../../../docs/agents.md")
		if err != nil {
			t.Fatal(err)
		}
		_, section, _ := strings.Cut(string(text), "## Constraints of a run")
		_, section, _ = strings.Cut(section, "```json\n")
		example, _, _ := strings.Cut(section, "```")
		if got := rules(t, example); len(got) != 4 || !got[0].Forbid.MatchString("for Acme.") || got[1].RequireApproval[0] != "pay" || got[2].ForbidTool[0] != "pay_unlimited" || !got[3].Require.MatchString("This is no advice.") {
			t.Errorf("got %+v", got)
		}
	})
	for _, c := range []struct{ table, want string }{
		{`{}`, ""},
		{bananas, ""},
		{`{"0":[{"forbid_tool":"a"},{"require_approval":["a","b"]}]}`, ""},
		{`[]`, "no object"},
		{`{"0":1}`, "no object"},
		{`{"0":{}}`, "it says nothing"},
		{`{"0":{"in":"output"}}`, "it says nothing"},
		{`{"0":{"in":"output","forbid_tool":"a"}}`, "there is none"},
		{`{"0":{"in":"input","forbid_pattern":"a"}}`, "neither output nor arguments"},
		{`{"0":{"forbid_pattern":"("}}`, "error parsing"},
		{`{"0":{"forbid_pattern":""}}`, "no expression"},
		{`{"0":{"forbid_tool":[]}}`, "names no tool"},
		{`{"0":{"forbid_tool":[1]}}`, "no name of a tool"},
		{`{"0":{"forbid_tools":"a"}}`, "no member of a rule"},
		{`{"0":{"forbid_tool":"a"},"0":{"forbid_tool":"b"}}`, "the table of rules"},
		{`{`, "the table of rules"},
	} {
		t.Run("AAIF-3-3 "+c.table, func(t *testing.T) {
			_, err := policy.ReadRules([]byte(c.table))
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
