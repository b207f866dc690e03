package pattern_test

import (
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/satchel-memory/satchel/text/pattern"
)

// TestPattern: each method answers as that of the compiled expression does.
func TestPattern(t *testing.T) {
	const expression, text = `(\w)=(\d+)`, "a=1, b=22, c"
	p, want := pattern.New(expression), regexp.MustCompile(expression)
	for name, answers := range map[string][2]any{
		"Regexp":                      {p.Regexp().String(), expression},
		"MatchString":                 {p.MatchString(text), want.MatchString(text)},
		"FindString":                  {p.FindString(text), want.FindString(text)},
		"FindStringIndex":             {p.FindStringIndex(text), want.FindStringIndex(text)},
		"FindStringSubmatch":          {p.FindStringSubmatch(text), want.FindStringSubmatch(text)},
		"FindStringSubmatchIndex":     {p.FindStringSubmatchIndex(text), want.FindStringSubmatchIndex(text)},
		"FindAllStringIndex":          {p.FindAllStringIndex(text, -1), want.FindAllStringIndex(text, -1)},
		"FindAllStringSubmatch":       {p.FindAllStringSubmatch(text, 1), want.FindAllStringSubmatch(text, 1)},
		"FindAllStringSubmatchIndex":  {p.FindAllStringSubmatchIndex(text, -1), want.FindAllStringSubmatchIndex(text, -1)},
		"ReplaceAllString":            {p.ReplaceAllString(text, "$2=$1"), want.ReplaceAllString(text, "$2=$1")},
		"ReplaceAllStringFunc":        {p.ReplaceAllStringFunc(text, strings.ToUpper), want.ReplaceAllStringFunc(text, strings.ToUpper)},
		"MatchString of another text": {p.MatchString("c"), false},
	} {
		if !reflect.DeepEqual(answers[0], answers[1]) {
			t.Errorf("%s: %v, want %v", name, answers[0], answers[1])
		}
	}
}

// TestInvalid: an invalid expression panics when it is first used, and not before.
func TestInvalid(t *testing.T) {
	p := pattern.New(`(`)
	defer func() {
		if recover() == nil {
			t.Error("an invalid expression is used")
		}
	}()
	p.MatchString("")
}

// TestShared: goroutines share a pattern.
func TestShared(t *testing.T) {
	p := pattern.New(`^a+$`)
	var together sync.WaitGroup
	for range 8 {
		together.Go(func() {
			if !p.MatchString("aaa") {
				t.Error("it does not match")
			}
		})
	}
	together.Wait()
}
