package privacy_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
)

// everywhere is where a state may hold a text besides [whereSaid].
func everywhere() []string {
	return append(whereSaid(), "/error/code", "/error/step", "/agent_version", "/conversation/2/tool_call_id", "/conversation/2/tool_name", "/conversation/1/timestamp",
		"/conversation/1/role", "/memory_snapshot/0/backend", "/memory_snapshot/0/scope", "/subagent_states/0/alias", "/subagent_states/0/status", "/pending_tool_calls/0/id",
		"/pending_tool_calls/0/tool_name", "/pending_tool_calls/0/status", "/pipeline_position/completed_steps/0", "/pipeline_position/current_subagent", "/checkpoint_at", "/status",
		"/approval_request/timeout_at", "/approval_request/pending_action/tool_name", "/provenance/source_platform", "/provenance/source_runtime_version", "/provenance/target_platform")
}

// spellings are ways in which a text may stand in another.
func spellings(text string) map[string]string {
	inner, _ := json.Marshal(map[string]string{"said": text})
	twice, _ := json.Marshal(map[string]string{"body": string(inner)})
	var escaped, percent, entities strings.Builder
	for _, r := range text {
		fmt.Fprintf(&escaped, `\u%04x`, r)
		fmt.Fprintf(&entities, "&#%d;", r)
		fmt.Fprintf(&percent, "%%%02X", string(r))
	}
	return map[string]string{"alone": text, "in a text": "see " + text + " there", "in JSON": string(inner), "in JSON in JSON": string(twice),
		"escaped": `{"said":"` + escaped.String() + `"}`, "escaped in prose": `got {"said":"` + escaped.String() + `"} from it`,
		"in an address": "https://h.example/x?q=" + url.QueryEscape(text) + "&r=1", "in HTML": "<p>" + entities.String() + "</p>", "in an address, all of it": "https://h.example/x?q=" + percent.String()}
}

func TestNobodyLeaves(t *testing.T) {
	for kind, person := range map[string]string{"email": "ada@example.org", "card": "4111111111111111", "iban": "DE89370400440532013000", "phone": "+493012345678"} {
		for how, text := range spellings(person) {
			t.Run(fmt.Sprintf("AAIF-12-10 %s %s", kind, how), func(t *testing.T) {
				for _, at := range everywhere() {
					v := set(sample(t, "state").Value, at, canon.String(text))
					out, done := leave(t, v, privacy.RedactOptions{PII: aaif.PIIAnonymize})
					left, _ := out.At(at)
					if done.Persons[kind] != 1 || strings.Contains(left.Text(), person) || !strings.Contains(left.Text(), "-REDACTED]") {
						t.Errorf("%s: %v left %s", at, done.Persons, left.Text())
					}
					_, _, err := privacy.Redact(v, privacy.RedactOptions{PII: aaif.PIIReject})
					if aaif.CodeOf(err) != aaif.PIIRejected || pathOf(err) != at {
						t.Errorf("%s: %v", at, err)
					}
				}
			})
		}
	}
	for member, want := range map[string]string{
		`{"phone":493012345678}`: `{"phone":"[PHONE-REDACTED]"}`, `{"mobile_number":"493012345678"}`: `{"mobile_number":"[PHONE-REDACTED]"}`, `{"homePhone":[493012345678]}`: `{"homePhone":["[PHONE-REDACTED]"]}`,
		`{"n":4111111111111111}`: `{"n":"[CARD-REDACTED]"}`, `{"n":4.111111111111111e15}`: `{"n":"[CARD-REDACTED]"}`, `{"ssn":123456789}`: `{"ssn":"[SSN-REDACTED]"}`, `{"4111111111111111":1}`: `{"[CARD-REDACTED]":1}`,
		`{"at":1718000000000,"total":493012345678,"hotel":"12345678","phone":12}`: "",
	} {
		for _, text := range []bool{false, true} {
			t.Run(fmt.Sprintf("AAIF-12-10 numbers of JSON %s %v", member, text), func(t *testing.T) {
				v, want := tree(t, member), want
				if want == "" {
					want = member
				}
				if text {
					v = canon.String(member)
				}
				out, done := leave(t, set(sample(t, "state").Value, "/variables/deep", v), privacy.RedactOptions{PII: aaif.PIIAnonymize})
				expect(t, done.Persons.Total(), strings.Count(want, "-REDACTED]"))
				got := out.Get("variables").Get("deep")
				if left := got.Text(); text && left != want || !text && string(got.Append(nil)) != want {
					t.Errorf("got %s, want %s", got.Append(nil), want)
				}
			})
		}
	}
}

