package redact_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/text/redact"
)

func TestSecrets(t *testing.T) {
	many := func(n int) string { return strings.Repeat("aB3dE5gH7", n/9+1)[:n] }
	jwt := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"
	for _, test := range []struct{ name, in, want string }{
		{"OpenAI", "sk-proj-" + many(40) + ", sk-" + many(48), "#, #"},
		{"Anthropic", "key sk-ant-api03-" + many(20) + "-x.", "key #."},
		{"GitHub", "ghp_" + many(36) + " and github_pat_" + many(40), "# and #"},
		{"GitLab", "glpat-" + many(20), "#"},
		{"AWS", "AKIAIOSFODNN7EXAMPLE, ASIAIOSFODNN7EXAMPLE", "#, #"},
		{"AWS in a file", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = #"},
		{"Google", "AIza" + many(35) + " ya29." + many(30), "# #"},
		{"Slack", "xoxb-12345678901-" + many(12) + " xapp-1-" + many(24), "# #"},
		{"a hook of Slack", "https://hooks.slack.com/services/T000/B000/" + many(24), "https://#"},
		{"npm and PyPI", "npm_" + many(36) + " pypi-" + many(60), "# #"},
		{"Hugging Face", "hf_" + many(34), "#"},
		{"Stripe", "sk_live_" + many(24) + " whsec_" + many(32), "# #"},
		{"SendGrid", "SG." + many(22) + "." + many(43), "#"},
		{"DigitalOcean", "dop_v1_" + strings.Repeat("0a", 32), "#"},
		{"age", "AGE-SECRET-KEY-1" + strings.Repeat("Q7", 29), "#"},
		{"a capability token", "the token umpcap.eyJ2IjoxfQ_x-y.ed25519:" + many(86) + ".", "the token #."},
		{"a recovery kit", "kit: 06PV9" + strings.Repeat("-7QZ2X", 10) + "-7QZ20, keep it", "kit: #, keep it"},
		{"Azure", "AccountName=a;AccountKey=" + many(86) + "==;EndpointSuffix=x", "AccountName=a;AccountKey=#;EndpointSuffix=x"},
		{"Telegram", "bot 123456789:AA" + many(33), "bot 123456789:#"},
		{"curl", "curl -u admin:" + many(9) + " https://example.org; curl --user='a:" + many(9) + "' x", "curl -u admin:# https://example.org; curl --user='a:#' x"},
		{"JWT", "cookie=" + jwt + ";", "cookie=#;"},
		{"behind a broken one", "eyJ-eyJabc eyJ. " + jwt, "eyJ-eyJabc eyJ. #"},
		{"behind a hyphen", "xeyJ-" + jwt, "xeyJ-#"},
		{"in a URL", "git clone https://alice:" + many(12) + "@example.org/x", "git clone https://alice:#@example.org/x"},
		{"said in German", "Das Kennwort lautet Apfel99Baum.", "Das Kennwort lautet #."},
		{"behind letters that change their length", "İİİ token=abcd1234", "İİİ token=#"},
		{"with a mark at its end", "password: hunter2secret! and pwd=abc123?!", "password: # and pwd=#"},
		{"at the end of a sentence", "My password is hunter2. (The other password: hunter3.)", "My password is #. (The other password: #.)"},
		{"with stars", "**password: hunter2** password: hunter2* password: hunter2)", "**password: #** password: # password: #"},
		{"several in a line", "password=single two, token=abcd1234", "password=# two, token=#"},
		{"a private key", "-----BEGIN OPENSSH PRIVATE KEY-----\n" + many(70) + "\n-----END OPENSSH PRIVATE KEY-----\nend", "#\nend"},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := strings.ReplaceAll(test.want, "#", "[SECRET-REDACTED]")
			if test.name == "a hook of Slack" {
				want = "https://hooks.slack.com/services/[SECRET-REDACTED]"
			}
			got, counts := redact.Secrets().Text(test.in)
			if got != want || counts["secret"] != strings.Count(want, "-REDACTED]") {
				t.Errorf("got %q, want %q, counted %v", got, want, counts)
			}
			if again, counts := redact.Secrets().Text(got); again != got || counts != nil {
				t.Errorf("a second time it became %q", again)
			}
		})
	}
}

// TestKits: a recovery kit is found whatever its beginning, in texts and by the search that
// looks ahead.
func TestKits(t *testing.T) {
	rest := strings.Repeat("-7QZ2X", 10) + "-7QZ20"
	for _, begin := range []string{"04000", "05ZZZ", "06PV9", "07ABC", "04abc", "07zyx"} {
		for in, want := range map[string]string{
			begin + rest:                  "#",
			"(" + begin + rest + ")":      "(#)",
			strings.ToLower(begin + rest): "#",
			begin + "-" + begin[:4]:       "",
			"x" + begin + rest:            "",
			begin[:4] + "u" + rest:        "",
			"03" + begin[2:] + rest:       "",
			"08" + begin[2:] + rest:       "",
		} {
			if want == "" {
				want = in
			}
			if got, _ := redact.Secrets().Text(in); got != strings.ReplaceAll(want, "#", "[SECRET-REDACTED]") {
				t.Errorf("%q became %q", in, got)
			}
		}
	}
}

