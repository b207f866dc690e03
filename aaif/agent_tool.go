package aaif

import "github.com/satchel-memory/satchel/canon"

// Tool is a function or service that an agent may call (section 4.4).
type Tool struct {
	Name        string      `aaif:"name!"`
	Description string      `aaif:"description!"`
	Protocol    Protocol    `aaif:"protocol=function"`
	Parameters  canon.Value `aaif:"parameters_schema"`
	Output      canon.Value `aaif:"output_schema"`
	Endpoint    string      `aaif:"endpoint"` // untrusted
	Auth        Auth        `aaif:"auth"`
	CacheTTL    int         `aaif:"cache_ttl_seconds"` // 0: no cache
	Timeout     int         `aaif:"timeout_seconds"`   // 0: no limit given
	RateLimit   RateLimit   `aaif:"rate_limit"`
	Value       canon.Value
}

// Auth says how a tool authenticates its caller, and where the secret is kept. No
// document holds the secret itself (section 4.4).
type Auth struct {
	Type     string   `aaif:"type=none"` // none, bearer, api_key, basic, oauth2, aws_sigv4, mtls
	EnvVar   string   `aaif:"env_var"`
	Vault    VaultRef `aaif:"vault_ref"` // takes precedence over EnvVar
	Header   string   `aaif:"header"`    // for api_key
	Scopes   []string `aaif:"scopes"`    // for oauth2
	TokenURL string   `aaif:"token_url"` // for oauth2
	Value    canon.Value
}

// VaultRef names a secret in a vault (section 4.4).
type VaultRef struct {
	Provider string `aaif:"provider!"`
	Path     string `aaif:"path!"`
	Key      string `aaif:"key"`
	Version  string `aaif:"version"` // empty: the latest
	Value    canon.Value
}

// RateLimit is how often a tool may be called (section 4.4).
type RateLimit struct {
	Requests int `aaif:"requests_per_minute"` // 0: no limit
	Tokens   int `aaif:"tokens_per_minute"`   // 0: no limit
	Value    canon.Value
}
