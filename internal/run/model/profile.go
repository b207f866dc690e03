package model

// profile is what a provider knows of a request, and where it is.
type profile struct {
	wire    Wire
	address string   // its own; empty: the operator has to name one
	header  string   // carries the key; empty: Authorization
	lacks   []string // parameters that it refuses or ignores, in the definition's spelling
	rename  map[string]string
	hottest float64 // the highest temperature
	// schemaless says that it takes no schema of an answer, only that the answer is JSON.
	schemaless bool
	silent     bool // streams tell the tokens without being asked, or refuse the question
	shortIDs   bool // ids of calls have nine letters or digits
	sees       bool // its models take pictures, unless the operator says otherwise
	blind      bool // none of its models takes pictures beside results: it refuses a user's message behind them
}

// profileOf returns the profile of a provider. Unknown ones take everything.
func profileOf(provider string) profile {
	p, ok := profiles()[provider]
	if !ok {
		p = profile{wire: OpenAI}
	}
	if p.hottest == 0 {
		p.hottest = 2
	}
	return p
}

// HasAddress reports whether a provider can be asked without an address from its operator.
func HasAddress(provider string) bool { return profileOf(provider).address != "" }

// profiles returns what is known of the providers of section 4.2.
func profiles() map[string]profile {
	newer := map[string]string{"max_tokens": "max_completion_tokens"}
	return map[string]profile{
		"openai": {wire: OpenAI, address: "https://api.openai.com/v1", rename: newer, sees: true},
		"anthropic": {wire: Anthropic, address: "https://api.anthropic.com", header: "X-Api-Key", hottest: 1, sees: true,
			lacks: []string{"frequency_penalty", "presence_penalty", "seed"}},
		"google":       {wire: Gemini, address: "https://generativelanguage.googleapis.com/v1beta", header: "X-Goog-Api-Key", sees: true},
		"vertex_ai":    {wire: Gemini, sees: true},
		"mistral":      {wire: OpenAI, address: "https://api.mistral.ai/v1", rename: map[string]string{"seed": "random_seed"}, silent: true, shortIDs: true, blind: true},
		"cohere":       {wire: OpenAI, address: "https://api.cohere.ai/compatibility/v1", silent: true},
		"groq":         {wire: OpenAI, address: "https://api.groq.com/openai/v1"},
		"ollama":       {wire: Ollama, address: "http://127.0.0.1:11434"},
		"azure_openai": {wire: OpenAI, header: "Api-Key", rename: newer},
		"bedrock":      {wire: OpenAI},
		"huggingface":  {wire: OpenAI, address: "https://router.huggingface.co/v1"},
		"together":     {wire: OpenAI, address: "https://api.together.xyz/v1"},
		"fireworks":    {wire: OpenAI, address: "https://api.fireworks.ai/inference/v1"},
		"deepseek":     {wire: OpenAI, address: "https://api.deepseek.com/v1", lacks: []string{"seed"}, schemaless: true},
		"xai":          {wire: OpenAI, address: "https://api.x.ai/v1", lacks: []string{"frequency_penalty", "presence_penalty"}},
		"openrouter":   {wire: OpenAI, address: "https://openrouter.ai/api/v1"},
	}
}
