package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Check is the way a run tries a row. The error says what is wrong; nil means that the
// server keeps the row. See also [Skipped].
type Check[R any] struct {
	ID  string
	Try func(run R) error
}

// Absence is a row that a run cannot try: its id and the reason.
type Absence [2]string

// Course is the plan of a run: the run tries or explains each row. R is the run, and C the
// suite's own name for a [Check] of it.
type Course[R any, C ~struct {
	ID  string
	Try func(run R) error
}] struct {
	Rows   []Result // without an outcome
	Checks []C      // in the order of the run
	Absent []Absence
	Only   []string // see [Wants]
	Strict bool     // see [Judge]
	// Implied makes rows of IMPLIED count as rows of MUST do.
	Implied bool
	Now     func() time.Time
}

// Run tries every requested row and logs its outcome. It stops when the context ends,
// without an outcome for the row it was trying.
func (c Course[R, C]) Run(ctx context.Context, run R, log *Log) {
	rows := map[string]Result{}
	for _, w := range c.Rows {
		rows[w.ID] = w
	}
	for _, one := range c.Checks {
		check := Check[R](one)
		if !Wants(c.Only, check.ID) || ctx.Err() != nil {
			continue
		}
		began := c.Now()
		err := check.Try(run)
		if ctx.Err() != nil {
			return
		}
		result := rows[check.ID]
		result.Took = c.Now().Sub(began)
		result.Outcome, result.Message = Judge(err, result.Keyword, c.Strict || c.Implied && result.Keyword == "IMPLIED")
		log.Note(result)
	}
	for _, a := range c.Absent {
		if result := rows[a[0]]; Wants(c.Only, a[0]) && ctx.Err() == nil {
			result.Outcome, result.Message = NotApplicable, a[1]
			log.Note(result)
		}
	}
}

// Gaps lists rows that are not tried or explained exactly once, and checks and absences
// without a row. A complete course has no gaps.
func (c Course[R, C]) Gaps() []string {
	var gaps []string
	times := map[string]int{}
	for _, one := range c.Checks {
		times[Check[R](one).ID]++
	}
	for _, a := range c.Absent {
		if times[a[0]]++; a[1] == "" {
			gaps = append(gaps, a[0]+" is not tried for no reason")
		}
	}
	for _, w := range c.Rows {
		if times[w.ID] != 1 {
			gaps = append(gaps, fmt.Sprintf("%s is tried or explained %d times", w.ID, times[w.ID]))
		}
		delete(times, w.ID)
	}
	for id := range times {
		gaps = append(gaps, id+" is no requirement")
	}
	slices.Sort(gaps)
	return gaps
}

// Names reports whether only, as in Course.Only, names a row or any row of a section.
func Names(rows []Result, only string) bool {
	return slices.ContainsFunc(rows, func(w Result) bool { return Wants([]string{only}, w.ID) })
}

// Section returns the section of a row: "3.2" of X-3.2-7.
func Section(id string) string {
	_, rest, _ := strings.Cut(id, "-")
	section, _, _ := strings.Cut(rest, "-")
	return section
}

// Start checks the needs of every run. It returns the server's address as [Base] does, and a
// [Word] for the run. Without a token, the error wraps tokenless.
func Start(address, token string, tokenless error, now func() time.Time, random io.Reader) (base, word string, err error) {
	if now == nil || random == nil {
		return "", "", errors.New("Target.Now and Target.Random are required")
	}
	if base, err = Base(address); err != nil {
		return "", "", err
	}
	if token == "" {
		return "", "", fmt.Errorf("%w: there is none", tokenless)
	}
	if word, err = Word(random); err != nil {
		return "", "", err
	}
	return base, word, nil
}
