package engram_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
)

// asciiEscaped is the canonical form with everything beyond ASCII escaped, as a naive
// issuer would have it.
func asciiEscaped(v canon.Value) []byte {
	var out strings.Builder
	for _, r := range string(v.AppendCanonical(nil)) {
		if r < 0x80 {
			out.WriteRune(r)
			continue
		}
		s := strconv.QuoteRuneToASCII(r)
		out.WriteString(s[1 : len(s)-1])
	}
	return []byte(out.String())
}

func TestForms(t *testing.T) {
	v := tree(t, sample)
	spelled := func(v canon.Value) []byte { // sorted by hand: the sample's members are few
		out := string(v.AppendCanonical(nil))
		out = strings.Replace(out, `"confidence":0.9,`, `"confidence":0.90,`, 1)
		return []byte(strings.Replace(out, `"confidence":1,`, `"confidence":1.0,`, 1))
	}
	for name, c := range map[string]struct {
		form func(canon.Value) []byte
		want engram.Reason
	}{
		"as RFC 8785 has it": {jcs, ""}, "as received": {spelled, ""}, "escaped": {asciiEscaped, engram.BadSignature},
	} {
		t.Run("ENGRAM-3.8-6 numbers and letters "+name, func(t *testing.T) {
			if got := reason(t, resigned(t, v, c.form), expected(t)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	t.Run("ENGRAM-3.8-8 members may be moved and spaced", func(t *testing.T) {
		signed := tree(t, string(resigned(t, v, jcs)))
		sig := signed.Get("signature")
		moved := canon.Object(canon.Member{Name: "signature", Value: sig}).AppendIndent(nil, "  ")
		rest := signed.Without("signature").AppendIndent(nil, "\t")
		raw := string(moved[:len(moved)-2]) + ",\n" + string(rest[1:])
		if got := reason(t, []byte(raw), expected(t)); got != "" {
			t.Errorf("%s: %s", got, raw)
		}
	})
	t.Run("ENGRAM-3.8-4 letters are signed as they are", func(t *testing.T) {
		w := view(t)
		w.Beliefs[0].Text, w.Beliefs[0].Value = "a<b>&—\u2028\U0001F600", canon.Value{}
		raw, err := signer(t).Issue(w, noon(t))
		if err != nil || !strings.Contains(string(raw), `"value":"a<b>&—`+"\u2028\U0001F600"+`"`) {
			t.Errorf("got %s, %v", raw, err)
		}
	})
	t.Run("ENGRAM-3.8-30 strings are not normalised", func(t *testing.T) {
		for _, text := range []string{"e\u0301", "\u00e9"} {
			w := view(t)
			w.Identity.Bio = text
			raw, err := signer(t).Issue(w, noon(t))
			if err != nil || reason(t, raw, expected(t)) != "" || !strings.Contains(string(raw), `"bio":"`+text+`"`) {
				t.Errorf("%q: %s, %v", text, raw, err)
			}
		}
	})
	t.Run("ENGRAM-3.8-29 names are sorted by UTF-16", func(t *testing.T) {
		w := v.With("\uFB33", canon.Int(1)).With("\U0001F600", canon.Number(2))
		byUnits := func(v canon.Value) []byte {
			plain := v.Without("\uFB33").Without("\U0001F600").AppendCanonical(nil)
			return append(plain[:len(plain)-1], (",\"\U0001F600\":2,\"\uFB33\":1}")...)
		}
		if got := reason(t, resigned(t, w, byUnits), expected(t)); got != "" {
			t.Error(got)
		}
	})
	t.Run("ENGRAM-3.2-25 unknown members are signed, too", func(t *testing.T) {
		raw := resigned(t, v.With("consents", canon.Array()), jcs)
		if got := reason(t, raw, expected(t)); got != "" {
			t.Error(got)
		}
		if got := reason(t, tree(t, string(raw)).Without("consents").Append(nil), expected(t)); got != engram.BadSignature {
			t.Errorf("got %q", got)
		}
	})
}

// leaves calls back with every scalar under v, by pointer.
func leaves(v canon.Value, pointer string, visit func(pointer string, v canon.Value)) {
	for i, item := range v.Items() {
		leaves(item, pointer+"/"+strconv.Itoa(i), visit)
	}
	for _, m := range v.Members() {
		leaves(m.Value, pointer+"/"+m.Name, visit)
	}
	if v.Type() != canon.TypeArray && v.Type() != canon.TypeObject {
		visit(pointer, v)
	}
}

func TestTampering(t *testing.T) {
	v := tree(t, string(issued(t)))
	n := 0
	leaves(v, "", func(pointer string, leaf canon.Value) {
		n++
		t.Run("ENGRAM-3.8-15 "+strings.ReplaceAll(pointer, "/", "."), func(t *testing.T) {
			other := `"` + leaf.Text() + `x"`
			if leaf.Type() == canon.TypeNumber {
				other = `0.125`
			}
			for _, raw := range []string{other, ""} {
				if got := reason(t, edited(t, v, pointer, raw).Append(nil), expected(t)); got == "" {
					t.Errorf("taken with %q", raw)
				}
			}
		})
	})
	if n < 50 {
		t.Errorf("only %d leaves", n)
	}
	t.Run("ENGRAM-3.8-2 every member but the signature is signed, known or not", func(t *testing.T) {
		w := tree(t, string(resigned(t, v.With("news", canon.Array(canon.Int(1))).With("scope_definition", canon.Object()), jcs)))
		if got := reason(t, w.Append(nil), expected(t)); got != "" {
			t.Fatalf("refused as it is: %s", got)
		}
		for _, m := range w.Members() {
			if m.Name == "signature" {
				continue
			}
			if got := reason(t, w.Without(m.Name).Append(nil), expected(t)); got == "" {
				t.Errorf("taken without %s", m.Name)
			}
		}
		for _, name := range []string{"news", "scope_definition", "schema", "more"} {
			if got := reason(t, w.With(name, canon.Object(canon.Member{Name: "purpose", Value: canon.String("x")})).Append(nil), expected(t)); got != engram.BadSignature {
				t.Errorf("%s changed: %q", name, got)
			}
		}
	})
}

// publishedForms recomputes the published canonical forms and signatures.
func publishedForms(t *testing.T, raw []byte) {
	v := tree(t, string(raw)).Without("signature")
	jcsForm := v.AppendCanonical(nil)
	lexeme := regexp.MustCompile(`"confidence":0\.8,`).ReplaceAll(jcsForm, []byte(`"confidence":0.80,`))
	lexeme = regexp.MustCompile(`"confidence":1,`).ReplaceAll(lexeme, []byte(`"confidence":1.0,`))
	for _, c := range []struct {
		name, sum, signature string
		form                 []byte
		size                 int
		want                 engram.Reason
	}{
		{"JCS", "30f7c35f8175b5150ef3d965d8540958ad46ce2320db86090539ade04658184d", "B5Mb3qqNiCpJwH6ESPYnDw_AMk1gPiX146Zb6UcN2unYg0vLjPnXY04nB6a6-Gj3ntZ0XSWCOGnaNoI0vkNbDg", jcsForm, 2328, ""},
		{"spelled", "09613343152c12228fef858d14abb0f582a29cc47cea31764f8d7c3d4129c874", "OMDaz9IJF_sNfdoWJ7zqKPH2FT2EO8d-zfSwxvVD3rFswyQPHMGxXbp4JJoOsRvTwjgfswGo_5VYUrcHZlurBA", lexeme, 2331, ""},
		{"escaped", "7cfa9ebec512dfa2a5247542830515bbba2b76389a52831972eabca36eeeea49", "", nil, 2333, engram.BadSignature},
	} {
		t.Run("ENGRAM-3.8-3 the example's form "+c.name, func(t *testing.T) {
			if c.form == nil { // what ASCII-escaping does to the form that keeps 1.0 alone
				c.form = []byte(strings.ReplaceAll(strings.Replace(string(lexeme), "0.80", "0.8", 1), "—", `\u2014`))
				c.signature = base64.RawURLEncoding.EncodeToString(testKey(t).Sign(c.form))
			}
			sum := sha256.Sum256(c.form)
			if got := hex.EncodeToString(sum[:]); got != c.sum || len(c.form) != c.size {
				t.Errorf("got %s of %d bytes", got, len(c.form))
			}
			if got := base64.RawURLEncoding.EncodeToString(testKey(t).Sign(c.form)); got != c.signature {
				t.Errorf("signature %s", got)
			}
			o := engram.VerifyOptions{Issuer: "https://8mem.com", Now: at(t, "2026-04-20T11:00:00Z"),
				Keys: listed(engram.NewKey("key-2026-04", testKey(t).Public(), at(t, "2026-04-01T00:00:00Z")))}
			signed := edited(t, tree(t, string(raw)), "/signature", `"`+c.signature+`"`).Append(nil)
			if got := reason(t, signed, o); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
