package aaif

import "github.com/satchel-memory/satchel/canon"

// Model says which models an agent would have (section 4.2).
type Model struct {
	Provider       string     `aaif:"provider"`
	ProviderID     string     `aaif:"provider_id"` // of the provider "custom"
	BaseURL        string     `aaif:"base_url"`    // untrusted
	Preferred      string     `aaif:"preferred"`   // as the provider names it
	Fallbacks      []Route    `aaif:"fallbacks"`   // in order
	Strategy       Strategy   `aaif:"routing_strategy=preferred_first"`
	MinContext     int        `aaif:"min_context_tokens"`
	Temperature    *float64   `aaif:"temperature"` // 0 to 2
	Params         Parameters `aaif:"params"`
	ResponseFormat string     `aaif:"response_format=text"` // text, json, json_schema, markdown
	Value          canon.Value
}

// Route is a model to fall back to (section 4.2).
type Route struct {
	Provider string   `aaif:"provider!"`
	Model    string   `aaif:"model!"`
	MaxCost  *float64 `aaif:"max_cost_usd_per_1k_tokens"` // USD, the dearer of input and output
	Value    canon.Value
}

// Parameters are what a provider is asked with (section 4.2).
type Parameters struct {
	MaxTokens        *int        `aaif:"max_tokens"`
	TopP             *float64    `aaif:"top_p"`
	FrequencyPenalty *float64    `aaif:"frequency_penalty"`
	PresencePenalty  *float64    `aaif:"presence_penalty"`
	Stop             []string    `aaif:"stop"`
	Seed             *int        `aaif:"seed"`
	Extended         canon.Value `aaif:"extended"` // passed on unseen
	Value            canon.Value
}

// IO is what goes in and comes out (section 4).
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
	Timeout     int    `aaif:"timeout_seconds"`           // 0: none given
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
