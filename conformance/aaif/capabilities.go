package aaifsuite

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
)

func capabilityChecks() []check {
	return []check{
		{"AAIF-7-2", func(r *run) error { return r.degrades("standard", r.lacking()...) }},
		{"AAIF-7-3", func(r *run) error { return r.degrades("minimal", "memory.conformance_"+r.nonce) }},
		{"AAIF-7-4", aliases},
		{"AAIF-7-5", func(r *run) error { return r.degrades("minimal", r.lacking()...) }},
		{"AAIF-7-6", func(r *run) error { return r.degrades("standard", r.lacking()...) }},
		{"AAIF-7-10", func(r *run) error { return r.degrades("", r.lacking()...) }},
		{"AAIF-7-7", func(r *run) error {
			return r.unsatisfied("strict", at(r.definition(""), "strict", r.needs()...), r.lacking()...)
		}},
		{"AAIF-7-8", func(r *run) error {
			return r.unsatisfied("regulated", at(r.definition(""), "regulated", r.needs()...), r.lacking()...)
		}},
		{"AAIF-7-11", implicit},
		{"AAIF-7-12", critical},
		{"AAIF-7-18", vaults},
	}
}

// absentOf returns the candidates that the manifest does not offer.
func (r *run) absentOf(candidates ...string) []string {
	offered := r.offer.Offered()
	return slices.DeleteFunc(candidates, func(id string) bool { return slices.Contains(offered, id) })
}

// lacking returns two capabilities that the platform does not have. They are invented if the
// platform has everything.
func (r *run) lacking() []string {
	all := r.absentOf("memory.qdrant", "memory.pinecone", "memory.redis", "tool.openapi", "memory.vector", "io.batch")
	return append(all, "memory.conformance_"+r.nonce, "tool.conformance_"+r.nonce)[:2]
}

// needs returns the two lacking capabilities, with one between them that the platform has.
func (r *run) needs() []string {
	two := r.lacking()
	if has := r.having(); has != "" {
		return []string{two[0], has, two[1]}
	}
	return two
}

// having returns a registered capability that the platform offers, or "".
func (r *run) having() string {
	for _, id := range []string{"tool.function", "state.checkpoint", "tool.mcp", "tool.http", "io.streaming", "orchestration.pipeline"} {
		if slices.Contains(r.offer.Offered(), id) {
			return id
		}
	}
	return ""
}

// degrades sends a definition that needs lacking capabilities, for the platform to accept.
// The answer must warn of all lacking capabilities, and of none that the platform has. At
// level standard it must list them as disabled.
func (r *run) degrades(safety string, ids ...string) error {
	if err := r.present(); err != nil {
		return blocked(err)
	}
	needs := slices.Clone(ids)
	has := r.having()
	if has != "" {
		needs = append(needs, has)
	}
	a := r.take(at(r.definition(r.agentID), safety, needs...))
	if err := a.taken(); err != nil {
		return err
	}
	warned := texts(a.Value.Get("warnings"))
	for _, id := range ids {
		if !strings.Contains(warned, id) {
			return fmt.Errorf("the answer does not warn of %s, which the platform lacks", id)
		}
		if disabled := a.Value.Get("disabled"); safety != "minimal" && disabled.Type() == canon.TypeArray && !strings.Contains(texts(disabled), id) {
			return fmt.Errorf("%s is lacking, and not among what is disabled", id)
		}
	}
	if has != "" && strings.Contains(warned, has) {
		return fmt.Errorf("the answer warns of %s, which the manifest offers", has)
	}
	return nil
}

// texts joins a list of texts.
func texts(v canon.Value) string {
	var all []string
	for _, item := range v.Items() {
		all = append(all, item.Text())
	}
	return strings.Join(all, "\n")
}

// unsatisfied sends a definition that the platform must reject for its lacking capabilities,
// and the answer must list all of them. The definition is signed if the run has a key.
func (r *run) unsatisfied(safety string, v canon.Value, ids ...string) error {
	id, err := r.newID()
	if err != nil {
		return err
	}
	v = v.With("agent_id", canon.String(id))
	if !r.Key.IsZero() {
		v = r.sign(v)
	}
	a := r.take(v)
	if code := a.code(); code == aaif.SignatureMissing || code == aaif.SignatureUntrusted {
		return conformance.Lacks("at " + safety + " the platform asks for a signature that it trusts first, and the run has no key for one")
	}
	if a.taken() == nil {
		r.left = append(r.left, "agent "+id)
	}
	if err := a.refused(http.StatusConflict, aaif.UnsatisfiedCapabilities); err != nil {
		return err
	}
	for _, id := range ids {
		if !strings.Contains(string(a.Body), id) {
			return fmt.Errorf("the answer does not list %s", id)
		}
	}
	if kept := r.get(r.intake + "/" + id); kept.Status == http.StatusOK {
		r.left = append(r.left, "agent "+id)
		return errors.New("it is rejected, and kept all the same")
	}
	return r.seen()
}

