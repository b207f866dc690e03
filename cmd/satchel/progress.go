package main

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows how far long work has come: a moving line on a terminal, and a
// plain line now and then elsewhere.
type progress struct {
	app  *app
	what string // "imported"
	unit string // "records"
	bar  *progressbar.ProgressBar
	last time.Time
	done int
}

// every is how often a plain line is written.
const every = 5 * time.Second

func (a *app) progress(what string) *progress { return a.progressIn(what, "records") }

// progressIn is progress that counts something else than records.
func (a *app) progressIn(what, unit string) *progress {
	p := &progress{app: a, what: what, unit: unit, last: a.now()}
	if !a.quiet && isTerminal(a.err) {
		p.bar = progressbar.NewOptions64(-1, progressbar.OptionSetWriter(a.err),
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
		p.app.say("%s %d %s", p.what, done, p.unit)
	}
}

// end takes the moving line away.
func (p *progress) end() {
	if p.bar != nil {
		p.bar.Finish() //nolint:errcheck // only what is seen depends on it
	}
}