func TestNoKnownSecretLeaves(t *testing.T) {
	const secret = "Zebra7-quagga"
	for how, text := range map[string]string{"alone": secret, "in a text": "x" + secret + "x", "behind a name": base64.StdEncoding.EncodeToString([]byte("ada:" + secret)),
		"behind a longer name": base64.StdEncoding.EncodeToString([]byte("grace:" + secret)), "before something": base64.URLEncoding.EncodeToString([]byte("me:" + secret + "!")),
		"in hexadecimal digits": fmt.Sprintf("%x", secret), "in an address": strings.ReplaceAll(secret, "-", "%2d"), "escaped": `{"k":"\u005aebra7\u002dquagga"}`} {
		t.Run("AAIF-12-3 "+how, func(t *testing.T) {
			for _, at := range append(everywhere(), "/run_id", "/state_id") {
				v := set(sample(t, "state").Value, at, canon.String(text))
				out, done := leave(t, v, privacy.RedactOptions{Secrets: []string{secret, "user", "pending", "2026", "1234"}})
				left, _ := out.At(at)
				if !strings.Contains(left.Text(), "[SECRET-REDACTED]") || strings.Contains(left.Text(), "ebra") || done.Secrets["secret"] < 1 {
					t.Errorf("%s: %s", at, left.Text())
				}
				expect(t, out.Get("conversation").Items()[0].Get("role").Text() != "[SECRET-REDACTED]", true)
				expect(t, out.Get("provenance").Get("target_platform").Text() == "", false)
			}
		})
	}
	t.Run("AAIF-12-3 short ones do not break what is an id, a time or a word by its form", func(t *testing.T) {
		v := sample(t, "state").Value.Without("_comment")
		out, _ := leave(t, v, privacy.RedactOptions{AtHome: true, Secrets: []string{"user", "0000", "2026", "running", "status", "d7e8"}})
		same(t, v, out)
	})
	t.Run("AAIF-12-3 one that is a UUID, and one that is a number", func(t *testing.T) {
		v := set(sample(t, "state").Value, "/variables/deep/a", canon.Int(90210777))
		out, _ := leave(t, v, privacy.RedactOptions{Secrets: []string{v.Get("run_id").Text(), "90210777"}})
		expect(t, out.Get("run_id").Text(), "[SECRET-REDACTED]")
		expect(t, out.Get("variables").Get("deep").Get("a").Text(), "[SECRET-REDACTED]")
	})
}

// leaks are texts that the scan refuses.
func leaks() []string {
	list := []string{"https://h.example/x?key=" + "9f8a7b6c", "https://h.example/x?a=1&sig=" + "Zm9vYmFy", "(https://h.example/x?auth=" + "9f8a7b6c)", "https://" + "0123456789abcdef01@github.com/x",
		"send Basic " + "dXNlcjpwYXNzd29yZA== please", "https://o.example/v1?authorization=Bearer%20" + "q7Jx2mVbT0pLz9Kd", "gsk_" + "abcdefGHIJKL0123456789abcd", "xai-" + "abcdefGHIJKL0123456789abcd",
		"SK" + "0123456789abcdef0123456789abcdef", "use the password " + "hunter2hunter2, then go", base64.StdEncoding.EncodeToString([]byte("sk-ant-" + "api03-abcdef0123456789")),
		"a " + base64.RawURLEncoding.EncodeToString([]byte("key: sk-ant-"+"api03-abcdef0123456789?>")) + " b", `{"url":"https:\/\/h.example\/x?key=` + `9f8a7b6c"}`, `{"authorization":"Basic ` + `dXNlcjpwYXNzd29yZA=="}`}
	for _, p := range planted() {
		list = append(list, p.text)
	}
	return list
}

