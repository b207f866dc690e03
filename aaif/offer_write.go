package aaif

import (
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/canon"
)

// languages lists the languages of edition 3.4.0.
func languages() []Language { return []Language{JSONPath, JMESPath, CEL, JSONLogic, Always, Never} }

// withoutValues returns groups as new objects: with every member, and nothing of the
// object they were read from.
func (g Groups) withoutValues() Groups {
	for _, v := range []*canon.Value{&g.Value, &g.Tool.Value, &g.Memory.Value, &g.Model.Value, &g.Orchestration.Value, &g.Auth.Value,
		&g.Auth.Vault.Value, &g.State.Value, &g.Compliance.Value, &g.Telemetry.Value} {
		*v = canon.Value{}
	}
	return g
}

// published returns groups as validators of edition 3.4.0 accept them. Unknown
// capabilities are left to the list, and vaults are spelled as in manifests (decision
// R23). Checkpoints that cannot be restored are left to the list, too, as one member
// stands for both.
func (g Groups) published(restores bool) Groups {
	g.State.Checkpoint = g.State.Checkpoint && restores
	g.Memory.SQLite, g.Memory.Weaviate, g.Auth.Basic, g.Auth.MTLS = false, false, false, false
	g.Model.Strategies = only(g.Model.Strategies, func(s Strategy) bool { return slices.Contains([]Strategy{Cheapest, Fastest, Best, RoundRobin}, s) })
	g.Model.Providers = only(g.Model.Providers, func(string) bool { return true })
	g.Orchestration.Languages = only(g.Orchestration.Languages, func(l Language) bool { return slices.Contains(languages(), l) })
	g.Compliance.Regions = only(g.Compliance.Regions, func(r string) bool { return r != "" })
	var vaults []string
	for _, name := range g.Auth.Vault.Providers {
		if name = manifestVault(name); name != "" {
			vaults = append(vaults, name)
		}
	}
	g.Auth.Vault.Providers = only(vaults, func(string) bool { return true })
	return g
}

// only returns the wanted items, each once.
func only[T comparable](list []T, wanted func(T) bool) []T {
	var kept []T
	for _, item := range list {
		if wanted(item) && !slices.Contains(kept, item) {
			kept = append(kept, item)
		}
	}
	return kept
}

// manifestVault returns the name of a vault in manifests, or "".
func manifestVault(name string) string {
	switch VaultName(name) {
	case "aws_secretsmanager":
		return "aws_secrets_manager"
	case "azure_keyvault":
		return "azure_key_vault"
	case "gcp_secretmanager":
		return "gcp_secret_manager"
	case "hashicorp_vault", "1password":
		return name
	}
	return ""
}

// Publishable says why a manifest must not be published: it claims no level, or is
// invalid.
func (m Manifest) Publishable() error { return publishable(ManifestKind, m.Document()) }

// Publishable says why a report must not be published: it claims nothing, or is invalid
// (AAIF-6-19).
func (r Report) Publishable() error { return publishable(ReportKind, r.Document()) }

func publishable(k Kind, v canon.Value) error {
	var found []error
	for _, p := range Errors(standardValidator().Lint(Document{Kind: k, Value: v})) {
		found = append(found, p)
	}
	return errors.Join(found...)
}
