package aicf_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aicf"
)

func TestRedactText(t *testing.T) {
	key := "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----"
	for _, test := range []struct{ name, in, want string }{
		{"AICF-PII-2 email", "ask bob@example.com.", "ask [EMAIL-REDACTED]."},
		{"AICF-PII-2 email with letters beyond ASCII", "jörg.müller@straße.example", "[EMAIL-REDACTED]"},
		{"AICF-PII-2 email in brackets", "Bob <bob+x@mail.example.co.uk>", "Bob <[EMAIL-REDACTED]>"},
		{"AICF-PII-2 phone in brackets", "at (123) 456-7890 now", "at [PHONE-REDACTED] now"},
		{"AICF-PII-2 phone with hyphens", "123-456-7890", "[PHONE-REDACTED]"},
		{"AICF-PII-2 phone with dots", "call 212.555.0143!", "call [PHONE-REDACTED]!"},
		{"AICF-PII-2 phone with a one", "1-800-555-0199", "[PHONE-REDACTED]"},
		{"AICF-PII-2 phone of another country", "+49 30 1234567, +442079460958", "[PHONE-REDACTED], [PHONE-REDACTED]"},
		{"AICF-PII-2 phone with a zero", "0171 2345678 und 030/12345678", "[PHONE-REDACTED] und [PHONE-REDACTED]"},
		{"AICF-PII-2 phone that a word tells", "Tel.: 5550143, Handy 01712345678", "Tel.: [PHONE-REDACTED], Handy [PHONE-REDACTED]"},
		{"AICF-PII-2 SSN", "SSN 123-45-6789", "SSN [SSN-REDACTED]"},
		{"AICF-SAFE-1 Anthropic", "use sk-ant-api03-abcDEF_123-xyz", "use [SECRET-REDACTED]"},
		{"AICF-SAFE-1 OpenAI", "sk-proj-AbCdEfGhIjKlMnOpQrSt and sk-abcdefghijklmnopqrst", "[SECRET-REDACTED] and [SECRET-REDACTED]"},
		{"AICF-SAFE-1 GitHub", "ghp_" + strings.Repeat("a1", 18) + " gho_" + strings.Repeat("b2", 18) + " github_pat_" + strings.Repeat("c3", 20), "[SECRET-REDACTED] [SECRET-REDACTED] [SECRET-REDACTED]"},
		{"AICF-SAFE-1 AWS", "AKIAIOSFODNN7EXAMPLE", "[SECRET-REDACTED]"},
		{"AICF-SAFE-1 Slack", "xoxb-123456789012-abcdef", "[SECRET-REDACTED]"},
		{"AICF-SAFE-1 JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "[SECRET-REDACTED]"},
		{"AICF-SAFE-1 private key whole", "key:\n" + key + "\nend", "key:\n[SECRET-REDACTED]\nend"},
		{"AICF-SAFE-1 private key cut off", key[:60], "[SECRET-REDACTED]"},
		{"AICF-SAFE-1 encrypted private key of a kind", strings.ReplaceAll(key, "PRIVATE", "RSA PRIVATE"), "[SECRET-REDACTED]"},
		{"AICF-SAFE-1 password assigned", "password=hunter two", "password=[SECRET-REDACTED] two"},
		{"AICF-SAFE-1 password in quotes", `DB_PASSWORD: "my long phrase"`, `DB_PASSWORD: "[SECRET-REDACTED]"`},
		{"AICF-SAFE-1 password said", "the password is hunter2.", "the password is [SECRET-REDACTED]."},
		{"AICF-SAFE-1 password at the end of a line", "Passwort: geheimnis\nweiter", "Passwort: [SECRET-REDACTED]\nweiter"},
		{"AICF-SAFE-1 token assigned", "token: 9f8e7d6c5b4a", "token: [SECRET-REDACTED]"},
		{"AICF-SAFE-1 key of an API", "API_KEY=abcd1234", "API_KEY=[SECRET-REDACTED]"},
		{"AICF-SAFE-1 bearer", "Authorization: Bearer abc.def-ghi_jkl=", "Authorization: Bearer [SECRET-REDACTED]"},
		{"AICF-SAFE-1 password in a URL", "postgres://app:s3cr3t@db.example/x", "postgres://app:[SECRET-REDACTED]@db.example/x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, counts := aicf.Redactor{}.Text(test.in)
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if counts.Total() != strings.Count(got, "-REDACTED]") {
				t.Errorf("counted %v", counts)
			}
			if again, counts := (aicf.Redactor{}).Text(got); again != got || counts != nil {
				t.Errorf("a second time it became %q, counted %v", again, counts)
			}
		})
	}
}