// aliases tries the manifest's names. The answer warns only of capabilities that the
// platform lacks.
func aliases(r *run) error {
	if err := r.present(); err != nil {
		return blocked(err)
	}
	base := r.take(at(r.definition(r.agentID), "minimal"))
	if err := base.taken(); err != nil {
		return err
	}
	group := r.manifest.Value.Get("platform").Get("capabilities")
	for path, name := range map[string]string{"/memory/in_memory": "memory.in_memory", "/compliance/human_in_the_loop": "compliance.human_in_the_loop", "/telemetry/otel_traces": "telemetry.otel_traces"} {
		there, _ := group.At(path)
		a := r.take(at(r.definition(r.agentID), "minimal", name))
		if !there.True() && a.code() == aaif.UnsatisfiedCapabilities {
			continue // lacking safety features are refused at every level
		}
		if err := a.taken(); err != nil {
			return named(name, err)
		}
		if warned := a.Value.Get("warnings").Len() > base.Value.Get("warnings").Len(); warned == there.True() {
			return fmt.Errorf("%s is %v in the manifest, and the answer has it otherwise", name, there.True())
		}
	}
	return nil
}

// implicit uses a protocol that the platform lacks.
func implicit(r *run) error {
	lacking := r.absentOf("tool.mcp", "tool.http", "tool.openapi")
	if len(lacking) == 0 {
		return &conformance.Skipped{Outcome: conformance.NotApplicable, Reason: "the platform has every protocol of tools"}
	}
	_, protocol, _ := strings.Cut(lacking[0], ".")
	tool := text("name", "book", "description", "Books a receipt.", "protocol", protocol, "endpoint", "https://ledger.example/x")
	v := set(at(r.definition(""), "strict"), "/agent/tools", canon.Array(tool))
	return r.unsatisfied("strict", v, lacking[0])
}

// critical requires a safety feature that the platform lacks, at the lowest level.
func critical(r *run) error {
	v := at(r.definition(""), "minimal")
	group := r.manifest.Value.Get("platform").Get("capabilities").Get("compliance")
	switch {
	case !group.Get("audit_log").True():
		v = set(v, "/agent/compliance/audit_log", canon.Bool(true))
	case !group.Get("pii_scrubbing").True():
		v = set(v, "/agent/compliance/pii_handling", canon.String("anonymize"))
	case group.Get("data_residency_regions").Len() == 0:
		v = set(v, "/agent/compliance/data_residency", canon.String("EU"))
	default:
		return &conformance.Skipped{Outcome: conformance.NotApplicable, Reason: "the platform has the safety features that a run asks for"}
	}
	return r.unsatisfied("minimal", v)
}

// vaults refers to a vault that the manifest does not list.
func vaults(r *run) error {
	if err := r.present(); err != nil {
		return blocked(err)
	}
	there := r.offer.Platform.Capabilities.Auth.Vault
	for _, provider := range []string{"gcp_secretmanager", "azure_keyvault", "hashicorp_vault"} {
		if there.Supported && slices.ContainsFunc(there.Providers, func(p string) bool { return aaif.VaultName(p) == aaif.VaultName(provider) }) {
			continue
		}
		auth := text("type", "bearer").With("vault_ref", text("provider", provider, "path", "book/key"))
		tool := text("name", "book", "description", "Books a receipt.", "protocol", "http", "endpoint", "https://ledger.example/x").With("auth", auth)
		a := r.take(set(at(r.definition(r.agentID), "standard"), "/agent/tools", canon.Array(tool)))
		if err := a.taken(); err != nil {
			return err
		}
		if !strings.Contains(texts(a.Value.Get("warnings")), "auth.vault") {
			return fmt.Errorf("the answer does not warn of the vault %s, which the manifest does not have", provider)
		}
		return nil
	}
	return &conformance.Skipped{Outcome: conformance.NotApplicable, Reason: "the platform has the vaults that a run asks for"}
}
