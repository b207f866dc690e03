package privacy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/redact"
)

// whereSaid is where a state may hold what somebody said.
func whereSaid() []string {
	return []string{
		"/conversation/0/content", "/conversation/2/content", "/conversation/3/content", "/memory_snapshot/0/content", "/memory_snapshot/0/key",
		"/pending_tool_calls/0/arguments/receipt_id", "/pending_tool_calls/0/callback_url", "/subagent_states/0/output/deep/n", "/variables/deep/a",
		"/approval_request/trigger_description", "/approval_request/pending_action/arguments/receipt_id", "/approval_request/pending_action/more",
		"/approval_request/approver_hint", "/error/message", "/provenance/captured_by", "/x-acme/1/a", "/_comment", "/pipeline_position/current_step",
	}
}

// filled returns a state with a text at all places, and as the name of a variable.
func filled(t testing.TB, text string) canon.Value {
	v := sample(t, "state").Value
	for _, at := range whereSaid() {
		v = set(v, at, canon.String("see "+text+" there"))
	}
	v = set(v, "/variables/"+strings.ReplaceAll(text, "/", "~1"), canon.Int(1))
	return set(v, "/conversation/2/content", canon.String(`{"to":"`+strings.Replace(text, "a", `\u0061`, 1)+`"}`))
}

func leave(t testing.TB, v canon.Value, o privacy.RedactOptions) (canon.Value, privacy.Redaction) {
	t.Helper()
	out, done, err := privacy.Redact(v, o)
	if err != nil {
		t.Fatal(err)
	}
	return out, done
}

func TestLeavePersons(t *testing.T) {
	for _, person := range []string{"ada@example.org", "+49 30 1234567", "078-05-1120"} {
		v := aaif.WithChecksum(filled(t, person))
		t.Run("AAIF-12-10 anonymize leaves nothing of "+person, func(t *testing.T) {
			out, done := leave(t, v, privacy.RedactOptions{PII: aaif.PIIAnonymize})
			if text := string(out.Append(nil)); strings.Contains(text, person) || strings.Contains(text, strings.Replace(person, "a", `\\u0061`, 1)) {
				t.Errorf("left: %s", text)
			}
			if to := tree(t, out.Get("conversation").Items()[2].Get("content").Text()).Get("to").Text(); !strings.HasPrefix(to, "[") || !strings.HasSuffix(to, "-REDACTED]") {
				t.Errorf("the arguments of the call say %q", to)
			}
			expect(t, done.Persons.Total(), len(whereSaid())+1)
			expect(t, done.Seal, false)
			expect(t, aaif.VerifyChecksum(out), nil)
			v, err := aaif.NewValidator(nil)
			expect(t, err, nil)
			if found := aaif.Errors(v.Validate(aaif.Document{Kind: aaif.StateKind, Value: out})); len(found) > 0 && !strings.Contains(show(found), "more") {
				t.Error(show(found))
			}
		})
		for _, policy := range []aaif.PII{"", aaif.PIIDetect, aaif.PIINone, aaif.PIIEncrypt} {
			t.Run(fmt.Sprintf("AAIF-12-10 %q changes nothing", policy), func(t *testing.T) {
				out, done := leave(t, v, privacy.RedactOptions{PII: policy, AtHome: true})
				same(t, v, out)
				expect(t, done.Seal, policy == aaif.PIIEncrypt)
				expect(t, done.Persons.Total() > 0, policy != aaif.PIINone)
				expect(t, done.Secrets.Total(), 0)
			})
		}
	}
	for _, at := range whereSaid() {
		t.Run("AAIF-12-10 reject finds what stands at "+at, func(t *testing.T) {
			v := set(sample(t, "state").Value, at, canon.String("ada@example.org"))
			_, done, err := privacy.Redact(v, privacy.RedactOptions{PII: aaif.PIIReject})
			if aaif.CodeOf(err) != aaif.PIIRejected || !strings.HasPrefix(at, pathOf(err)) || pathOf(err) == "" {
				t.Errorf("got %v", err)
			}
			expect(t, done.Persons["email"], 1)
		})
	}
	t.Run("AAIF-12-10 reject lets pass what names nobody", func(t *testing.T) {
		v := sample(t, "state").Value
		out, _ := leave(t, v, privacy.RedactOptions{PII: aaif.PIIReject, AtHome: true})
		same(t, v, out)
	})
	t.Run("AAIF-12-10 what ties a state together stays tied", func(t *testing.T) {
		v := sample(t, "state").Value
		for at, id := range map[string]string{"/conversation/2/tool_call_id": "ada@example.org", "/conversation/3/tool_call_id": "ada@example.org", "/pending_tool_calls/0/id": "bob@example.org"} {
			v = set(v, at, canon.String(id))
		}
		out, done := leave(t, v, privacy.RedactOptions{PII: aaif.PIIAnonymize})
		said := aaif.ReadState(out)
		expect(t, said.Conversation[2].CallID, "[EMAIL-REDACTED]")
		expect(t, said.Conversation[3].CallID, "[EMAIL-REDACTED]")
		expect(t, said.Pending[0].ID, "[EMAIL-REDACTED]-2")
		expect(t, done.Persons.Total(), 3)
	})
	t.Run("AAIF-12-10 an id that identifies somebody cannot be replaced", func(t *testing.T) {
		for _, at := range []string{"/state_id", "/agent_id", "/run_id", "/subagent_states/0/agent_id"} {
			for _, policy := range []aaif.PII{aaif.PIIAnonymize, aaif.PIIReject} {
				_, _, err := privacy.Redact(set(sample(t, "state").Value, at, canon.String("ada@example.org")), privacy.RedactOptions{PII: policy})
				expect(t, aaif.CodeOf(err), aaif.PIIRejected)
				expect(t, pathOf(err), at)
			}
		}
	})
	t.Run("AAIF-12-10 escapes hide nobody, in results and in memory", func(t *testing.T) {
		v := sample(t, "state").Value
		for _, at := range []string{"/conversation/3/content", "/memory_snapshot/0/content"} {
			v = set(v, at, canon.String(` [{"to":"\u0061da\u0040example.org"}]`))
		}
		out, done := leave(t, v, privacy.RedactOptions{PII: aaif.PIIAnonymize})
		expect(t, done.Persons["email"], 2)
		expect(t, out.Get("conversation").Items()[3].Get("content").Text(), `[{"to":"[EMAIL-REDACTED]"}]`)
		expect(t, out.Get("memory_snapshot").Items()[0].Get("content").Text(), `[{"to":"[EMAIL-REDACTED]"}]`)
	})
	t.Run("AAIF-8.1-12 arguments in which nothing is found stay as they are spelled", func(t *testing.T) {
		v := set(sample(t, "state").Value, "/conversation/2/content", canon.String(`{ "n" : 1.50, "a" : "\u0061" }`))
		out, _ := leave(t, v, privacy.RedactOptions{PII: aaif.PIIAnonymize})
		expect(t, out.Get("conversation").Items()[2].Get("content").Text(), `{ "n" : 1.50, "a" : "\u0061" }`)
	})
	t.Run("AAIF-8.1-13 keys that become the same are kept apart", func(t *testing.T) {
		v := set(sample(t, "state").Value, "/memory_snapshot", tree(t, `[{"scope":"user","key":"ada@example.org","content":"a"},{"scope":"user","key":"bob@example.org","content":"b"},{"scope":"task","key":"eve@example.org","content":"c"}]`))
		out, _ := leave(t, v, privacy.RedactOptions{PII: aaif.PIIAnonymize})
		var keys []string
		for _, it := range aaif.ReadState(out).Memory {
			keys = append(keys, it.Key)
		}
		expect(t, strings.Join(keys, " "), "[EMAIL-REDACTED] [EMAIL-REDACTED]-2 [EMAIL-REDACTED]")
	})
	t.Run("AAIF-12-10 the operator's own patterns, and what the operator lets stay", func(t *testing.T) {
		v := set(sample(t, "state").Value, "/variables/count", canon.String("ada@example.org"))
		out, _ := leave(t, v, privacy.RedactOptions{PII: aaif.PIIAnonymize, Redactor: redact.Redactor{KeepEmails: true}})
		expect(t, out.Get("variables").Get("count").Text(), "ada@example.org")
	})
}