// What only looks like a number that calls somebody, or like a secret, stays.
func TestRedactLeaves(t *testing.T) {
	for _, text := range []string{
		"2025-01-06T08:00:00Z", "2025-10-06T08:00:00.123456789+02:00", "20251001T230000Z", "1709654400", "1709654400.123",
		"at 1709654400123 ms", "06.10.2025", "2025/10/06 08:00", "10-06-2025", "v3.1.0", "1.22.333.4444", "192.168.100.1234",
		"10.0.0.1:8080", "123e4567-e89b-12d3-a456-426614174000", "6f0c1d2e-0000-4000-8000-000000000001", "conv_001 and insight_123",
		"0.123,0.456,0.789,-0.0123", "0.1234567890", "[0.12, 212 555 0143, 7]", "212 555 0143 999", "sha256:2125550143abcdef", "deadbeef2125550143",
		"112-1234567-1234567", "978-3-16-148410-0", "978-316-148410", "4111 1111 1111 1111", "order 2125550143", "12345-6789", "ABC-123-456-7890",
		"123-456-7890-12", "+02:00", "+1", "-123-45-6789", "000-12-3456", "923-45-6789", "123-45-67890", "1,234,567,890", "$2125550143",
		"https://example.com/212-555-0143", "#212-555-0143", "3.14159265358979", "1 000 000 0000", "0042-123456", "00 123456789",
		"git@github.com:satchel/satchel.git", "@scope/package", "lodash@4.17.21", "a @ b.c",
		"tokens=1200", "max_tokens: 4096", "token: the next word of a text", "the secret: be kind to users", "password=$PASSWORD",
		"password: <your password>", "the token is expired", "passwords are hashed", "API key: required", "sk-learn is a library",
		"the bearer of news", "private key: kept on the device, never sent", "token = lexer.next()", "the password is required",
	} {
		if got, counts := (aicf.Redactor{}).Text(text); got != text || counts != nil {
			t.Errorf("AICF-PII-4: %q became %q, counted %v", text, got, counts)
		}
	}
}