func TestScanAndRedactionAgree(t *testing.T) {
	places := append(everywhere(), "/run_id", "/agent_id", "/variables/password", "/variables/auth/key", "/variables/auth/env_var", "/variables/deep/default", "/variables/api_key/enum/0", "/x-acme/1/token/const")
	for i, text := range leaks() {
		t.Run(fmt.Sprintf("AAIF-12-3 leak %d", i), func(t *testing.T) {
			for _, at := range places {
				agree(t, set(isObjectList(sample(t, "state").Value, at), at, canon.String(text)), at)
			}
		})
	}
	t.Run("AAIF-12-3 whatever the scan refuses is masked", func(t *testing.T) {
		random, pieces := rand.New(rand.NewPCG(1, 2)), leaks()
		for how := range spellings("x") {
			for range 60 {
				at := places[random.IntN(len(places))]
				text := pieces[random.IntN(len(pieces))] + []string{" ", "", ";", `"`, "/", "[SECRET-REDACTED]", "\\"}[random.IntN(7)] + pieces[random.IntN(len(pieces))]
				agree(t, set(isObjectList(sample(t, "state").Value, at), at, canon.String(spellings(text)[how])), how+" "+at)
			}
		}
	})
}

// agree fails where something that the scan refuses is still there once a state is masked, or
// masking it anew changes it.
func agree(t *testing.T, v canon.Value, what string) {
	t.Helper()
	out, _ := leave(t, v, privacy.RedactOptions{})
	if found := privacy.Secrets(aaif.Document{Kind: aaif.StateKind, Value: out}, privacy.SecretOptions{}); len(found) > 0 {
		left, _ := out.At(found[0].Path)
		t.Errorf("%s: %s left: %s", what, show(found), left.Append(nil))
	}
	again, done := leave(t, out, privacy.RedactOptions{})
	if done.Secrets.Total() > 0 {
		t.Errorf("%s: masked again: %s", what, again.Append(nil))
	}
}

func TestLeakIsRefused(t *testing.T) {
	for i, text := range leaks()[:14] {
		t.Run(fmt.Sprintf("AAIF-12-4 leak %d", i), func(t *testing.T) {
			d := sample(t, "agent")
			d.Value = set(d.Value, "/agent/instructions", canon.String(text))
			if found := privacy.Secrets(d, privacy.SecretOptions{}); len(found) != 1 || found[0].Path != "/agent/instructions" {
				t.Errorf("got %s for %s", show(found), text)
			}
		})
	}
}

// Time grows with a state and no faster, whatever its texts are made of.
func TestLeaveIsLinear(t *testing.T) {
	for _, unit := range []string{"%25", "%40", `\u0040`, `\\`, "[", `{"a":`, `"`, "aGVsbG8gd29ybGQh", "a/", "4111 1111 ", "4111111111111111 ", "DE89", "password hunter2 ", "://a?key=", "://a?key=12345678&", "a@b.cd ", "?a=b&", "&#64;", "basic ", "Zebra7", "5a65627261372d717561676761", "--api-key a1b2 ", "-H X-Key: q7Rf", "://a?k=a1B2", "/bot1234567", "dp.pt.a1", "ATATT3", "secret:a1", "a\u200b", `"a"@b.cd`, "0049 30 ", "o'o@b.cd", "a'",
		"&amp;", "&amp;amp;", "Zeb\n ra7", "\r\n", "[a-REDACTED]", "[SECRET-REDACTED]", "-REDACTED]", "password: \"[SECRET-REDACTED]x\" "} {
		text := strings.Repeat(unit, 200_000/len(unit))
		t.Run("AAIF-12-3 "+unit, func(t *testing.T) {
			v := set(sample(t, "state").Value, "/conversation/0/content", canon.String(text))
			began := time.Now()
			leave(t, v, privacy.RedactOptions{PII: aaif.PIIAnonymize, Secrets: []string{"Zebra7-quagga", "hunter2"}})
			privacy.Secrets(aaif.Document{Kind: aaif.StateKind, Value: v}, privacy.SecretOptions{})
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}
