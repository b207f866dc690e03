package privacy_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
)

// planted are secrets that stand in a definition, in parts, so that no scanner takes this
// file for one that holds any.
func planted() []struct{ pointer, text string } {
	jwt := "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	const tool, props = "/agent/tools/0", "/agent/tools/0/parameters_schema/properties"
	return []struct{ pointer, text string }{
		{tool + "/auth/env_var", "sk-live-" + "abc123def456ghi789"},
		{tool + "/auth/env_var", "sk-" + "proj-Zx81kPq0Lm29vBnTyR4w"},
		{tool + "/auth/env_var", "Tr0ub4dor&3"},
		{tool + "/auth/header", "Bearer " + "q7Jx2mVbT0pLz9Kd"},
		{tool + "/auth/vault_ref/key", "AKIA" + "IOSFODNN7EXAMPLE"},
		{tool + "/auth/token_url", "https://login.example/token?client_secret=" + "h7Gd82kLq1"},
		{tool + "/auth/scopes/0", "xoxb-" + "123456789012-abcdefGHIJKL"},
		{tool + "/description", "Call it with Authorization: Bearer " + "q7Jx2mVbT0pLz9KdWw"},
		{tool + "/description", "The password: \"" + "hunter2hunter2\""},
		{tool + "/description", "-----BEGIN PRIVATE " + "KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1h\n-----END PRIVATE KEY-----"},
		{tool + "/description", "use " + jwt},
		{tool + "/endpoint", "https://user:" + "pa55word@ledger.example/x"},
		{tool + "/endpoint", "https://user:" + "pass@ledger.example/x"},
		{tool + "/endpoint", "https://ledger.example/x?api_key=" + "9f8e7d6c5b4a"},
		{tool + "/endpoint", "https://ledger.example/x?a=1&access_token=" + "9f8e7d6c5b4a"},
		{tool + "/endpoint", "https://" + "ghtok0123456789abcdef@ledger.example/x"},
		{tool + "/endpoint", "https://ledger.example/x?key=" + "AIza" + "SyA1234567890abcdefghijklmnopqrstuvw"},
		{props + "/authorization/default", "Basic " + "dXNlcjpwYXNzd29yZA=="},
		{props + "/token/default", "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"},
		{props + "/amount/default", "AKIA" + "IOSFODNN7EXAMPLE"},
		{props + "/amount/default", "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYzzKEY1a9"},
		{props + "/amount/examples/0", "q1W2e3R4t5Y6u7I8o9P0" + "aSdFgHjK"},
		{props + "/password/default", "Summer2026" + "!"},
		{props + "/api_key/example", "a1b2c3d4"},
		{"/agent/instructions", "Use sk-ant-" + "REDACTME0123456789 for it."},
		{"/agent/model/base_url", "https://me:" + "s3cretpw@models.example"},
		{"/agent/model/params/extended/api_key", "k-" + "7f3e1a"},
		{"/agent/model/params/extended/headers/authorization", "Basic " + "dXNlcjpwYXNzd29yZA=="},
		{"/agent/telemetry/otlp_endpoint", "https://otel.example/v1?token=" + "0a1b2c3d4e"},
		{"/agent/context/0/value", "https://docs.example/?sig=" + "Zm9vYmFyYmF6"},
		{"/agent/memory/0/content", "glpat-" + "abcDEF1234567890abcd"},
		{"/x-acme/client_secret", "b" + "2f9c1d4"},
		{tool + "/auth/vault_ref/path", "hvs." + "CAESIJ1h2k3l4m5n6o7p8q9r"},
		{tool + "/auth/vault_ref/key", "hvs." + "CAESIJ1h2k3l4m5n6o7p8q9r"},
		{tool + "/auth/vault_ref/key", "Tr0ub4dor&3"},
		{tool + "/auth/vault_ref/key", "x7Gd82" + "kLq1Zp"},
		{props + "/token/const", "b2f9c1d4" + "aa"},
		{props + "/token/enum/0", "b2f9c1d4" + "aa"},
		{props + "/password/enum/0", "correct" + "-horse"},
		{tool + "/description", "gsk_" + "abcdefGHIJKL0123456789abcd"},
		{tool + "/description", "xai-" + "abcdefGHIJKL0123456789abcd"},
		{tool + "/description", "SK" + "0123456789abcdef0123456789abcdef"},
		{tool + "/description", "c2stYW50LWFwaTAz" + "LWFiY2RlZjAxMjM0NTY3ODk="},
		{"/agent/instructions", "For that, use the password " + "Tr0ub4dor99."},
		{"/agent/telemetry/otlp_endpoint", "https://otel.example/v1?authorization=Bearer%20" + "q7Jx2mVbT0pLz9Kd"},
		{"/agent/telemetry/otlp_endpoint", "https://otel.example/v1?a=Bearer%20" + "q7Jx2mVbT0pLz9Kd"},
		{"/provenance/source_platform", "npm_" + "abcdefghijklmnopqrstuvwxyz0123456789"},
	}
}