func TestRedactorOptions(t *testing.T) {
	const text = "bob@example.com, 212-555-0143, 123-45-6789, AKIAIOSFODNN7EXAMPLE, EMP-4711"
	for _, test := range []struct {
		name string
		r    aicf.Redactor
		want string
	}{
		{"AICF-PII-3 all", aicf.Redactor{}, "[EMAIL-REDACTED], [PHONE-REDACTED], [SSN-REDACTED], [SECRET-REDACTED], EMP-4711"},
		{"AICF-PII-3 emails stay", aicf.Redactor{KeepEmails: true}, "bob@example.com, [PHONE-REDACTED], [SSN-REDACTED], [SECRET-REDACTED], EMP-4711"},
		{"AICF-PII-3 phones stay", aicf.Redactor{KeepPhones: true}, "[EMAIL-REDACTED], 212-555-0143, [SSN-REDACTED], [SECRET-REDACTED], EMP-4711"},
		{"AICF-PII-3 SSNs stay", aicf.Redactor{KeepSSNs: true}, "[EMAIL-REDACTED], [PHONE-REDACTED], 123-45-6789, [SECRET-REDACTED], EMP-4711"},
		{"AICF-SAFE-1 secrets stay", aicf.Redactor{KeepSecrets: true}, "[EMAIL-REDACTED], [PHONE-REDACTED], [SSN-REDACTED], AKIAIOSFODNN7EXAMPLE, EMP-4711"},
		{"AICF-PII-3 a pattern", aicf.Redactor{Patterns: []aicf.Pattern{{Name: "employee", Regexp: regexp.MustCompile(`EMP-\d+`)}}},
			"[EMAIL-REDACTED], [PHONE-REDACTED], [SSN-REDACTED], [SECRET-REDACTED], [EMPLOYEE-REDACTED]"},
		{"AICF-PII-3 a pattern without a name", aicf.Redactor{KeepEmails: true, KeepPhones: true, KeepSSNs: true, KeepSecrets: true,
			Patterns: []aicf.Pattern{{Regexp: regexp.MustCompile(`EMP-\d+|z*`)}}}, text[:len(text)-len("EMP-4711")] + "[CUSTOM-REDACTED]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, _ := test.r.Text(text); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

const withPeople = `1|@AICF_VERSION
2|version=3.1
3|
4|@SESSION:a@b.example
5|app_name=x
6|user_id=bob@example.com
7|created_at=2025-10-06T14:00:00Z
8|last_update_time=2025-10-06T15:30:00Z
9|status=active
10|
11|@CONVERSATION:212-555-0143
12|timestamp_start=2025-10-06T14:00:00Z
13|timestamp_end=2025-10-06T15:30:00Z
14|messages=3
15|topic=first a1@example.com
16|topic=mail a2@example.com
17|participants=p@example.com
18|content=x|\na3@example.com\|y
19|contact=a4@example.com
20|
21|@STATE
22|actions=wrote a5@example.com
23|flow=a6@example.com|b
24|owner=a7@example.com
25|
26|@INSIGHTS
27|@INSIGHTS met a8@example.com|GENERAL|HIGH|HIGH|by=a9@example.com
28|
29|@DECISIONS
30|@DECISIONS ask b1@example.com|HIGH|HIGH|b2@example.com knows
31|
32|@EMBEDDING:c1
33|model=m
34|dimension=3
35|vector=212.555,0143,123
36|
37|@CONSOLIDATION:c1
38|source_items=x@example.com
39|consolidated_at=2025-10-06T14:00:00Z
40|method=deduplication
41|semantic_theme=b3@example.com
42|key_facts=b4@example.com|b5@example.com
43|
44|@NOTES:a@b.example
45|b6@example.com
46|
`

// redact reads the file above, redacts it and writes it again.
func redact(t *testing.T, r aicf.Redactor) (string, aicf.Counts) {
	t.Helper()
	f, err := aicf.Parse([]byte(withPeople), aicf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := aicf.Read(f, aicf.Options{})
	counts := r.Contents(c)
	data, _, err := aicf.Encode(c, aicf.WriteOptions{Preserve: true})
	if err != nil {
		t.Fatal(err)
	}
	return string(data), counts
}

var address = regexp.MustCompile(`[a-z0-9]+@[a-z.]+`)

func TestRedactContents(t *testing.T) {
	for _, test := range []struct {
		name  string
		r     aicf.Redactor
		stays []string
		count aicf.Counts
	}{
		{"AICF-PII-4 free text only", aicf.Redactor{}, []string{"a@b.example", "bob@example.com", "p@example.com", "a4@example.com", "a7@example.com",
			"a9@example.com", "x@example.com", "a@b.example", "b6@example.com"}, aicf.Counts{"email": 11}},
		{"AICF-PII-3 further fields", aicf.Redactor{Fields: []string{"user_id", "participants", "contact", "owner", "by"}}, []string{"a@b.example",
			"x@example.com", "a@b.example", "b6@example.com"}, aicf.Counts{"email": 16}},
		{"AICF-PII-3 sensitive fields", aicf.Redactor{KeepEmails: true, Sensitive: []string{"contact", "topic", "owner"}}, nil, aicf.Counts{"field": 3}},
		{"AICF-PII-1 unknown sections", aicf.Redactor{Unknown: true}, []string{"a@b.example", "bob@example.com", "p@example.com", "a4@example.com",
			"a7@example.com", "a9@example.com", "x@example.com", "a@b.example"}, aicf.Counts{"email": 12}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, counts := redact(t, test.r)
			if left := address.FindAllString(got, -1); test.stays != nil && !slices.Equal(left, test.stays) {
				t.Errorf("left %q, want %q in\n%s", left, test.stays, got)
			}
			if !maps.Equal(counts, test.count) {
				t.Errorf("AICF-PII-5: counted %v, want %v", counts, test.count)
			}
			if !strings.Contains(got, "vector=212.555,0143,123") || !strings.Contains(got, "@CONVERSATION:212-555-0143") {
				t.Errorf("AICF-PII-4: a vector or an id changed:\n%s", got)
			}
		})
	}
}

// Time grows with the text and no faster, whatever it is made of.
func TestRedactIsLinear(t *testing.T) {
	for _, unit := range []string{"1", "1-", "+1 ", "(12", "a@", "a.", "sk-", "token=", "-----BEGIN PRIVATE KEY-----", "eyJ", "0123 ", "tel "} {
		text := strings.Repeat(unit, 100_000/len(unit))
		began := time.Now()
		aicf.Redactor{}.Text(text)
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("%d bytes of %q took %v", len(text), unit, took)
		}
	}
}
