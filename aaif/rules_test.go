package aaif_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// ruled returns the rules of an agent, by members of its compliance.
func ruled(t testing.TB, compliance, constraints string) aaif.Rules {
	t.Helper()
	d := changed(t, doc(t, minimal), "/agent/compliance", `{`+compliance+`}`)
	d = changed(t, d, "/agent/constraints", `[`+constraints+`]`)
	return aaif.RulesOf(aaif.ReadDefinition(d.Value).Agent)
}

const (
	bookings = `{"lang":"cel","expr":"tool.name == 'book'"}`
	payments = `{"lang":"cel","expr":"tool.name == 'pay'"}`
)

func asks(members string) string { return `"human_in_the_loop":{"enabled":true` + members + `}` }

func TestRulesUnder(t *testing.T) {
	for name, c := range map[string]struct{ parent, child, want string }{
		"nothing is said":                     {``, ``, ``},
		"a region above":                      {`"data_residency":"EU"`, ``, `EU`},
		"a region above, and any below":       {`"data_residency":"EU"`, `"data_residency":"global"`, `EU`},
		"a region below":                      {`"data_residency":"global"`, `"data_residency":"EU"`, `EU`},
		"the same region":                     {`"data_residency":"EU"`, `"data_residency":"EU"`, `EU`},
		"two regions":                         {`"data_residency":"EU"`, `"data_residency":"US"`, `EU US`},
		"a level above":                       {`"safety_level":"regulated"`, `"safety_level":"minimal"`, `regulated`},
		"a level below":                       {`"safety_level":"minimal"`, `"safety_level":"strict"`, `strict`},
		"the default is not the least":        {`"safety_level":"minimal","pii_handling":"none"`, ``, ``},
		"a log above":                         {`"audit_log":true`, `"audit_log":false`, `log`},
		"a log below":                         {``, `"audit_log":true`, `log`},
		"persons are hidden above":            {`"pii_handling":"anonymize"`, `"pii_handling":"none"`, `anonymize`},
		"persons are refused below":           {`"pii_handling":"encrypt"`, `"pii_handling":"reject"`, `reject`},
		"people are asked above":              {asks(``), ``, `asks`},
		"people are asked below":              {`"human_in_the_loop":{"enabled":false,"trigger":` + bookings + `}`, asks(``), `asks`},
		"of some calls above, of all below":   {asks(`,"trigger":` + bookings), asks(``), `asks`},
		"of some calls, and of other ones":    {asks(`,"trigger":` + bookings), asks(`,"trigger":` + payments), `asks book pay`},
		"of the same calls":                   {asks(`,"trigger":` + bookings), asks(`,"trigger":` + bookings), `asks book`},
		"of some calls above, of none below":  {asks(`,"trigger":` + bookings), ``, `asks book`},
		"no answer is awaited longer":         {asks(`,"timeout_seconds":60`), asks(`,"timeout_seconds":600`), `asks 60`},
		"an answer is awaited as is said":     {asks(``), asks(`,"timeout_seconds":600`), `asks 600`},
		"a trigger of what nobody has to ask": {`"human_in_the_loop":{"trigger":` + bookings + `}`, asks(`,"trigger":` + payments), `asks pay`},
	} {
		t.Run("AAIF-4.3-26 "+name, func(t *testing.T) {
			expect(t, shown(ruled(t, c.child, ``).WithParent(ruled(t, c.parent, ``))), c.want)
		})
	}
	t.Run("AAIF-4.3-26 constraints of both", func(t *testing.T) {
		got := ruled(t, ``, `"a","b"`).WithParent(ruled(t, ``, `"b","c"`))
		expect(t, strings.Join(got.Constraints, " "), "b c a")
	})
	t.Run("AAIF-4.3-26 triggers are told apart to the last digit, and not by their spelling", func(t *testing.T) {
		trigger := func(text string) aaif.Rules {
			return ruled(t, asks(`,"trigger":{"lang":"jsonlogic","expr":`+text+`}`), ``)
		}
		for other, want := range map[string]int{
			`{"==":[{"var":"n"},9007199254740993]}`:       1,
			`{ "==" : [ {"var":"n"}, 9007199254740993 ]}`: 1,
			`{"==":[{"var":"n"},9007199254740992]}`:       2,
		} {
			one := trigger(`{"==":[{"var":"n"},9007199254740993]}`)
			both := one.WithParent(trigger(other))
			if got := len(both.Supervision.Triggers); got != want {
				t.Errorf("%s: %d triggers", other, got)
			}
			if more := len(both.StricterThan(one)); more != want-1 {
				t.Errorf("%s: held to %d rules more", other, more)
			}
		}
	})
}