func TestSecretsAreFound(t *testing.T) {
	d := sample(t, "agent")
	t.Run("AAIF-12-3 the sample has none", func(t *testing.T) {
		if found := privacy.Secrets(d, privacy.SecretOptions{}); len(found) > 0 {
			t.Errorf("got %s", show(found))
		}
	})
	for i, p := range planted() {
		t.Run(fmt.Sprintf("AAIF-12-4 AAIF-4.4-19 planted %d at %s", i, p.pointer), func(t *testing.T) {
			edited := d
			edited.Value = set(isObjectList(d.Value, p.pointer), p.pointer, canon.String(p.text))
			found := privacy.Secrets(edited, privacy.SecretOptions{})
			if len(found) != 1 || found[0].Path != p.pointer || aaif.CodeOf(found[0]) != aaif.InlineSecret || found[0].Warning {
				t.Fatalf("got %s", show(found))
			}
			if strings.Contains(found[0].Error(), p.text) {
				t.Error("the secret is told")
			}
			if allowed := privacy.Secrets(edited, privacy.SecretOptions{Allow: func(at, text string) bool { return at == p.pointer && text == p.text }}); len(allowed) > 0 {
				t.Errorf("not allowed: %s", show(allowed))
			}
		})
	}
	t.Run("AAIF-12-3 the name of a member", func(t *testing.T) {
		edited := d
		edited.Value = set(d.Value, "/x-acme", canon.Object(canon.Member{Name: "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a", Value: canon.Null()}))
		if found := privacy.Secrets(edited, privacy.SecretOptions{}); len(found) != 1 {
			t.Errorf("got %s", show(found))
		}
	})
	t.Run("AAIF-12-3 in states, but for their own token", func(t *testing.T) {
		s := sample(t, "state")
		if found := privacy.Secrets(s, privacy.SecretOptions{}); len(found) > 0 {
			t.Errorf("got %s", show(found))
		}
		token := s.Value.Get("provenance").Get("migration_token")
		s.Value = set(s.Value, "/conversation/3/content", token)
		if found := privacy.Secrets(s, privacy.SecretOptions{}); len(found) != 1 || found[0].Path != "/conversation/3/content" || found[0].Rule != "AAIF-12-3" {
			t.Errorf("got %s", show(found))
		}
	})
}

// isObjectList makes an array where a pointer ends in an index and there is none.
func isObjectList(v canon.Value, pointer string) canon.Value {
	if at, ok := strings.CutSuffix(pointer, "/0"); ok {
		if _, there := v.At(pointer); !there {
			return set(v, at, canon.Array())
		}
	}
	return v
}