// BenchmarkText measures the search in texts without secrets, with words that begin like
// secrets and others.
func BenchmarkText(b *testing.B) {
	for name, text := range map[string]string{
		"prose": "The build passes on the second try, since the cache was stale; ask Ada about it. ",
		"put":   "We put the public input through upper outputs, 2026-04-05 at 06:15, npm install pnpm. ",
	} {
		b.Run(name, func(b *testing.B) {
			text := strings.Repeat(text, 200)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				redact.Secrets().Text(text)
			}
		})
	}
}

// Texts that are not secrets stay.
func TestSecretsLeave(t *testing.T) {
	for _, text := range []string{
		"bob@example.com, +49 30 1234567, 123-45-6789",
		"f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
		"urn:ump:jfvbyqzcqd7proaadydsnfw7nmgq75puajnzshjchch7i3siytca", "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw",
		"commit 637a0772f7cbbd5aae3c5f8d4ad62f1a9d3e0b11", "sha256:918bdffafeeb84a53baaccb73a7e9c475d9891e0c8c9ba1ee4cd9af22cb49233",
		"blake3:jfvbyqzcqd7proaadydsnfw7nmgq75puajnzshjchch7i3siytca", "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
		"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl alice@host",
		"The secret of a good soup is patience.", "Das Geheimnis: viel Zeit.", "Der Token läuft ab, sagte sie.", "Schlüssel: unter der Matte",
		"Use the API key from the vault, never from the repository.", "Token: one word or part of one", "rotate your access keys",
		"password: see the vault", "The password field is required", "his passport is new", "the key is under the mat", "passwords: never reuse them",
		"max_tokens=4096, total tokens: 1200", "a task-force, a disk-full, risk-averse-management", "through the right Asian highlands",
		"http://localhost:8080/path@2x.png", "see https://example.org:443/@user", "git@github.com:satchel/satchel.git", "ftp://example.org",
		"eyJ is how they begin", "hf_hub_download()", "def sign(private_key: Ed25519PrivateKey)", "token = request.access_token", "api_key = os.environ[\"KEY\"]", "password = form.password", "secret: process.env.SECRET", "npm_config_registry", "sk_learn", "SG.com", "SELECT * FROM api_keys", "AKIA is a prefix",
		"run it as -u alice", "sort -u names:", "--user ada: hello", "05-06-2026-07-08", "04:30, at 06:15", "a ratio of 1:AAB", "umpcap.x is none",
	} {
		if got, counts := redact.Secrets().Text(text); got != text || counts != nil {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Sixteen times the text takes about sixteen times as long, whatever the text. Quadratic
// time would take 256 times as long.
func TestSecretsAreLinear(t *testing.T) {
	const short, long, most = 10_000, 160_000, 64.0
	for _, unit := range []string{"sk-", "sk-ab-", "token=", "token=\"", "token is ", "-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "eyJ", "eyJ-", "eyJabcdef.", "://", "://a:", "bearer ", "authorization: ", "SG.", "xox", "umpcap.", "umpcap.a-", "06", "06PV9-7QZ2X-", ":AA", "-u a:", "p", "passw",
		"password: ", "password: x1y2z3)* ", "(password: x1y2z3) ", "**token=a1b2c3d4** ", "token: 'a1b2c3' ", "?key=", "\"password\":", "\\\"token\\\":\\\"", "a@b.", "*", "(", "MTE", "s.a", "-us", "8q~", "&#58;", "%3d", "EAA-", "$6$a", "://a:@", "://a:b@", "curl -u a:b1c2d3 ", "use a1b2c3 ", "machine ", "machine a login b ", "mysql ", "mysql -p", "mysql -pab1c ", "passphrase: ab ", "passphrase", "cookie: sess=", "with password ", "password |", "<password>", "password:\n", "a1b2c3 is my passw", "is my passw"} {
		ratio, few, many := most, time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
		for attempt := 0; ratio >= most && attempt < 10; attempt++ { // the collector of garbage disturbs some attempts
			few, many = min(few, redacting(t, unit, short)), min(many, redacting(t, unit, long))
			ratio = float64(many) / float64(few)
		}
		if ratio >= most {
			t.Errorf("%d bytes of %q take %.1f times as long as %d", long, unit, ratio, short)
		}
	}
}

// redacting returns what a search of a text of a length for secrets costs.
func redacting(t *testing.T, unit string, length int) time.Duration {
	t.Helper()
	text := strings.Repeat(unit, length/len(unit))
	began := racing.Work(t)
	redact.Secrets().Text(text)
	return max(racing.Work(t)-began, 1) // which divides
}

// TestShared searches the files beside the specifications, if they are present: none
// contains a secret.
func TestShared(t *testing.T) {
	dir := os.Getenv("SATCHEL_SHARED")
	if dir == "" {
		t.Skip("skipped: SATCHEL_SHARED names no folder")
	}
	err := filepath.WalkDir(filepath.Join(dir, "data/formats"), func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if got, counts := redact.Secrets().Text(string(text)); counts != nil {
			at := strings.Index(got, "[SECRET-REDACTED]")
			t.Errorf("%s: %v, first behind %q", path, counts, got[max(0, at-60):at])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
