package condition_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/aaif/condition"
)

// TestWhatIsRepeated: what is said of an expression repeats little of it, and no
// secret at all.
func TestWhatIsRepeated(t *testing.T) {
	secret := "sk-ant-api03-" + strings.Repeat("Ab3dEf7h", 8)
	long := strings.Repeat("ü_Ab3dEf7h", 40)
	for name, c := range map[string]struct {
		lang condition.Language
		expr string
	}{
		"an operator":            {condition.JSONLogic, `{"` + secret + `":1}`},
		"a long operator":        {condition.JSONLogic, `{"` + long + `":1}`},
		"a text that ends early": {condition.CEL, "'" + secret},
		"a text too many":        {condition.CEL, "a == '" + secret + "' '" + secret + "'"},
		"a long name":            {condition.CEL, "f" + strings.ReplaceAll(long, "ü", "u") + "(1)"},
		"a pattern":              {condition.CEL, "s.matches('(" + secret + "')"},
		"a long function":        {condition.JMESPath, "f" + strings.ReplaceAll(long, "ü", "u") + "(a)"},
		"a long function, too":   {condition.JSONPath, "$.l[?f" + strings.ReplaceAll(strings.ToLower(long), "ü", "u") + "(@)]"},
		"what no terminal shows": {condition.JSONLogic, `{"a\u001b[31mb` + "\u202e" + `":1}`},
	} {
		t.Run("AAIF-12-4 "+name, func(t *testing.T) {
			_, err := condition.NewCompiler(condition.Options{}).Compile(written(t, c.lang, c.expr), "")
			if err == nil {
				t.Fatal("it was read")
			}
			text := err.Error()
			if strings.Contains(text, "Ab3dEf7hAb3dEf7h") || strings.ContainsAny(text, "\u001b\u202e") || utf8.RuneCountInString(text) > 400 {
				t.Errorf("got %q", text)
			}
			for word := range strings.FieldsSeq(text) {
				if utf8.RuneCountInString(word) > 42 {
					t.Errorf("repeats %q", word)
				}
			}
		})
	}
	t.Run("AAIF-12-4 a name that the payload has not", func(t *testing.T) {
		c := compiled(t, condition.JMESPath, `"`+secret+`" == 'x'`)
		if found := c.Lint(condition.Handoff, ""); len(found) != 1 || strings.Contains(found[0].Error(), "Ab3dEf7h") {
			t.Errorf("got %v", found)
		}
	})
}
