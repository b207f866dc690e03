package condition_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
)

// filters returns a definition with triggers that have conditions.
func filters(t testing.TB, conditions ...string) aaif.Definition {
	t.Helper()
	var triggers []string
	for _, c := range conditions {
		triggers = append(triggers, `{"type":"webhook","filter":`+c+`}`)
	}
	return aaif.ReadDefinition(value(t, `{"agent":{"events":{"triggers":[`+strings.Join(triggers, ",")+`]}}}`))
}

func checked(d aaif.Definition, o condition.CheckOptions) string {
	var found []string
	for _, p := range condition.NewCompiler(condition.Options{}).Check(d, o) {
		found = append(found, fmt.Sprintf("%s %s %s", condition.CodeOf(p), p.Path, p.Rule))
	}
	return strings.Join(found, "; ")
}

func TestCheck(t *testing.T) {
	d := filters(t, `{"lang":"cel","expr":"a =="}`, `{"lang":"cel","expr":"1 == 1"}`, `{"lang":"cel","expr":"a == 1"}`)
	const parse, always = "CONDITION_PARSE /agent/events/triggers/0/filter/expr AAIF-5-19", "CONDITION_ALWAYS /agent/events/triggers/1/filter/expr AAIF-5-16"
	for _, c := range []struct {
		name    string
		options condition.CheckOptions
		want    string
	}{
		{"AAIF-5-19 what is no expression", condition.CheckOptions{}, parse},
		{"AAIF-5-16 and what says nothing", condition.CheckOptions{Lint: true}, parse + "; " + always},
		{"AAIF-5-19 except for what is left out", condition.CheckOptions{Skip: func(p string) bool { return p == "/agent/events/triggers/0/filter" }}, ""},
		{"AAIF-5-20 more than are allowed", condition.CheckOptions{Bytes: 40}, "TOO_LARGE /agent/events/triggers/1/filter AAIF-5-20"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := checked(d, c.options); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestCheckTotal: many conditions cost together no more than some.
func TestCheckTotal(t *testing.T) {
	var long, heavy []string
	for range 1500 {
		long = append(long, `{"lang":"cel","expr":"[`+strings.Repeat("a,", 1000)+`a] == []"}`)
	}
	z := "[0,0,0,0,0,0,0,0,0,0]"
	for range 120 {
		heavy = append(heavy, `{"lang":"cel","expr":"`+strings.Repeat(z+".all(a,", 6)+"true"+strings.Repeat(")", 6)+`"}`)
	}
	t.Run("AAIF-5-20 many bytes", func(t *testing.T) {
		d := filters(t, long...)
		within(t, 100*time.Millisecond, func() {
			if got := checked(d, condition.CheckOptions{}); got != "TOO_LARGE /agent/events/triggers/16/filter AAIF-5-20" {
				t.Errorf("got %q", got)
			}
		})
	})
	t.Run("AAIF-5-20 many steps", func(t *testing.T) {
		d := filters(t, heavy...)
		within(t, time.Second, func() {
			if got := checked(d, condition.CheckOptions{Lint: true}); got != "CONDITION_LIMIT /agent/events/triggers/0/filter/expr AAIF-5-20" {
				t.Errorf("got %q", got)
			}
		})
	})
}