// shown says what is not as it is without a word.
func shown(r aaif.Rules) string {
	var words []string
	add := func(yes bool, word any) {
		if yes {
			words = append(words, fmt.Sprint(word))
		}
	}
	for _, region := range r.Residencies {
		add(true, region)
	}
	add(r.Safety != aaif.Standard, r.Safety)
	add(r.PII != aaif.PIIDetect, r.PII)
	add(r.AuditLog, "log")
	add(r.Supervision.Needed, "asks")
	for _, c := range r.Supervision.Triggers {
		add(strings.Contains(c.Expr.Text(), "book"), "book")
		add(strings.Contains(c.Expr.Text(), "pay"), "pay")
	}
	add(r.Supervision.Timeout > 0, r.Supervision.Timeout)
	return strings.Join(words, " ")
}

// anyRules makes rules up.
func anyRules(r *rand.Rand) aaif.Rules {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	var rules aaif.Rules
	rules.Safety = aaif.Safety(pick("minimal", "standard", "strict", "regulated", "unheard of"))
	rules.PII = aaif.PII(pick("none", "detect", "anonymize", "encrypt", "reject"))
	rules.AuditLog = r.IntN(2) == 0
	if region := pick("", "EU", "US", "custom"); region != "" {
		rules.Residencies = []aaif.Residency{aaif.Residency(region)}
	}
	if r.IntN(2) == 0 {
		rules.Supervision = aaif.Supervision{Needed: true, Timeout: r.IntN(3)}
		if expr := pick("", "a", "b"); expr != "" {
			rules.Supervision.Triggers = []aaif.Condition{{Lang: aaif.CEL, Expr: canon.String(expr)}}
		}
	}
	if c := pick("", "x", "y"); c != "" {
		rules.Constraints = []string{c}
	}
	return rules
}

// sorted returns rules as text, whatever order they came in.
func sorted(r aaif.Rules) string {
	slices.Sort(r.Residencies)
	slices.Sort(r.Constraints)
	slices.SortFunc(r.Supervision.Triggers, func(a, b aaif.Condition) int { return strings.Compare(a.Expr.Text(), b.Expr.Text()) })
	return string(r.Value().AppendCanonical(nil))
}

func TestRulesOnlyGrow(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 26))
	for range 5000 {
		a, b, c := anyRules(r), anyRules(r), anyRules(r)
		both := a.WithParent(b)
		if more := slices.Concat(a.StricterThan(both), b.StricterThan(both)); len(more) > 0 {
			t.Fatalf("AAIF-4.3-26: %s under %s is held to less: %q", sorted(a), sorted(b), more)
		}
		if (len(both.StricterThan(a)) == 0) != (sorted(both) == sorted(a)) && a.Safety != "unheard of" && b.Safety != "unheard of" {
			t.Fatalf("AAIF-4.3-26: %s is not %s, and %q is said of it", sorted(both), sorted(a), both.StricterThan(a))
		}
		if sorted(both) != sorted(b.WithParent(a)) || sorted(a.WithParent(a)) != sorted(a) || sorted(both.WithParent(c)) != sorted(a.WithParent(b.WithParent(c))) {
			t.Fatalf("AAIF-4.3-26: the order counts for %s, %s, %s", sorted(a), sorted(b), sorted(c))
		}
	}
}

func TestRulesBeyond(t *testing.T) {
	own := ruled(t, ``, ``)
	all := ruled(t, `"safety_level":"strict","data_residency":"EU","pii_handling":"encrypt","audit_log":true,`+asks(``), `"a"`)
	expect(t, strings.Join(own.WithParent(all).StricterThan(own), "; "), "safety_level strict; data_residency EU; pii_handling encrypt; audit_log; human_in_the_loop; a constraint")
	expect(t, strings.Join(all.WithParent(own).StricterThan(all), "; "), "")
	expect(t, ruled(t, `"safety_level":"minimal","pii_handling":"none"`, ``).Words(), "nothing in particular")
	expect(t, strings.Join(ruled(t, ``, ``).WithParent(ruled(t, ``, `"a","b"`)).StricterThan(own), "; "), "2 constraints")
}