// What was masked is told by kind, and what nobody can find is told, too.
func TestLeavingWords(t *testing.T) {
	said := func(text string) canon.Value {
		return set(sample(t, "state").Value, "/conversation/1/content", canon.String(text))
	}
	const personal = "I am Ada Lovelace, ada@example.org or bob@example.org, card 4111 1111 1111 1111, account DE89 3704 0044 0532 0130 00"
	t.Run("AAIF-12-10 cards and accounts are masked, names stay and that is said", func(t *testing.T) {
		out, done := leave(t, said(personal), privacy.RedactOptions{PII: aaif.PIIAnonymize})
		text := out.Get("conversation").Items()[1].Get("content").Text()
		expect(t, text, "I am Ada Lovelace, [EMAIL-REDACTED] or [EMAIL-REDACTED], card [CARD-REDACTED], account [IBAN-REDACTED]")
		expect(t, strings.Join(done.Words(), "\n"), "masked: 1 card, 2 email, 1 iban\n"+
			"looked for card, email, iban, phone, ssn; names, addresses and whatever else identifies a person without such a shape are not found, and stay")
	})
	t.Run("AAIF-12-10 where nothing was found", func(t *testing.T) {
		_, done := leave(t, said("I am Ada Lovelace"), privacy.RedactOptions{PII: aaif.PIIAnonymize})
		expect(t, len(done.Words()), 1)
		expect(t, strings.HasPrefix(done.Words()[0], "looked for card, email, iban, phone, ssn; "), true)
	})
	t.Run("AAIF-12-10 secrets, and other policies", func(t *testing.T) {
		_, done := leave(t, said("AKIAIOSFODNN7EXAMPLE, ada@example.org"), privacy.RedactOptions{})
		expect(t, strings.Join(done.Words(), "\n"), "masked: 1 secret\nleft in, as the policy is detect: 1 email")
		_, done = leave(t, said("ada@example.org"), privacy.RedactOptions{PII: aaif.PIINone})
		expect(t, len(done.Words()), 0)
	})
	t.Run("AAIF-12-10 reject knows cards", func(t *testing.T) {
		_, _, err := privacy.Redact(said("card 4111 1111 1111 1111"), privacy.RedactOptions{PII: aaif.PIIReject})
		expect(t, aaif.CodeOf(err), aaif.PIIRejected)
	})
	t.Run("AAIF-12-10 what is looked for is what is found", func(t *testing.T) {
		for kind, one := range map[string]string{"card": "4111 1111 1111 1111", "email": "ada@example.org", "iban": "DE89 3704 0044 0532 0130 00", "phone": "+49 30 1234567", "ssn": "078-05-1120"} {
			_, done := leave(t, said("it is "+one), privacy.RedactOptions{PII: aaif.PIIAnonymize})
			expect(t, done.Persons[kind], 1)
			expect(t, slices.Contains(privacy.PersonalKinds(), kind), true)
		}
		expect(t, len(privacy.PersonalKinds()), 5)
	})
}

