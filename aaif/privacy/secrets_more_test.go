package privacy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
)

// made are keys as a machine makes them up, in parts, so that no scanner takes this file
// for one that holds any.
const (
	made40  = "wyQNeLnpT5xawz8r2A3h" + "S1Jx9cJNtgsIGv8Ls9w0"
	made32  = "b1494978278947be" + "c540a2123e7cefa3"
	made20  = "Kx82jfPq91" + "LmZt0Qw7Rb"
	madeLow = "q7r2k9x4m1v8z3p6t5w0" + "b7n4c2j9h6d3f8g1s5y2"
)

// pasted are secrets that stand where a name, an address or a list of words belongs.
func pasted() []struct{ pointer, text string } {
	const tool, props = "/agent/tools/0", "/agent/tools/0/parameters_schema/properties"
	return []struct{ pointer, text string }{
		{tool + "/auth/env_var", made40},
		{tool + "/auth/env_var", made32},
		{tool + "/auth/env_var", made20},
		{tool + "/auth/env_var", madeLow},
		{tool + "/auth/env_var", "LEDGER_" + made40},
		{tool + "/auth/header", "Authorization: " + made40},
		{tool + "/auth/header", "X-Key: " + made20},
		{tool + "/auth/header", "X-Key: " + made32},
		{tool + "/auth/header", "Authorization: Token " + made40},
		{tool + "/auth/vault_ref/path", made40},
		{tool + "/auth/vault_ref/path", "secret/data/" + made40},
		{tool + "/auth/vault_ref/path", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:" + made40},
		{tool + "/auth/vault_ref/path", "sk-" + made40},
		{tool + "/auth/vault_ref/path", "secret:ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"},
		{tool + "/endpoint", "stdio:npx server --api-key " + made40},
		{tool + "/endpoint", "stdio:npx server -v --api-key '" + made32 + "' --port 8080"},
		{tool + "/endpoint", "stdio:npx server --access_token=" + made20},
		{tool + "/endpoint", `stdio:npx -H "X-Key: ` + made40 + `"`},
		{tool + "/endpoint", `stdio:npx --header 'Authorization: Token ` + made40 + `'`},
		{tool + "/endpoint", "https://a.example/x?k=" + made40},
		{tool + "/endpoint", "https://a.example/x?a=1&code=" + made40},
		{tool + "/endpoint", "https://api.telegram.org/bot123456789:" + made40[:35] + "/send"},
		{props + "/amount/enum/0", made40},
		{props + "/amount/enum/0", made20},
		{tool + "/description", "ATATT3xFf" + made40},
		{tool + "/description", "lin_" + "api_" + made40},
		{tool + "/description", "dp." + "pt." + made40},
	}
}

func TestPastedSecretsAreFound(t *testing.T) {
	d := sample(t, "agent")
	for i, p := range pasted() {
		t.Run(fmt.Sprintf("AAIF-12-4 pasted %d at %s", i, p.pointer), func(t *testing.T) {
			edited := d
			edited.Value = set(isObjectList(d.Value, p.pointer), p.pointer, canon.String(p.text))
			found := privacy.Secrets(edited, privacy.SecretOptions{})
			if len(found) != 1 || found[0].Path != p.pointer || aaif.CodeOf(found[0]) != aaif.InlineSecret {
				t.Fatalf("%q: got %s", p.text, show(found))
			}
			state := set(sample(t, "state").Value, "/variables/auth/"+p.pointer[strings.LastIndexByte(p.pointer, '/')+1:], canon.String(p.text))
			agree(t, state, p.text)
		})
	}
}

// Names of secrets are none, however the vault spells them.
func TestPathsOfVaultsAreLeft(t *testing.T) {
	d := sample(t, "agent")
	const arn = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:"
	for _, path := range []string{
		"arn:aws:secretsmanager:eu-west-1:123456789:secret:prod/agents/sendgrid", arn + "ledger-a1B2c3", arn + "prod/ledger", arn + "rds!db-1a2b3c4d-AbCd12", arn + "MySecret-a1B2c3", arn + "sendgrid-key-Xy12Zq",
		arn + "rds!cluster-7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01-Q3x9Za", "arn:aws-us-gov:secretsmanager:us-gov-west-1:123456789012:secret:prod/db1-AbC123", "arn:aws-cn:secretsmanager:cn-north-1:123456789012:secret:prod/db1",
		"secret:prod/db1", "secret:kv2/team-7/db1", "secret/data/prod/stripe#api_key", "kv/data/team7/Db2/Reader3", "op://Production/Stripe/credential", "op://kx7p2m4vqz3hw5n6rjt2yb4d6a/c2j7f4g5s6y3x2z7v4b5n6m2qa/password",
		"projects/p/secrets/STRIPE_KEY/versions/latest", "projects/123456789012/secrets/db-1/versions/12", "https://my.vault.azure.net/secrets/stripe/0a1b2c3d4e5f60718293a4b5c6d7e8f9", "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01",
		"/prod/eu-west-1/ledger/v2/db1/reader", "prodEuWest1LedgerDatabaseReader2",
	} {
		t.Run("AAIF-12-4 "+path, func(t *testing.T) {
			edited := d
			edited.Value = set(d.Value, "/agent/tools/0/auth/vault_ref/path", canon.String(path))
			if found := privacy.Secrets(edited, privacy.SecretOptions{}); len(found) > 0 {
				t.Errorf("got %s", show(found))
			}
		})
	}
}
