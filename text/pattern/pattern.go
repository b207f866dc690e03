// Package pattern holds regular expressions that are compiled when they are first used.
// Every start of the program initialises every package, and most starts use few
// expressions.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression. Its methods are those of [regexp.Regexp], and
// goroutines may share it.
type Pattern struct {
	compiled func() *regexp.Regexp
}

// New returns the pattern of a regular expression. The first use of the pattern panics if
// the expression is invalid, as [regexp.MustCompile] does.
func New(expression string) *Pattern {
	return &Pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

// Regexp returns the compiled expression.
func (p *Pattern) Regexp() *regexp.Regexp { return p.compiled() }

// MatchString is [regexp.Regexp.MatchString].
func (p *Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

// FindString is [regexp.Regexp.FindString].
func (p *Pattern) FindString(s string) string { return p.compiled().FindString(s) }

// FindStringIndex is [regexp.Regexp.FindStringIndex].
func (p *Pattern) FindStringIndex(s string) []int { return p.compiled().FindStringIndex(s) }

// FindStringSubmatch is [regexp.Regexp.FindStringSubmatch].
func (p *Pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

// FindStringSubmatchIndex is [regexp.Regexp.FindStringSubmatchIndex].
func (p *Pattern) FindStringSubmatchIndex(s string) []int {
	return p.compiled().FindStringSubmatchIndex(s)
}

// FindAllStringIndex is [regexp.Regexp.FindAllStringIndex].
func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is [regexp.Regexp.FindAllStringSubmatch].
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is [regexp.Regexp.FindAllStringSubmatchIndex].
func (p *Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString is [regexp.Regexp.ReplaceAllString].
func (p *Pattern) ReplaceAllString(s, replacement string) string {
	return p.compiled().ReplaceAllString(s, replacement)
}

// ReplaceAllStringFunc is [regexp.Regexp.ReplaceAllStringFunc].
func (p *Pattern) ReplaceAllStringFunc(s string, replace func(string) string) string {
	return p.compiled().ReplaceAllStringFunc(s, replace)
}
