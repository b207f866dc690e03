package aaif

import "github.com/satchel-memory/satchel/canon"

// Model names the models that an agent prefers (section 4.2).
type Model struct {
	Provider       string     `aaif:"provider"`
	ProviderID     string     `aaif:"provider_id"` // names the provider "custom"
	BaseURL        string     `aaif:"base_url"`    // untrusted
	Preferred      string     `aaif:"preferred"`   // in the provider's spelling
	Fallbacks      []Route    `aaif:"fallbacks"`   // in order
	Strategy       Strategy   `aaif:"routing_strategy=preferred_first"`
	MinContext     int        `aaif:"min_context_tokens"`
	Temperature    *float64   `aaif:"temperature"` // 0 to 2
	Params         Parameters `aaif:"params"`
	ResponseFormat string     `aaif:"response_format=text"` // text, json, json_schema, markdown
	Value          canon.Value
}

// Route names a fallback model (section 4.2).
type Route struct {
	Provider string   `aaif:"provider!"`
	Model    string   `aaif:"model!"`
	MaxCost  *float64 `aaif:"max_cost_usd_per_1k_tokens"` // USD, the higher of the prices of input and output
	Value    canon.Value
}

// Parameters go to the provider with every request (section 4.2).
type Parameters struct {
	MaxTokens        *int        `aaif:"max_tokens"`
	TopP             *float64    `aaif:"top_p"`
	FrequencyPenalty *float64    `aaif:"frequency_penalty"`
	PresencePenalty  *float64    `aaif:"presence_penalty"`
	Stop             []string    `aaif:"stop"`
	Seed             *int        `aaif:"seed"`
	Extended         canon.Value `aaif:"extended"` // passed on as it is
	Value            canon.Value
}

// IO describes the input and the output of an agent (section 4).
type IO struct {
	Input     canon.Value `aaif:"input_schema"`
	Output    canon.Value `aaif:"output_schema"`
	Streaming bool        `aaif:"streaming"`   // to the caller
	Format    string      `aaif:"format=text"` // text, json, markdown, structured
	Mode      string      `aaif:"mode=sync"`   // sync, async, batch
	Value     canon.Value
}

// Runtime bounds a run (section 4.6).
type Runtime struct {
	Timeout     int    `aaif:"timeout_seconds"`           // 0: no limit given
	MaxRetries  *int   `aaif:"max_retries"`               // nil: 2
	Backoff     string `aaif:"retry_backoff=exponential"` // fixed, linear, exponential
	Concurrency int    `aaif:"concurrency=1"`
	Streaming   bool   `aaif:"streaming"` // from the provider
	Async       bool   `aaif:"async_execution"`
	Queue       string `aaif:"queue"`
	Environment string `aaif:"environment=production"` // production, staging, development, test
	Value       canon.Value
}

// Retries returns how often the chain of models is tried again.
func (r Runtime) Retries() int {
	if r.MaxRetries == nil {
		return 2
	}
	return *r.MaxRetries
}

// IsAsync reports whether a caller gets a job instead of a result (decision R32).
func (a Agent) IsAsync() bool { return a.IO.Mode == "async" || a.Runtime.Async }
