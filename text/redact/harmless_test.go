package redact_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/text/redact"
)

// TestHarmless: a path, a reference, a name and a placeholder are no secrets, whatever
// stands before them.
func TestHarmless(t *testing.T) {
	for _, text := range []string{
		"pwd: /home/ann", "pwd=/srv/app2", "pwd: ~/work2", "pwd: ./build3", `pwd: C:\work2`, "private key: ~/.ssh/id_ed25519", "private key: /etc/ssl/private/site2.pem",
		"api_key=config.api_key2", `password=os.environ["X1"]`, "password=${VAR1}", "password=process.env.X1", "password: settings.db_password2", "secret=secrets.DEPLOY_2", "token = $TOKEN1",
		"secret: k8s-secret-1", "secret=my-app-tls-2", "secret: db-credentials-v2", "private key: id_ed25519", "token: deploy_token_3", "secretName: web-tls-prod-2026",
		"access key is Ctrl+Shift+7", "The token is ERC-20", "The token is ERC-20 based", "access_token: lifetime=3600", "password: bcrypt2", "password: argon2id", "Password: minimum12 chars", "password: min8",
		"chown -u bob:group1", "scp -u bob:group1", "docker run --user 1000:1000 x", "curl x\nchown -u bob:group1", "ssh://git:22@host/x", "http://localhost:8080?mail=a@b",
		"password: xxxxxxxx", "password=password", "api_key: YOUR_TOKEN1", "token=<token>", "password=****", "password: your-password", "postgres://user:password@localhost/db", "https://bob:<password>@example.org", "https://bob:${PASS}@example.org", "https://bob:xxxx@example.org",
		"ghp_" + strings.Repeat("x", 36),
	} {
		if got, _ := redact.Secrets().Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	for in, want := range map[string]string{
		"pwd=abc/home1":                         "pwd=#",
		"password: my-app-tls-2":                "password: #",
		"password=vault12":                      "password=#",
		"secret=a8f3-k2l9-x7":                   "secret=#",
		"https://alice:p@ssw0rd!@example.org/x": "https://alice:#@example.org/x",
		"https://a:p1@h and b@c.d":              "https://a:#@h and b@c.d",
		"https://a:p1@h/x@y":                    "https://a:#@h/x@y",
		"curl -s \\\n -u ann:hunter2 x":         "curl -s \\\n -u ann:# x",
	} {
		if got, _ := redact.Secrets().Text(in); got != strings.ReplaceAll(want, "#", "[SECRET-REDACTED]") {
			t.Errorf("%q became %q", in, got)
		}
	}
}
