package evaluate

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// The elements of JUnit's XML, as CI systems read it.
type (
	suites struct {
		XMLName  xml.Name `xml:"testsuites"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Suites   []suite  `xml:"testsuite"`
	}
	suite struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Time     string `xml:"time,attr"`
		At       string `xml:"timestamp,attr"`
		Cases    []test `xml:"testcase"`
	}
	test struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Time    string   `xml:"time,attr"`
		Failure *trouble `xml:"failure"`
		Error   *trouble `xml:"error"`
		Out     string   `xml:"system-out,omitempty"`
	}
	trouble struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
	}
)

// JUnit returns the report as JUnit's XML. A test case of the agent is a test that fails if it
// has no answer, and so is each threshold.
func (r Report) JUnit() ([]byte, error) {
	at := r.At.Format("2006-01-02T15:04:05")
	cases, bars := suite{Name: r.Agent.Name + ": test cases", At: at}, suite{Name: r.Agent.Name + ": thresholds", At: at, Time: "0.000"}
	took := 0.0
	for _, c := range r.Cases {
		t := test{Class: r.Agent.Name, Name: c.ID, Time: seconds(c.LatencyMS), Out: scoresOf(c)}
		if took += c.LatencyMS; c.Error != nil {
			t.Error = &trouble{c.Error.Code, c.Error.Message}
			cases.Errors++
		}
		cases.Cases = append(cases.Cases, t)
	}
	for _, m := range r.Metrics {
		t := test{Class: r.Agent.Name + ".metrics", Name: m.Name, Time: "0.000", Out: m.words()}
		switch m.Verdict {
		case Missed:
			t.Failure = &trouble{string(m.Verdict), m.words()}
			bars.Failures++
		case NotComputed:
			t.Error = &trouble{string(m.Verdict), m.words()}
			bars.Errors++
		}
		bars.Cases = append(bars.Cases, t)
	}
	cases.Tests, bars.Tests, cases.Time = len(cases.Cases), len(bars.Cases), seconds(took)
	all := suites{Tests: cases.Tests + bars.Tests, Failures: bars.Failures, Errors: cases.Errors + bars.Errors, Suites: []suite{cases, bars}}
	raw, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), append(raw, '\n')...), nil
}

func seconds(milliseconds float64) string { return fmt.Sprintf("%.3f", milliseconds/1000) }

// scoresOf returns the scores of a case, a line for each.
func scoresOf(c Case) string {
	var b strings.Builder
	for _, s := range c.Scores {
		b.WriteString(s.Metric + ": ")
		if s.Value != nil {
			b.WriteString(Number(*s.Value))
			if s.Why != "" {
				b.WriteString(", ")
			}
		}
		b.WriteString(s.Why + "\n")
	}
	return b.String()
}

// words says what became of a metric, in one line.
func (m Metric) words() string {
	var b strings.Builder
	if m.Mean != nil {
		fmt.Fprintf(&b, "%s on average", Number(*m.Mean))
	} else {
		b.WriteString("no score")
	}
	if m.Threshold != nil {
		side := map[Bound]string{Minimum: "at least", Maximum: "at most"}[m.Bound]
		fmt.Fprintf(&b, ", %s %s is wanted", side, Number(*m.Threshold))
	}
	if m.Verdict == NotComputed {
		fmt.Fprintf(&b, "; it was computed for %d cases, and not for all", m.Computed)
	}
	return b.String()
}

// Number returns a number for people: with six digits after the point at most.
func Number(f float64) string {
	text := strings.TrimRight(fmt.Sprintf("%.6f", f), "0")
	return strings.TrimSuffix(text, ".")
}