// harmless are texts that look like secrets and are none.
func harmless() map[string][]string {
	var sums, ids, urls, names []string
	for i := range 25 {
		sum := sha256.Sum256([]byte{byte(i)})
		sums = append(sums, hex.EncodeToString(sum[:]))
		ids = append(ids, fmt.Sprintf("%x-%x-4%x-8%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])[:36])
		urls = append(urls, fmt.Sprintf("https://docs.example/v%d/pages/%d?page=%d&sort=name", i, i*77, i))
		names = append(names, fmt.Sprintf("LEDGER_%d_API_KEY", i))
	}
	ids[0] = "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01"
	return map[string][]string{
		"/agent/tools/0/parameters_schema/properties/amount/default": append(sums, ids...),
		"/agent/tools/0/endpoint":                                    append(urls, "https://ledger.example/{token}", "https://ledger.example/x?api_key={api_key}", "https://ledger.example/x?key=$KEY", "mailto:me@acme.example"),
		"/agent/tools/0/auth/env_var":                                names,
		"/agent/tools/0/auth/header":                                 {"X-API-Key", "Authorization", "X-Goog-Api-Key", "Ocp-Apim-Subscription-Key", "Private-Token"},
		"/agent/tools/0/auth/vault_ref/path":                         {"secret/data/production/ledger", "hfnjvi6aymbsnfc2xeeoheizda", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:ledger-AbCdEf", "op://Private/Ledger/credential", "projects/acme/secrets/ledger/versions/3", "https://acme.vault.azure.net/secrets/ledger"},
		"/agent/tools/0/auth/token_url":                              {"https://login.example/oauth2/token", "https://login.microsoftonline.com/7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01/oauth2/v2.0/token"},
		"/agent/tools/0/auth/scopes/0":                               {"https://www.googleapis.com/auth/calendar.readonly", "read:org", "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01", "api://7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01/.default", "openid"},
		"/agent/tools/0/description": {"Pass the API key in a header.", "The password: never ask for it.", "Needs a bearer token.", "Returns the token count, e.g. tokens=123.", "Takes an ISO date such as 2026-06-10T09:17:43Z.", "Encodes as base64.",
			"Reads secret santa lists.",
			"Uses Bearer authentication.", "Use basic authentication.", "Basic instructions for beginners", "basic credentials", "Supports bearer authentication/authorization.", "Bearer RFC6750-compliant.", "The password must have 12 characters.",
			"Password SHA-256 sums.", "Answers {\"token\": \"string\"}.", "100% of C:\\users\\ada", "See https://docs.example/a%20b?page=12345678.", "Commit 8f14e45fceea167a5a36dedd4bea2543aa1b2c3d.", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "Key: the map's key. Value: its value."},
		"/agent/tools/0/auth/vault_ref/key":                         {"password", "api_key", "LEDGER_API_KEY_2", "apiKeyV2", "s3AccessKeyV2", "ledger/token-2026"},
		"/agent/tools/0/parameters_schema/properties/token/enum/0":  {"access", "refresh_token", "bearer"},
		"/agent/tools/0/parameters_schema/properties/amount/enum/0": {"gpt-4o-mini-2024-07-18", "Llama-3-70B-Instruct"},
		"/agent/tools/0/parameters_schema/properties/token/const":   {"${TOKEN}", "bearer"},
		"/agent/tools/0/parameters_schema/properties/amount/example": {"invoice-2026-06-10-000123", "eu-west-1a", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "2026-06-10T09:17:43.500Z", "gpt-4o-mini-2024-07-18", "claude-sonnet-4-20250514", "meta-llama/Llama-3.3-70B-Instruct",
			"user@acme.example", "The quick brown fox jumps over 13 lazy dogs", "AAAAAAAAAAAAAAAAAAAAAAAAAAAA", "urn:uuid:7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01", "DE89370400440532013000", "https://acme.example/a/b/c?x=1", "src/main/java/com/acme/Ledger.java"},
		"/agent/model/params/extended/token":      {"none", "${TOKEN}", "<token>", "string", "***"},
		"/agent/model/params/extended/password":   {"ask the administrator first", "see vault"},
		"/agent/model/params/extended/max_tokens": {"4096", "unlimited"},
		"/agent/instructions":                     {"Never reveal the password.", "Say which token you mean.", "If the key is missing, ask.", "Write api_key: <your key> in the configuration.", "The secret is to listen.", "Use the Private key of the garden gate."},
		"/agent/model/preferred":                  {"accounts/fireworks/models/llama-v3p1-405b-instruct", "anthropic.claude-3-5-sonnet-20241022-v2:0", "gemini-2.5-pro", "ft:gpt-4o-2024-08-06:acme::AbCdEf12"},
		"/provenance/license":                     {"Apache-2.0", "LicenseRef-Acme-2026"},
		"/x-acme-build":                           append(append([]string{}, sums...), ids...),
		"/x-acme/next_page":                       {"page-2-of-17", "eyJub3QiOiJhIGp3dCJ9"},
	}
}

func TestLookAlikesAreLeft(t *testing.T) {
	t.Run("AAIF-12-4 none of 200 look-alikes", func(t *testing.T) {
		d := sample(t, "agent")
		tried := 0
		var wrong []string
		for pointer, texts := range harmless() {
			for _, text := range texts {
				tried++
				edited := d
				edited.Value = set(isObjectList(d.Value, pointer), pointer, canon.String(text))
				for _, p := range privacy.Secrets(edited, privacy.SecretOptions{}) {
					wrong = append(wrong, p.Error()+": "+text)
				}
			}
		}
		if tried < 200 || len(wrong) > 0 {
			t.Errorf("%d of %d:\n%s", len(wrong), tried, strings.Join(wrong, "\n"))
		}
	})
}

func TestAllowList(t *testing.T) {
	const pointer, text = "/agent/description", "Never call it with password=" + "correct-horse."
	mine, err := keys.FromSeed(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(text))
	list := aaif.Attest(tree(t, `{"allow":[{"pointer":"`+pointer+`","sha256":"`+hex.EncodeToString(sum[:])+`"}]}`), mine)
	d := sample(t, "agent")
	d.Value = set(d.Value, pointer, canon.String(text))
	t.Run("AAIF-12-4 a signed rule lets a text through, at its place", func(t *testing.T) {
		if found := privacy.Secrets(d, privacy.SecretOptions{}); len(found) != 1 {
			t.Fatalf("got %s", show(found))
		}
		allow, err := privacy.AllowList(list, []ed25519.PublicKey{mine.Public()})
		if err != nil {
			t.Fatal(err)
		}
		if found := privacy.Secrets(d, privacy.SecretOptions{Allow: allow}); len(found) != 0 {
			t.Errorf("got %s", show(found))
		}
		for _, at := range []string{"/agent/goal", pointer} {
			other := d
			other.Value = set(d.Value, at, canon.String(text+"!"))
			if found := privacy.Secrets(other, privacy.SecretOptions{Allow: allow}); len(found) != 1 || found[0].Path != at {
				t.Errorf("got %s", show(found))
			}
		}
	})
	t.Run("AAIF-12-4 one that nobody signed does not", func(t *testing.T) {
		for _, v := range []canon.Value{list.Without("attestation"), set(list, "/allow/0/pointer", canon.String("/agent/goal"))} {
			if allow, err := privacy.AllowList(v, []ed25519.PublicKey{mine.Public()}); err == nil || allow != nil {
				t.Error("taken")
			}
		}
	})
}
