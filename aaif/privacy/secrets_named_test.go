package privacy_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
)

// made are values that a machine made up, and one that a person chose with care, in parts,
// so that no scanner takes this file for one that holds any.
var made = []string{"wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYzq83HdkLsQ", "Xk9#mQ2v" + "L7pW", "6f1ed002ab559585" + "9014ebf0951522d9"}

// TestCredentialsAreNamed: names say it by their last words, in intake as in redaction.
func TestCredentialsAreNamed(t *testing.T) {
	for _, name := range []string{
		"aws_secret_access_key", "secret_access_key", "AWS_SECRET_ACCESS_KEY", "awsSecretAccessKey", "db_password", "DB_PASSWORD", "dbPassword", "db-password", "user_password", "openai_api_key", "OPENAI_API_KEY",
		"openaiAPIKey", "azure_openai_key", "github_token", "SLACK_BOT_TOKEN", "slackBotToken", "clientSecret", "client_secret", "apiKey", "api-key", "x-api-key", "accessToken", "bot_token", "signing_secret",
		"webhook_secret", "encryption_key", "private_key", "session_token", "X-Auth-Token", "Ocp-Apim-Subscription-Key", "Cookie", "connection_string", "connectionString", "password", "passphrase", "pass", "smtp_pass",
		"bearer", "github_token_2", "apikey", "api_keys", "jwt", "master_key", "ssh_key", "Password ", "storage.account.key", "credentials", "gpg_passphrase",
	} {
		t.Run("AAIF-12-3 "+name, func(t *testing.T) {
			for _, text := range made {
				isNamed(t, canon.Object(canon.Member{Name: name, Value: canon.String(text)}), text)
				isNamed(t, canon.Object(canon.Member{Name: "name", Value: canon.String(name)}, canon.Member{Name: "value", Value: canon.String(text)}), text)
			}
			isNamed(t, canon.Object(canon.Member{Name: name, Value: canon.Array(canon.String(made[1]))}), made[1])
		})
	}
	for member, text := range map[string]string{
		`{"passphrase":"correct horse battery staple"}`: "correct", `{"password":"hunter22 hunter22"}`: "hunter22", `{"db_password":"two 2 hunter22x"}`: "hunter22x", `{"password":"correct horse battery"}`: "horse",
		`{"db_password":12345678}`: "12345678", `{"Cookie":"theme=dark; session=` + made[2] + `"}`: made[2], `{"connection_string":"Server=db;AuthToken=` + made[2] + `"}`: made[2],
		`{"properties":{"password":{"type":"string","default":"hunter22"}}}`: "hunter22", `{"properties":{"db_password":{"type":"string","examples":["hunter22"]}}}`: "hunter22",
		`{"password":"secret:` + `hunter2"}`: "hunter2",
	} {
		t.Run("AAIF-12-3 "+strings.ReplaceAll(member, "/", "|"), func(t *testing.T) { isNamed(t, tree(t, member), text) })
	}
}

// isNamed fails where an object is not refused in a definition, or leaves with a state.
func isNamed(t *testing.T, object canon.Value, text string) {
	t.Helper()
	d := sample(t, "agent")
	d.Value = set(d.Value, "/x-acme", object)
	if found := privacy.Secrets(d, privacy.SecretOptions{}); len(found) != 1 || !strings.HasPrefix(found[0].Path, "/x-acme/") {
		t.Errorf("%s: got %s", object.Append(nil), show(found))
	}
	out, _ := leave(t, set(sample(t, "state").Value, "/variables", object), privacy.RedactOptions{})
	if left := string(out.Get("variables").Append(nil)); strings.Contains(left, text) {
		t.Errorf("left %s", left)
	}
}

// TestNamesThatSayNothing: what only sounds like the name of a credential, and what only tells of one.
func TestNamesThatSayNothing(t *testing.T) {
	for _, object := range []string{
		`{"max_tokens":4096}`, `{"max_tokens":"4096"}`, `{"token_count":12345678}`, `{"monkey":"` + made[2] + `"}`, `{"primary_key":"invoice_id_2026"}`, `{"primary_key":"` + made[2] + `"}`, `{"key_points":"a1b2c3d4e5f6"}`,
		`{"passenger":"` + made[2] + `"}`, `{"cookie_policy":"a1b2c3d4e5f6"}`, `{"cookies":"accept all of 2026"}`, `{"foreign_key":"a1b2c3d4e5f6"}`, `{"cache_key":"` + made[2] + `"}`, `{"idempotency_key":"` + made[2] + `"}`,
		`{"next_page_token":"a1b2c3d4e5f6"}`, `{"nextPageToken":"` + made[2] + `"}`, `{"continuation_token":"` + made[2] + `"}`, `{"eos_token":"<|endoftext|>"}`, `{"pad_token":"[PAD]"}`, `{"stop_token":"###END2###"}`,
		`{"github_token":"GITHUB_TOKEN_2"}`, `{"github_token":"${GITHUB_TOKEN}"}`, `{"openai_api_key":"OPENAI_API_KEY"}`, `{"openai_api_key":"{{OPENAI_API_KEY_2}}"}`, `{"db_password":"$DB_PASSWORD_2"}`, `{"db_password":"DB_PASSWORD_2"}`,
		`{"webhook_secret":"prod/webhook-2026"}`, `{"webhook_secret":"arn:aws:secretsmanager:eu-west-1:123456789012:secret:ledger-a1B2c3"}`, `{"webhook_secret":"vault:kv/ledger2"}`, `{"session_token":"required"}`,
		`{"reset_password":"https://a.example/reset2"}`, `{"forgot_password":"hunter22"}`, `{"show_password":"always2x"}`, `{"user_password":"/account/password2"}`, `{"password_hint":"a1b2c3d4e5f6"}`, `{"password_policy":"min12chars"}`,
		`{"password":"Password"}`, `{"api_key":"API key"}`, `{"password":"ask the administrator first"}`, `{"password":"see vault"}`, `{"password":"minimum twelve characters"}`, `{"passphrase":"Never stored."}`,
		`{"connection_string":"Host=db1.example;Port=5432;Database=ledger2"}`, `{"connection_string":"postgres://db1.example:5432/ledger2"}`, `{"bearer":"of good news in 2026"}`, `{"boarding_pass":"a1b2c3d4e5f6"}`, `{"pass":"criteria met"}`,
		`{"authorization":"none"}`, `{"secret_santa":"a1b2c3d4e5f6"}`, `{"tokenizer":"cl100k_base"}`, `{"public_key":"` + made[2] + `"}`, `{"keyboard":"a1b2c3d4e5f6"}`, `{"turkey":"` + made[2] + `"}`, `{"token_type":"a1b2c3d4e5f6"}`,
		`{"properties":{"password":{"type":"string","description":"The password of the user.","minLength":12},"db_password":{"type":["string","null"],"format":"password"},"openai_api_key":{"type":"string","title":"Key"}},"required":["password","openai_api_key"]}`,
		`{"dependentRequired":{"password":["username","login_name"],"api_key":["tenant"]}}`, `{"properties":{"cookie":{"type":"string"},"passphrase":{"$ref":"#/$defs/passphrase"}},"$defs":{"passphrase":{"type":"string","maxLength":64}}}`,
	} {
		t.Run("AAIF-12-4 "+strings.ReplaceAll(object, "/", "|"), func(t *testing.T) {
			d := sample(t, "agent")
			d.Value = set(d.Value, "/x-acme", tree(t, object))
			if found := privacy.Secrets(d, privacy.SecretOptions{}); len(found) > 0 {
				t.Errorf("got %s", show(found))
			}
		})
	}
}
