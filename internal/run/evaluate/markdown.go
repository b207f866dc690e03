package evaluate

import (
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/text/size"
)

// Markdown returns the report as tables for people, such as the summary of a CI job.
func (r Report) Markdown() string {
	var b strings.Builder
	verdict := "**passed**"
	if !r.Passed {
		verdict = "**not passed**"
	}
	fmt.Fprintf(&b, "## %s %s: %s\n\n", cell(r.Agent.Name), cell(r.Agent.Version), verdict)
	b.WriteString("| metric | mean | wanted | |\n|---|---:|---:|---|\n")
	for _, m := range r.Metrics {
		mean, wanted := "–", "–"
		if m.Mean != nil {
			mean = Number(*m.Mean)
		}
		if m.Threshold != nil {
			wanted = map[Bound]string{Minimum: "≥ ", Maximum: "≤ "}[m.Bound] + Number(*m.Threshold)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", cell(m.Name), mean, wanted, m.Verdict.words(m, len(r.Cases)))
	}
	b.WriteString("\n| case | status | time | cost | calls |")
	for _, m := range r.Metrics {
		if m.Name != latency && m.Name != cost {
			fmt.Fprintf(&b, " %s |", cell(m.Name))
		}
	}
	b.WriteString("\n|---|---|---:|---:|---:|")
	for _, m := range r.Metrics {
		if m.Name != latency && m.Name != cost {
			b.WriteString("---:|")
		}
	}
	b.WriteString("\n")
	for _, c := range r.Cases {
		status := c.Status
		if c.Error != nil {
			status += ": " + c.Error.Code
		}
		fmt.Fprintf(&b, "| %s | %s | %s s | %s | %d |", cell(c.ID), cell(status), seconds(c.LatencyMS), Price(c.Usage), len(c.Calls))
		for _, s := range c.Scores {
			if s.Metric == latency || s.Metric == cost {
				continue
			}
			if s.Value == nil {
				b.WriteString(" – |")
			} else {
				fmt.Fprintf(&b, " %s |", Number(*s.Value))
			}
		}
		b.WriteString("\n")
	}
	if why := r.reasons(); why != "" {
		b.WriteString("\n" + why)
	}
	fmt.Fprintf(&b, "\nThe agent has cost %s, the judge", Price(r.Usage))
	if r.Judge != "" {
		fmt.Fprintf(&b, " %s", cell(r.Judge))
	}
	fmt.Fprintf(&b, " %s. Tools that may write were not called.\n", Price(r.JudgeUsage))
	return b.String()
}

// reasons lists why cases have less than the best score.
func (r Report) reasons() string {
	var b strings.Builder
	for _, c := range r.Cases {
		for i, s := range c.Scores {
			if s.Why != "" && (s.Value == nil || r.Metrics[i].Threshold != nil && r.Metrics[i].Verdict == Missed) {
				fmt.Fprintf(&b, "* %s, %s: %s\n", cell(c.ID), cell(s.Metric), cell(s.Why))
			}
		}
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "* %s\n", cell(w))
	}
	return b.String()
}

func (v Verdict) words(m Metric, all int) string {
	switch v {
	case Met:
		return "met"
	case Missed:
		return "**missed**"
	case NotComputed:
		return fmt.Sprintf("**not computed** for %d of the cases", all-m.Computed)
	}
	return "no threshold"
}

// Price returns what models have cost.
func Price(u run.Usage) string {
	switch {
	case !u.Unpriced:
		return "$" + Number(u.USD)
	case u.USD == 0:
		return fmt.Sprintf("%d tokens of unknown price", u.Tokens())
	}
	return fmt.Sprintf("$%s and more: %d tokens, some of unknown price", Number(u.USD), u.Tokens())
}

// mostCell is the most bytes of a text in a table.
const mostCell = 400

// cell returns a text of others for a table: in one line, and without a meaning of its own.
func cell(text string) string {
	text = size.Cut(strings.Join(strings.Fields(text), " "), mostCell)
	return plain.Replace(text)
}

// plain takes the meaning from the marks of Markdown and HTML.
var plain = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "[", "\\[", "]", "\\]", "#", "\\#", "!", "\\!", "|", "\\|", "~", "\\~", "<", "&lt;", "&", "&amp;", "@", "&#64;")
