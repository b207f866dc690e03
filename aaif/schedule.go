package aaif

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// scheduleHint says how to write a schedule.
const scheduleHint = "write five fields, as 0 9 * * 1-5 (UTC), or PT15M"

// scheduleError says why a text is no schedule, or returns "". A schedule is cron, in
// five fields or by a name such as @daily, or an interval, such as @every 90m or PT90M
// (AAIF-4-20).
func scheduleError(text string) string {
	fields := strings.Fields(text)
	switch first := text[:min(len(text), 1)]; {
	case first == "P" || first == "@":
		if !isInterval(text) {
			return "neither cron nor an interval: " + scheduleHint
		}
	case !strings.ContainsAny(text, "0123456789*?"):
		return "neither cron nor an interval: " + scheduleHint
	case len(fields) != len(cronFields()):
		return fmt.Sprintf("has %d fields; cron has five: %s", len(fields), scheduleHint)
	default:
		for i, f := range cronFields() {
			if slices.ContainsFunc(strings.Split(fields[i], ","), func(part string) bool { return !f.takes(part) }) {
				return fmt.Sprintf("the %s is none of %d to %d%s", f.name, f.least, f.most, f.how())
			}
		}
	}
	return ""
}

// isInterval reports whether a text is an interval, or the name of a schedule.
func isInterval(text string) bool {
	if every, ok := strings.CutPrefix(text, "@every "); ok {
		d, err := time.ParseDuration(strings.TrimSpace(every))
		return err == nil && d > 0
	}
	if strings.HasPrefix(text, "P") {
		_, err := memory.ParseDuration(text)
		return err == nil
	}
	return slices.Contains([]string{"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}, text)
}

// cronField describes one field of cron.
type cronField struct {
	name        string
	least, most int
	names       []string // names of its numbers, from the least
}

func cronFields() []cronField {
	return []cronField{
		{"minute", 0, 59, nil}, {"hour", 0, 23, nil}, {"day of the month", 1, 31, nil},
		{"month", 1, 12, []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
		{"day of the week", 0, 7, []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
	}
}

// how says what else a field accepts.
func (f cronField) how() string {
	if f.names == nil {
		return ", and neither *, a range as 1-5, a step as */15 nor a list of those"
	}
	return ", nor " + f.names[0] + " to " + f.names[len(f.names)-1] + ", and neither *, a range as 1-5, a step as */2 nor a list of those"
}

// takes reports whether a part of a list is a number, a range or *, with an optional
// step.
func (f cronField) takes(part string) bool {
	if base, step, ok := strings.Cut(part, "/"); ok {
		if n, err := strconv.Atoi(step); err != nil || n < 1 {
			return false
		}
		part = base
	}
	if part == "*" || part == "?" {
		return true
	}
	from, to, ok := strings.Cut(part, "-")
	if !ok {
		to = from
	}
	a, b := f.number(from), f.number(to)
	return f.least <= a && a <= b && b <= f.most
}

// number reads a number or its name, and returns -1 for anything else.
func (f cronField) number(text string) int {
	if i := slices.Index(f.names, strings.ToLower(text)); i >= 0 {
		return f.least + i
	}
	n, err := strconv.Atoi(text)
	if err != nil || strings.ContainsAny(text, "+-") {
		return -1
	}
	return n
}
