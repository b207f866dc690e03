package evaluate

import (
	"encoding/json"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
)

// Report is what an evaluation found.
type Report struct {
	Agent      Subject   `json:"agent"`
	At         time.Time `json:"evaluated_at"`
	Judge      string    `json:"judge,omitempty"` // provider/model; empty: nobody judged
	Passed     bool      `json:"passed"`          // every threshold is met
	Metrics    []Metric  `json:"metrics"`
	Cases      []Case    `json:"cases"`
	Usage      run.Usage `json:"usage"`       // of the agent
	JudgeUsage run.Usage `json:"judge_usage"` // of the judge of cases
	Warnings   []string  `json:"warnings"`
}

// Subject is the agent that was evaluated.
type Subject struct {
	ID       string `json:"agent_id"`
	Revision int    `json:"revision,omitempty"` // 0: it is not kept
	Name     string `json:"name"`
	Version  string `json:"version,omitempty"`
	// Content is the digest of what was evaluated, see [ContentOf].
	Content string `json:"content"`
}

// ContentOf returns the digest of a definition without what a promotion changes: its status
// and its provenance.
func ContentOf(definition canon.Value) string {
	return aaif.Digest(definition.Without("status").Without("provenance"))
}

// Bound says on which side of its threshold a metric has to be (decision R37).
type Bound string

// The bounds.
const (
	Minimum Bound = "minimum"
	Maximum Bound = "maximum"
)

// Verdict says what became of a threshold.
type Verdict string

// The verdicts.
const (
	Met         Verdict = "met"
	Missed      Verdict = "missed"
	NotComputed Verdict = "not_computed" // of one case at least: counts as missed
	NoThreshold Verdict = "no_threshold"
)

// Metric is a metric over all cases.
type Metric struct {
	Name      string   `json:"name"`
	Bound     Bound    `json:"bound"`
	Threshold *float64 `json:"threshold,omitempty"`
	Mean      *float64 `json:"mean,omitempty"` // of the cases for which it was computed; nil: of none
	Computed  int      `json:"computed"`       // how many cases these are
	Verdict   Verdict  `json:"verdict"`
}

// Case is what became of a test case.
type Case struct {
	ID        string    `json:"id"`
	Status    string    `json:"status"` // of its run
	Output    string    `json:"output,omitempty"`
	Error     *Error    `json:"error,omitempty"` // why there is no answer
	Turns     int       `json:"turns"`
	Approvals int       `json:"approvals,omitempty"` // for which a person would have been asked
	LatencyMS float64   `json:"latency_ms"`
	Usage     run.Usage `json:"usage"`
	Calls     []Call    `json:"calls"`
	Scores    []Score   `json:"scores"`
}

// Error is why a case has no answer.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (c *Case) fail(code, message string) {
	c.Error = &Error{code, message}
	if c.Status == "" {
		c.Status = "not_run"
	}
}

// Call is a call of a tool in a case.
type Call struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Code      string          `json:"code,omitempty"` // why it was not answered

	id, in, answer string
}

// Score is what a case has of a metric.
type Score struct {
	Metric string   `json:"metric"`
	Value  *float64 `json:"value,omitempty"` // nil: it was not computed, and Why says so
	Why    string   `json:"why,omitempty"`
}
