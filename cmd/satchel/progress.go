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
	far   func() (done, total int64) // bytes; nil: not known
	from  int64                      // bytes that were done, or passed over, when the first of it was
	since time.Time                  // when that was
}

// every is how often a plain line is written.
const every = 5 * time.Second

func (a *app) progress(what string) *progress { return a.progressOf(what, "records", 0) }

// progressIn is progress that counts something else than records.
func (a *app) progressIn(what, unit string) *progress { return a.progressOf(what, unit, 0) }

// progressOf is progress of which it is known how many there will be; 0: it is not.
func (a *app) progressOf(what, unit string, total int) *progress {
	p := &progress{app: a, what: what, unit: unit, total: total, began: a.now(), last: a.now()}
	p.show(int64(total), progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString(unit))
	return p
}

// progressFar is progress with records of which it is known how far in bytes they are;
// far is nil, or returns a total of 0, where it is not.
func (a *app) progressFar(what string, far func() (done, total int64)) *progress {
	if far == nil {
		return a.progress(what)
	}
	_, total := far()
	if total <= 0 {
		return a.progress(what)
	}
	p := &progress{app: a, what: what, unit: "records", far: far, began: a.now(), last: a.now()}
	p.show(total)
	return p
}

// show puts a moving line on a terminal.
func (p *progress) show(total int64, options ...progressbar.Option) {
	if p.app.quiet || !isTerminal(p.app.err) {
		return
	}
	if total == 0 {
		total = -1
	}
	p.bar = progressbar.NewOptions64(total, append(options, progressbar.OptionSetWriter(p.app.err),
		progressbar.OptionSetDescription(p.what), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())...)
}

// reached says how many of them are done.
func (p *progress) reached(done int) {
	added := done - p.done
	p.done = done
	if p.since.IsZero() {
		p.from, _ = p.bytes()
		p.since = p.app.now()
	}
	if p.bar != nil {
		p.move(added)
		return
	}
	if now := p.app.now(); now.Sub(p.last) >= every {
		p.last = now
		p.app.say("%s", p.line(now.Sub(p.began), now.Sub(p.since)))
	}
}

// move moves the line on a terminal: by what was added, or to the byte that was reached.
func (p *progress) move(added int) {
	if p.far == nil {
		p.bar.Add(added) //nolint:errcheck // only what is seen depends on it
		return
	}
	done, _ := p.bytes()
	took := p.app.now().Sub(p.began)
	p.bar.Describe(fmt.Sprintf("%s %d %s, %.0f a second", p.what, p.done, p.unit, float64(p.done)/took.Seconds()))
	p.bar.Set64(done) //nolint:errcheck // only what is seen depends on it
}

// bytes returns how far the work is in bytes; a total of 0: not known.
func (p *progress) bytes() (done, total int64) {
	if p.far == nil {
		return 0, 0
	}
	done, total = p.far()
	if done <= 0 || total <= 0 {
		return 0, 0
	}
	return min(done, total), total
}

// line is the plain line after some time, and some since the first was reached.
func (p *progress) line(took, since time.Duration) string {
	count := strconv.Itoa(p.done)
	done, total := p.bytes()
	if p.total > 0 {
		count += fmt.Sprintf(" of %d", p.total)
		done, total = int64(p.done), int64(p.total)
	}
	line := fmt.Sprintf("%s %s %s", p.what, count, p.unit)
	if total > 0 {
		line += fmt.Sprintf(", %d %%", 100*done/total)
	}
	line += fmt.Sprintf(", %.0f a second", float64(p.done)/took.Seconds())
	if p.far != nil {
		done, total, took = done-p.from, total-p.from, since
	}
	if rest, ok := left(done, total, took); ok {
		line += fmt.Sprintf(", %s left", rest)
	}
	return line
}

// end takes the moving line away.
func (p *progress) end() {
	if p.bar != nil {
		p.bar.Finish() //nolint:errcheck // only what is seen depends on it
	}
}
