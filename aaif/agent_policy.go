package aaif

import "github.com/satchel-memory/satchel/canon"

// Telemetry says what a run reports about itself (section 4.7).
type Telemetry struct {
	Tracing  *bool  `aaif:"tracing"`        // nil: true
	Metrics  *bool  `aaif:"metrics"`        // nil: true
	LogLevel string `aaif:"log_level=info"` // debug, info, warn, error
	Header   string `aaif:"trace_context_header=traceparent"`
	Endpoint string `aaif:"otlp_endpoint"` // untrusted; empty: the platform's own
	Value    canon.Value
}

// Traces reports whether runs are traced.
func (t Telemetry) Traces() bool { return t.Tracing == nil || *t.Tracing }

// Measures reports whether runs are counted in metrics.
func (t Telemetry) Measures() bool { return t.Metrics == nil || *t.Metrics }

// Evaluation says how an agent is measured (section 4.8).
type Evaluation struct {
	Judge   string     `aaif:"judge_model"`
	Metrics []Metric   `aaif:"metrics"`
	Cases   []TestCase `aaif:"test_cases"`
	Value   canon.Value
}

// Metric is a measure with its threshold (section 4.8).
type Metric struct {
	Name      string   `aaif:"name!"`
	Threshold *float64 `aaif:"threshold"`
	Custom    string   `aaif:"custom_name"` // the name of a metric "custom"
	Value     canon.Value
}

// IsMaximum reports whether the threshold is an upper bound (decision R37).
func (m Metric) IsMaximum() bool {
	switch m.Name {
	case "toxicity", "hallucination_rate", "latency_ms", "cost_usd_per_run":
		return true
	}
	return false
}

// TestCase is an input and its expected output (section 4.8).
type TestCase struct {
	ID       string      `aaif:"id!"`
	Input    canon.Value `aaif:"input!"`
	Expected canon.Value `aaif:"expected_output"`
	Criteria string      `aaif:"criteria"`
	Value    canon.Value
}

// Compliance states the rules that hold wherever the agent runs (section 4.9).
type Compliance struct {
	Safety    Safety    `aaif:"safety_level=standard"`
	Residency Residency `aaif:"data_residency"` // empty: not declared
	PII       PII       `aaif:"pii_handling=detect"`
	AuditLog  bool      `aaif:"audit_log"`
	Oversight Oversight `aaif:"human_in_the_loop"`
	Value     canon.Value
}

// Oversight makes the run ask a person before it writes (section 4.9).
type Oversight struct {
	Enabled bool      `aaif:"enabled"`
	Trigger Condition `aaif:"trigger"`         // absent: every write
	Timeout int       `aaif:"timeout_seconds"` // 0: no limit given
	Value   canon.Value
}
