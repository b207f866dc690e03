package exchange

import (
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// provider returns the registry's identifier of a provider's name elsewhere.
func provider(name string) string {
	switch name = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(name), "-", "_")); name {
	case "azure":
		return "azure_openai"
	case "google_ai", "google_genai", "gemini":
		return "google"
	case "google_vertex", "vertex", "vertexai":
		return "vertex_ai"
	case "aws", "aws_bedrock":
		return "bedrock"
	case "hugging_face", "hugging_face_hub":
		return "huggingface"
	case "together_ai", "togetherai":
		return "together"
	case "fireworks_ai":
		return "fireworks"
	case "x_ai":
		return "xai"
	}
	return name
}

// Provider sets the provider of a draft's model: one of the registry, or "custom" with
// the foreign name as provider_id (AAIF-10-5).
func (d *Draft) Provider(name string) {
	if name = strings.TrimSpace(name); name == "" {
		return
	}
	id := provider(name)
	if e, ok := aaif.StandardRegistries()[aaif.Providers].Entry(id); ok && e.Status == aaif.StandardEntry && id != aaif.CustomProvider {
		d.Set(canon.String(id), "agent", "model", "provider")
		return
	}
	d.Set(canon.String(aaif.CustomProvider), "agent", "model", "provider")
	d.Set(canon.String(name), "agent", "model", "provider_id")
}

// Address takes an HTTP address of a model into a draft.
func (d *Draft) Address(p Place) {
	if !IsHTTP(p.Peek()) {
		return
	}
	d.Set(p.NonEmpty(), "agent", "model", "base_url")
}

// IsHTTP reports whether a text is an absolute HTTP address.
func IsHTTP(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// Number takes a number within bounds to a path. Another number counts as lost.
func (d *Draft) Number(p Place, least, most float64, names ...string) {
	if f := p.Value.Float(); p.Value.Type() == canon.TypeNumber && least <= f && f <= most {
		d.Set(p.Take(), names...)
	}
}

// Parameters takes request parameters by their OpenAI names.
func (d *Draft) Parameters(p Place) {
	const params = "params"
	d.Number(p.Get("temperature"), 0, 2, "agent", "model", "temperature")
	d.Number(p.Get("top_p"), 0, 1, "agent", "model", params, "top_p")
	d.Number(p.Get("frequency_penalty"), -2, 2, "agent", "model", params, "frequency_penalty")
	d.Number(p.Get("presence_penalty"), -2, 2, "agent", "model", params, "presence_penalty")
	d.Number(p.Get("max_tokens"), 1, 1<<53, "agent", "model", params, "max_tokens")
	d.Number(p.Get("seed"), -1<<53, 1<<53, "agent", "model", params, "seed")
	switch stop := p.Get("stop"); stop.Value.Type() {
	case canon.TypeString:
		d.Set(canon.Array(stop.Take()), "agent", "model", params, "stop")
	case canon.TypeArray:
		if stop.Value.Len() <= 4 && allText(stop.Value) {
			d.Set(stop.Take(), "agent", "model", params, "stop")
		}
	}
}

// Extended takes a parameter that only some providers know. It is passed on as it is.
func (d *Draft) Extended(p Place, name string) {
	switch name {
	case "messages", "tools", "model", "stream":
		return // decision R12a
	}
	if p.Has() {
		d.Set(p.Take(), "agent", "model", "params", "extended", name)
	}
}