func TestLeaveSecrets(t *testing.T) {
	const secret = `hunter/2 "a"ä+`
	for _, c := range []struct{ name, text string }{
		{"as it is", secret},
		{"in JSON", `{"k":"hunter/2 \"a\"ä+"}`},
		{"in an address", "https://x.example/?q=hunter%2F2+%22a%22%C3%A4%2B"},
		{"in base64", "aHVudGVyLzIgImEiw6Qr"},
	} {
		t.Run("AAIF-12-3 a value of the environment, "+c.name, func(t *testing.T) {
			v := sample(t, "state").Value
			for _, at := range whereSaid() {
				v = set(v, at, canon.String("> "+c.text+" <"))
			}
			v = set(v, "/variables", v.Get("variables").With(c.text, canon.Int(1)))
			out, done := leave(t, aaif.WithChecksum(v), privacy.RedactOptions{PII: aaif.PIINone, Secrets: []string{"hunter", "", "abc", secret}})
			text := string(out.Append(nil))
			if strings.Contains(text, "hunter") || strings.Contains(text, "aHVudGVy") || strings.Contains(text, "ä") || strings.Contains(text, "%22") {
				t.Errorf("left: %s", text)
			}
			expect(t, done.Secrets["secret"], len(whereSaid())+1)
			expect(t, aaif.VerifyChecksum(out), nil)
		})
	}
	t.Run("AAIF-12-3 what has the shape of a secret goes under every policy", func(t *testing.T) {
		const shaped = "AKIAIOSFODNN7EXAMPLE"
		for _, policy := range []aaif.PII{"", aaif.PIINone, aaif.PIIAnonymize, aaif.PIIEncrypt, aaif.PIIReject} {
			out, done := leave(t, filled(t, shaped), privacy.RedactOptions{PII: policy, Redactor: redact.Redactor{KeepSecrets: true}})
			expect(t, strings.Contains(string(out.Append(nil)), shaped), false)
			expect(t, done.Secrets["secret"] >= len(whereSaid()), true)
		}
	})
	t.Run("AAIF-12-3 a member whose name says that it is a secret", func(t *testing.T) {
		v := set(sample(t, "state").Value, "/variables", tree(t, `{"password":"hunter","n":1.50}`))
		out, _ := leave(t, v, privacy.RedactOptions{})
		expect(t, string(out.Get("variables").Append(nil)), `{"password":"[SECRET-REDACTED]","n":1.50}`)
	})
	t.Run("AAIF-12-3 the token of a state kept at home is no secret, and none leaves", func(t *testing.T) {
		v := sample(t, "state").Value
		home, _ := leave(t, v, privacy.RedactOptions{AtHome: true})
		same(t, v, home)
		away, _ := leave(t, v, privacy.RedactOptions{})
		expect(t, away.Get("provenance").Has("migration_token"), false)
	})
}

func TestLeaveTrace(t *testing.T) {
	v := aaif.WithChecksum(sample(t, "failed-state").Value)
	t.Run("AAIF-12-18 no stack trace leaves, and the checksum is of what does", func(t *testing.T) {
		out, _ := leave(t, v, privacy.RedactOptions{})
		expect(t, out.Get("error").Has("stack_trace"), false)
		expect(t, aaif.VerifyChecksum(out), nil)
	})
	t.Run("AAIF-12-18 at home it stays", func(t *testing.T) {
		out, _ := leave(t, v, privacy.RedactOptions{AtHome: true})
		same(t, v, out)
	})
	t.Run("AAIF-12-18 a state without a checksum gets none", func(t *testing.T) {
		out, _ := leave(t, sample(t, "failed-state").Value, privacy.RedactOptions{})
		expect(t, out.Has("provenance"), false)
	})
}
