package cli

import (
	"fmt"
	"strconv"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress shows the progress of long work: a moving line on a terminal, and a plain line
// from time to time elsewhere.
type Progress struct {
	app   *App
	what  string // "imported"
	unit  string // "records"
	bar   *progressbar.ProgressBar
	began time.Time
	last  time.Time
	total int // 0: not known
	Done  int
	far   func() (done, total int64) // bytes; nil: unknown
	from  int64                      // bytes done, or skipped, at the first item
	since time.Time                  // the time of the first item
}

// lineInterval is the time between plain lines.
const lineInterval = 5 * time.Second

// Progress shows how many records a command has processed.
func (a *App) Progress(what string) *Progress { return a.ProgressOf(what, "records", 0) }

// ProgressIn is Progress for units other than records.
func (a *App) ProgressIn(what, unit string) *Progress { return a.ProgressOf(what, unit, 0) }

// ProgressOf is Progress with a known total; 0: unknown.
func (a *App) ProgressOf(what, unit string, total int) *Progress {
	p := &Progress{app: a, what: what, unit: unit, total: total, began: a.Now(), last: a.Now()}
	p.show(int64(total), progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString(unit))
	return p
}

// ProgressFar is Progress for records whose source's position in bytes is known. It is
// unknown if far is nil or returns a total of 0.
func (a *App) ProgressFar(what string, far func() (done, total int64)) *Progress {
	if far == nil {
		return a.Progress(what)
	}
	_, total := far()
	if total <= 0 {
		return a.Progress(what)
	}
	p := &Progress{app: a, what: what, unit: "records", far: far, began: a.Now(), last: a.Now()}
	p.show(total)
	return p
}

// show puts a moving line on a terminal.
func (p *Progress) show(total int64, options ...progressbar.Option) {
	if p.app.Quiet || !IsTerminal(p.app.Err) {
		return
	}
	if total == 0 {
		total = -1
	}
	p.bar = progressbar.NewOptions64(total, append(options, progressbar.OptionSetWriter(p.app.Err),
		progressbar.OptionSetDescription(p.what), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())...)
}

// Reached reports how many items are done.
func (p *Progress) Reached(done int) {
	added := done - p.Done
	p.Done = done
	if p.since.IsZero() {
		p.from, _ = p.bytes()
		p.since = p.app.Now()
	}
	if p.bar != nil {
		p.move(added)
		return
	}
	if now := p.app.Now(); now.Sub(p.last) >= lineInterval {
		p.last = now
		p.app.Say("%s", p.line(now.Sub(p.began), now.Sub(p.since)))
	}
}

// move moves the line on a terminal, by added items or to a byte.
func (p *Progress) move(added int) {
	if p.far == nil {
		p.bar.Add(added) //nolint:errcheck // only what is seen depends on it
		return
	}
	done, _ := p.bytes()
	took := p.app.Now().Sub(p.began)
	p.bar.Describe(fmt.Sprintf("%s %d %s, %.0f a second", p.what, p.Done, p.unit, float64(p.Done)/took.Seconds()))
	p.bar.Set64(done) //nolint:errcheck // only what is seen depends on it
}

// bytes returns the position in bytes; a total of 0: unknown.
func (p *Progress) bytes() (done, total int64) {
	if p.far == nil {
		return 0, 0
	}
	done, total = p.far()
	if done <= 0 || total <= 0 {
		return 0, 0
	}
	return min(done, total), total
}

// line is the plain line after a time, of which since counts from the first item.
func (p *Progress) line(took, since time.Duration) string {
	count := strconv.Itoa(p.Done)
	done, total := p.bytes()
	if p.total > 0 {
		count += fmt.Sprintf(" of %d", p.total)
		done, total = int64(p.Done), int64(p.total)
	}
	line := fmt.Sprintf("%s %s %s", p.what, count, p.unit)
	if total > 0 {
		line += fmt.Sprintf(", %d %%", 100*done/total)
	}
	line += fmt.Sprintf(", %.0f a second", float64(p.Done)/took.Seconds())
	if p.far != nil {
		done, total, took = done-p.from, total-p.from, since
	}
	if rest, ok := remaining(done, total, took); ok {
		line += fmt.Sprintf(", %s left", rest)
	}
	return line
}

// End removes the moving line.
func (p *Progress) End() {
	if p.bar != nil {
		p.bar.Finish() //nolint:errcheck // only what is seen depends on it
	}
}

// remaining estimates the time for the rest, given the time from 0 to done; false: too
// early to say.
func remaining(done, total int64, took time.Duration) (time.Duration, bool) {
	if done <= 0 || total <= 0 || took < time.Second {
		return 0, false
	}
	rest := float64(max(total-done, 0)) / float64(done) * float64(took)
	return time.Duration(rest).Round(time.Second), true
}
