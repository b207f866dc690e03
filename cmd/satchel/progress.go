package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows how far long work has come: a moving line on a terminal, and a
// plain line now and then elsewhere.
type progress struct {
	app   *app
	what  string // "imported"
	unit  string // "records"
	bar   *progressbar.ProgressBar
	began time.Time
	last  time.Time
	total int // 0: not known
	done  int
}

// every is how often a plain line is written.
const every = 5 * time.Second

func (a *app) progress(what string) *progress { return a.progressOf(what, "records", 0) }

// progressIn is progress that counts something else than records.
func (a *app) progressIn(what, unit string) *progress { return a.progressOf(what, unit, 0) }

// progressOf is progress of which it is known how many there will be; 0: it is not.
func (a *app) progressOf(what, unit string, total int) *progress {
	p := &progress{app: a, what: what, unit: unit, total: total, began: a.now(), last: a.now()}
	if !a.quiet && isTerminal(a.err) {
		all := int64(-1)
		if total > 0 {
			all = int64(total)
		}
		p.bar = progressbar.NewOptions64(all, progressbar.OptionSetWriter(a.err),
			progressbar.OptionSetDescription(what), progressbar.OptionShowCount(), progressbar.OptionShowIts(),
			progressbar.OptionSetItsString(unit), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish())
	}
	return p
}

// reached says how many of them are done.
func (p *progress) reached(done int) {
	added := done - p.done
	p.done = done
	if p.bar != nil {
		p.bar.Add(added) //nolint:errcheck // only what is seen depends on it
		return
	}
	if now := p.app.now(); now.Sub(p.last) >= every {
		p.last = now
		p.app.say("%s", p.line(now.Sub(p.began)))
	}
}

// line is the plain line after some time.
func (p *progress) line(took time.Duration) string {
	count := strconv.Itoa(p.done)
	if p.total > 0 {
		count += fmt.Sprintf(" of %d", p.total)
	}
	line := fmt.Sprintf("%s %s %s", p.what, count, p.unit)
	if p.total > 0 {
		line += fmt.Sprintf(", %d %%", 100*p.done/p.total)
	}
	return line + fmt.Sprintf(", %.0f a second", float64(p.done)/took.Seconds())
}

// end takes the moving line away.
func (p *progress) end() {
	if p.bar != nil {
		p.bar.Finish() //nolint:errcheck // only what is seen depends on it
	}
}
