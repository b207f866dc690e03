package aaif

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// scheduled reports whether a text says when: as cron does, in five fields or by a name
// such as @daily, or by an interval, as @every 90m or PT90M (AAIF-4-20).
func scheduled(text string) bool {
	if every, ok := strings.CutPrefix(text, "@every "); ok {
		d, err := time.ParseDuration(strings.TrimSpace(every))
		return err == nil && d > 0
	}
	if strings.HasPrefix(text, "P") {
		_, err := memory.ParseDuration(text)
		return err == nil
	}
	if strings.HasPrefix(text, "@") {
		return slices.Contains([]string{"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}, text)
	}
	fields := strings.Fields(text)
	if len(fields) != len(cronFields()) {
		return false
	}
	for i, f := range cronFields() {
		if !slices.ContainsFunc(strings.Split(fields[i], ","), func(part string) bool { return !f.takes(part) }) {
			continue
		}
		return false
	}
	return true
}

// cronField is what one field of cron takes.
type cronField struct {
	least, most int
	names       []string // of its numbers, from the least
}

func cronFields() []cronField {
	return []cronField{
		{0, 59, nil}, {0, 23, nil}, {1, 31, nil},
		{1, 12, []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
		{0, 7, []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
	}
}

// takes reports whether a part of a list is a number, a range or all, and how often.
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

// number reads a number or its name, and is -1 of what is neither.
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
