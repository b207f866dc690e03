package main

import (
	"strings"

	"github.com/alecthomas/kong"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/text/pattern"
)

// kong's messages about a value, an argument or a flag.
var (
	noValue    = pattern.New(`^(--[^:]+): (?:expected .* but got "EOL"|missing value)`)
	flagLike   = pattern.New(`^(--[^:]+): expected .* but got "(-.*)" \(.*flag`)
	noNumber   = pattern.New(`^([^:]+): expected a valid \d+ bit u?int but got "(.*)"$`)
	noBool     = pattern.New(`^(--[^:]+): bool value must be .* but got "(.*)"$`)
	noChoice   = pattern.New(`^(\S+) must be one of (.*) but got "(.*)"$`)
	noArgument = pattern.New(`^expected "(.*)"$`)
	allDigits  = pattern.New(`^-?[0-9]+$`)
)

// plainUsage says which flag or argument is wrong, its value, and what it takes.
func plainUsage(err *kong.ParseError) error {
	said := err.Error()
	if m := noValue.FindStringSubmatch(said); m != nil {
		return cli.Usagef("%s needs %s after it", m[1], expected(err, m[1]))
	}
	if m := flagLike.FindStringSubmatch(said); m != nil {
		return cli.Usagef("%s takes %s, and %q reads like another flag; if it is the value, write %s=%s", m[1], expected(err, m[1]), cli.Clean(m[2]), m[1], cli.Clean(m[2]))
	}
	if m := noNumber.FindStringSubmatch(said); m != nil {
		why := "is none"
		if allDigits.MatchString(m[2]) {
			why = "is too large"
		}
		return cli.Usagef("%s takes a whole number, and %q %s", m[1], cli.Clean(m[2]), why)
	}
	if m := noBool.FindStringSubmatch(said); m != nil {
		return cli.Usagef("%s takes true or false, and %q is neither", m[1], cli.Clean(m[2]))
	}
	if m := noChoice.FindStringSubmatch(said); m != nil {
		return cli.Usagef("%s takes %s; %q is none of them", m[1], choices(strings.Split(strings.ReplaceAll(m[2], `"`, ""), ",")), cli.Clean(m[3]))
	}
	if m := noArgument.FindStringSubmatch(said); m != nil && strings.HasPrefix(m[1], "<") {
		return cli.Usagef("satchel%s needs %s", commandOf(err.Context), m[1])
	}
	return err
}

// expected returns what a flag takes.
func expected(err *kong.ParseError, name string) string {
	if err.Context == nil {
		return "a value"
	}
	flag := flagNamed(err.Context.Flags(), name)
	if flag == nil {
		return "a value"
	}
	if words := choices(flag.EnumSlice()); words != "" {
		return words
	}
	switch flag.Target.Interface().(type) {
	case int, int64:
		return "a whole number"
	case cli.When:
		return "a time, such as 2026-03-01"
	case cli.Span:
		return "a length of time, such as 30d"
	}
	return "a value"
}

// choices lists words to choose from.
func choices(words []string) string {
	var named []string
	for _, word := range words {
		if word != "" {
			named = append(named, word)
		}
	}
	if len(named) < 2 {
		return strings.Join(named, "")
	}
	return strings.Join(named[:len(named)-1], ", ") + " or " + named[len(named)-1]
}
