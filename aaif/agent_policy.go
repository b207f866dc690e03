package aaif

import "github.com/satchel-memory/satchel/canon"

// Telemetry says what a run lets others see (section 4.7).
type Telemetry struct {
	Tracing  *bool  `aaif:"tracing"`        // nil: true
	Metrics  *bool  `aaif:"metrics"`        // nil: true
	LogLevel string `aaif:"log_level=info"` // debug, info, warn, error
	Header   string `aaif:"trace_context_header=traceparent"`
	Endpoint string `aaif:"otlp_endpoint"` // untrusted; empty: that of the platform
	Value    canon.Value
}

// Traces reports whether runs are traced.
func (t Telemetry) Traces() bool { return t.Tracing == nil || *t.Tracing }

// Measures reports whether runs are counted.
func (t Telemetry) Measures() bool { return t.Metrics == nil || *t.Metrics }

// Evaluation says what an agent is measured by (section 4.8).
type Evaluation struct {
	Judge   string     `aaif:"judge_model"`
	Metrics []Metric   `aaif:"metrics"`
	Cases   []TestCase `aaif:"test_cases"`
	Value   canon.Value
}

// Metric is a measure, and what it must be (section 4.8).
type Metric struct {
	Name      string   `aaif:"name!"`
	Threshold *float64 `aaif:"threshold"`
	Custom    string   `aaif:"custom_name"` // of the name "custom"
	Value     canon.Value
}

// IsMaximum reports whether the threshold is the most that there may be (decision R37).
func (m Metric) IsMaximum() bool {
	switch m.Name {
	case "toxicity", "hallucination_rate", "latency_ms", "cost_usd_per_run":
		return true
	}
	return false
}

// TestCase is an input and what is expected of it (section 4.8).
type TestCase struct {
	ID       string      `aaif:"id!"`
	Input    canon.Value `aaif:"input!"`
	Expected canon.Value `aaif:"expected_output"`
	Criteria string      `aaif:"criteria"`
	Value    canon.Value
}

// Compliance is what has to be kept to, wherever the agent runs (section 4.9).
type Compliance struct {
	Safety    Safety    `aaif:"safety_level=standard"`
	Residency Residency `aaif:"data_residency"` // empty: not said
	PII       PII       `aaif:"pii_handling=detect"`
	AuditLog  bool      `aaif:"audit_log"`
	Oversight Oversight `aaif:"human_in_the_loop"`
	Value     canon.Value
}

// Oversight has a person asked before anything is written (section 4.9).
type Oversight struct {
	Enabled bool      `aaif:"enabled"`
	Trigger Condition `aaif:"trigger"`         // absent: every write
	Timeout int       `aaif:"timeout_seconds"` // 0: none given
	Value   canon.Value
}
