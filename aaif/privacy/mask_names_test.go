package privacy_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
)

// crowds are parts of a state in which many names become the same token.
func crowds(n int) map[string]canon.Value {
	var names, secrets []canon.Member
	var calls, keys []canon.Value
	for i := range n {
		mail := canon.String(fmt.Sprintf("a%d@b.cc", i))
		names = append(names, canon.Member{Name: mail.Text(), Value: canon.Int(1)})
		secrets = append(secrets, canon.Member{Name: fmt.Sprintf("ghp_"+"aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1x%05d", i), Value: canon.Int(1)})
		calls = append(calls, canon.Object(canon.Member{Name: "role", Value: canon.String("tool")}, canon.Member{Name: "tool_call_id", Value: mail}))
		keys = append(keys, canon.Object(canon.Member{Name: "scope", Value: canon.String("task")}, canon.Member{Name: "key", Value: mail}))
	}
	return map[string]canon.Value{"variables": canon.Object(names...), "x-acme": canon.Object(secrets...), "conversation": canon.Array(calls...), "memory_snapshot": canon.Array(keys...)}
}

// Work and room grow with how many names become the same, and no faster: each name that is
// tried is a text of its own, so that what is allocated counts them.
func TestLeaveManyNamesIsLinear(t *testing.T) {
	const few, many = 2_000, 8_000
	fewer, more := crowds(few), crowds(many)
	for at := range more {
		t.Run("AAIF-12-10 "+at, func(t *testing.T) {
			least, most := leaveCrowd(t, at, fewer[at], few), leaveCrowd(t, at, more[at], many)
			if most > 2*many/few*least {
				t.Errorf("%v allocations for %d names, and %v for %d", least, few, most, many)
			}
		})
	}
}

// leaveCrowd lets n names leave that become the same, and returns what that allocates.
func leaveCrowd(t *testing.T, at string, part canon.Value, n int) float64 {
	t.Helper()
	v := sample(t, "state").Value.With(at, part)
	var out canon.Value
	var done privacy.Redaction
	allocated := testing.AllocsPerRun(1, func() {
		out, done = leave(t, v, privacy.RedactOptions{PII: aaif.PIIAnonymize, Secrets: []string{"Zebra7-quagga"}})
	})
	expect(t, done.Persons.Total()+done.Secrets.Total(), n)
	if length := len(out.Get(at).Append(nil)); length > n*90 {
		t.Errorf("%d bytes", length)
	}
	expect(t, len(apart(out.Get(at))), n)
	return allocated
}

// apart returns the names of a part of a state by which others are told from each other.
func apart(part canon.Value) map[string]bool {
	names := map[string]bool{}
	for _, m := range part.Members() {
		names[m.Name] = true
	}
	for _, it := range part.Items() {
		names[it.Get("tool_call_id").Text()+it.Get("key").Text()] = true
	}
	return names
}

func TestLeaveNames(t *testing.T) {
	t.Run("AAIF-12-10 names that become the same are numbered, past those that there are", func(t *testing.T) {
		v := set(sample(t, "state").Value, "/variables", tree(t, `{"[EMAIL-REDACTED]-2":1,"ada@example.org":2,"bob@example.org":3,"eve@example.org":4,"[EMAIL-REDACTED]-4":5}`))
		out, _ := leave(t, v, privacy.RedactOptions{PII: aaif.PIIAnonymize})
		expect(t, string(out.Get("variables").Append(nil)), `{"[EMAIL-REDACTED]-2":1,"[EMAIL-REDACTED]":2,"[EMAIL-REDACTED]-3":3,"[EMAIL-REDACTED]-5":4,"[EMAIL-REDACTED]-4":5}`)
		again, _ := leave(t, out, privacy.RedactOptions{PII: aaif.PIIAnonymize})
		same(t, out, again)
	})
	t.Run("AAIF-12-10 a call whose id was masked before is told from one whose id is now", func(t *testing.T) {
		v := set(sample(t, "state").Value, "/conversation", tree(t, `[{"role":"tool","tool_call_id":"ada@example.org"},{"role":"tool","tool_call_id":"[EMAIL-REDACTED]"},{"role":"tool","tool_call_id":"ada@example.org"}]`))
		out, _ := leave(t, v, privacy.RedactOptions{PII: aaif.PIIAnonymize})
		expect(t, string(out.Get("conversation").Append(nil)), `[{"role":"tool","tool_call_id":"[EMAIL-REDACTED]-2"},{"role":"tool","tool_call_id":"[EMAIL-REDACTED]"},{"role":"tool","tool_call_id":"[EMAIL-REDACTED]-2"}]`)
	})
	t.Run("AAIF-4-1 what would be longer than a state may be does not leave", func(t *testing.T) {
		v := set(sample(t, "state").Value, "/variables/many", canon.String(strings.Repeat("a@b.cd ", aaif.MaxState/len("[EMAIL-REDACTED] ")))) // as long as a state may be, once it is masked
		if _, _, err := privacy.Redact(v, privacy.RedactOptions{PII: aaif.PIIAnonymize}); aaif.CodeOf(err) != aaif.TooLarge {
			t.Errorf("got %v", err)
		}
		if _, _, err := privacy.Redact(v, privacy.RedactOptions{PII: aaif.PIIDetect}); err != nil {
			t.Errorf("got %v", err)
		}
	})
	t.Run("AAIF-4-1 a name stays as short as names may be", func(t *testing.T) {
		v := set(sample(t, "state").Value, "/variables", canon.Object(canon.Member{Name: strings.Repeat("a@b.cd ", 140), Value: canon.Int(1)}))
		out, _ := leave(t, v, privacy.RedactOptions{PII: aaif.PIIAnonymize})
		expect(t, string(out.Get("variables").Append(nil)), `{"[FIELD-REDACTED]":1}`)
	})
	for i, name := range []string{"x-ada@example.org +49 30 1234567", "ada@example.org", "x-+49 30 1234567"} {
		t.Run("AAIF-12-10 reject finds the name of a member at the root "+strconv.Itoa(i), func(t *testing.T) {
			v := sample(t, "state").Value.With(name, canon.Int(1))
			if _, done, err := privacy.Redact(v, privacy.RedactOptions{PII: aaif.PIIReject}); aaif.CodeOf(err) != aaif.PIIRejected || strings.Contains(err.Error(), name) || done.Persons.Total() == 0 {
				t.Errorf("got %v", err)
			}
			out, _ := leave(t, v, privacy.RedactOptions{PII: aaif.PIIAnonymize})
			expect(t, out.Has(name), false)
		})
	}
}
