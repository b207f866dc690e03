package aaif

import (
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/canon"
)

// languages lists the languages of edition 3.4.0.
func languages() []Language { return []Language{JSONPath, JMESPath, CEL, JSONLogic, Always, Never} }

// fresh returns groups that are written anew: every member, and nothing that they were
// read with.
func (g Groups) fresh() Groups {
	for _, v := range []*canon.Value{&g.Value, &g.Tool.Value, &g.Memory.Value, &g.Model.Value, &g.Orchestration.Value, &g.Auth.Value,
		&g.Auth.Vault.Value, &g.State.Value, &g.Compliance.Value, &g.Telemetry.Value} {
		*v = canon.Value{}
	}
	return g
}

// published returns groups as validators of edition 3.4.0 take them: what they do not
// know is left to the flat list, and vaults are spelled as manifests do (decision R23).
// Checkpoints that nothing goes on from are left to it, too, as the one member stands for
// both.
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

// only returns the items that are wanted, each once.
func only[T comparable](list []T, wanted func(T) bool) []T {
	var kept []T
	for _, item := range list {
		if wanted(item) && !slices.Contains(kept, item) {
			kept = append(kept, item)
		}
	}
	return kept
}

// manifestVault returns the name that manifests have for a vault, and "" of one that
// they have none for.
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

// Publishable returns why a manifest must not be published, joined: it claims no level,
// or it is not valid.
func (m Manifest) Publishable() error { return publishable(ManifestKind, m.Document()) }

// Publishable returns why a report must not be published, joined: it claims nothing, as
// no run has shown it, or it is not valid (AAIF-6-19).
func (r Report) Publishable() error { return publishable(ReportKind, r.Document()) }

func publishable(k Kind, v canon.Value) error {
	var found []error
	for _, p := range Errors(standardValidator().Lint(Document{Kind: k, Value: v})) {
		found = append(found, p)
	}
	return errors.Join(found...)
}
