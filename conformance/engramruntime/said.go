package engramruntime

import (
	"errors"
	"fmt"
	"strings"
)

// used returns nil if the runtime used the context and its prompt has all values.
func (p *play) used(values ...string) error {
	if !p.said.Done {
		return fmt.Errorf("it fails: %s", line(p.said.Log))
	}
	for _, value := range values {
		if !strings.Contains(p.said.Out, value) {
			return fmt.Errorf("it does not print %q", p.unmarked(value))
		}
	}
	return nil
}

// without returns nil if the runtime's prompt has none of the values.
func (p *play) without(values ...string) error {
	for _, value := range values {
		if strings.Contains(p.said.Out, value) {
			return fmt.Errorf("it prints %q", p.unmarked(value))
		}
	}
	return nil
}

// refused returns nil if the runtime failed and revealed nothing of the context.
func (p *play) refused() error {
	switch {
	case p.said.Done && strings.Contains(p.said.Out, p.mark):
		return errors.New("it is used")
	case p.said.Done:
		return errors.New("the runtime ends as if nothing were wrong")
	case strings.Contains(p.said.Out, p.mark):
		return errors.New("the runtime fails, and prints the context all the same")
	}
	return nil
}

// unmarked removes the run's word from a text.
func (r *run) unmarked(text string) string { return strings.ReplaceAll(text, " "+r.mark, "") }

// line returns the last line of a log, which mostly gives the reason.
func line(log string) string {
	const most = 200
	lines := strings.Split(strings.TrimSpace(log), "\n")
	last := lines[len(lines)-1]
	switch {
	case last == "":
		return "it does not say why"
	case len(last) > most:
		return last[:most] + "…"
	}
	return last
}

// tried is a case and its name.
type tried struct {
	name string
	scene
}

// refuses requires the runtime to refuse each case.
func refuses(cases ...tried) func(*run) error {
	return each(func(p *play) error { return p.refused() }, cases...)
}

// uses requires the runtime to use each case.
func uses(cases ...tried) func(*run) error {
	return each(func(p *play) error { return p.used(p.value("mail_style")) }, cases...)
}

// each plays cases and judges them.
func each(judge func(*play) error, cases ...tried) func(*run) error {
	return func(r *run) error {
		for _, c := range cases {
			p, err := r.play(c.scene)
			if err != nil {
				return err
			}
			if err := judge(p); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
		return nil
	}
}
