package umpmcp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpmcp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// settled answers with outcomes of its own, and keeps secrets for nobody.
type settled struct {
	*umptest.Vault
	outcome   memory.Outcome
	forgotten memory.ForgetOutcome
}

// Remember refuses to keep secrets.
func (s settled) Remember(ctx context.Context, c memory.Caller, d memory.Draft) (memory.RememberResult, error) {
	if d.KeepSecrets {
		return memory.RememberResult{}, &memory.Error{Kind: memory.ForbiddenScope, Path: "/keep_secrets", Message: "only the owner may keep a secret"}
	}
	done, err := s.Vault.Remember(ctx, c, d)
	if s.outcome != "" {
		done.Outcome = s.outcome
	}
	return done, err
}

// Revise refuses a patch in words that cite places and a text.
func (s settled) Revise(context.Context, memory.Caller, memory.Revision) (memory.RevisionResult, error) {
	return memory.RevisionResult{}, &memory.Error{Kind: memory.InvalidRecord, Path: "/patch/body/text",
		Message: `/patch/body/text (like /patch/kind) and /patch/kindred differ from "what is in /patch/kind here"`}
}

// Forget says how it forgot.
func (s settled) Forget(context.Context, memory.Caller, memory.ForgetRequest) (memory.ForgetOutcome, error) {
	return s.forgotten, nil
}

// TestModelWords: what a model reads names its own arguments, and what really became of a call.
func TestModelWords(t *testing.T) {
	for _, c := range []struct {
		backend               settled
		tool, arguments, want string
	}{
		{settled{}, "ump_remember", `{"text":"x","scope":{"projekt":"a"}}`, "did you mean project?"},
		{settled{}, "ump_remember", `{"text":"x","scope":{"projekt":"a"}}`, "invalid_record: record/scope/projekt is"},
		{settled{}, "ump_recall", `{"query":"x","filter":{"kinds":"a"}}`, "did you mean kind?"},
		{settled{}, "ump_revise", `{"id":"baaaaaaa","text":"x"}`, `text (like kind) and /patch/kindred differ from "what is in /patch/kind here".`},
		{settled{}, "ump_remember", `{"text":"x","project":"shop","integrity":null}`, "Remembered as caaaaaaa."},
		{settled{}, "ump_remember", `{"text":"x","keep_secrets":true}`, "forbidden_scope: only the owner may keep a secret."},
		{settled{}, "ump_remember", `{"record":{"body":{"text":"x"}},"keep_secrets":true}`, "forbidden_scope: only the owner may keep a secret."},
		{settled{outcome: memory.Rejected}, "ump_remember", `{"text":"x"}`, "Not remembered: the service rejected it; it may have been forgotten before."},
		{settled{outcome: memory.Merged}, "ump_remember", `{"text":"x"}`, "Known already: merged into caaaaaaa."},
		{settled{forgotten: memory.AsTombstone}, "ump_forget", `{"id":"baaaaaaa","reason":"other"}`, "Forgotten."},
		{settled{forgotten: memory.AsErased}, "ump_forget", `{"id":"baaaaaaa","reason":"other"}`, "Erased for good."},
		{settled{forgotten: memory.ErasePending}, "ump_forget", `{"id":"baaaaaaa","reason":"other"}`, "Erased for good; the last traces are being cleared."},
	} {
		t.Run(c.tool+" "+c.arguments+" "+c.want, func(t *testing.T) {
			c.backend.Vault = holding(t, statement("one"))
			text, _ := ask(t, connect(t, c.backend, umpmcp.Options{}, ""), c.tool, c.arguments)
			if !strings.Contains(text, c.want) {
				t.Errorf("got %s", text)
			}
		})
	}
}
