package engramruntime

import (
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
)

// signatureChecks covers what a runtime verifies of a context (section 3.8), with any keys.
func signatureChecks() []check {
	altered := func(name string, change edit) tried {
		return tried{"another " + name + " than was signed", scene{after: change}}
	}
	return []check{
		{"ENGRAM-3.8-8", Full, uses(tried{"a context in another order, with line breaks", scene{
			after: turned, bytes: func(_ *play, raw []byte) []byte { return indented(raw) },
		}})},
		{"ENGRAM-3.8-12", Full, refuses(
			tried{"a signature with one bit changed", scene{after: resigned(func(b []byte) []byte { b[7] ^= 1; return b })}},
			tried{"a signature of zeros", scene{after: resigned(func([]byte) []byte { return make([]byte, 64) })}},
			tried{"a signature of somebody else under the kid of the issuer", scene{signer: foreign}})},
		{"ENGRAM-3.8-13", Full, refuses(tried{"a context that ended a second ago", ended(-time.Second)})},
		{"ENGRAM-3.8-14", Full, func(r *run) error {
			p, err := r.play(scene{after: resigned(func(b []byte) []byte { b[20] ^= 1; return b })})
			if err != nil {
				return err
			}
			if err := p.refused(); err != nil {
				return err
			}
			if strings.TrimSpace(p.said.Log) == "" {
				return errors.New("it does not say on the standard error output why")
			}
			return nil
		}},
		{"ENGRAM-3.8-15", Full, refuses(
			altered("value", believing(func(p *play) []canon.Value {
				return []canon.Value{p.belief("mail_style").With("value", canon.String(p.value("other")))}
			})),
			altered("confidence", believing(func(p *play) []canon.Value {
				return []canon.Value{p.belief("mail_style").With("confidence", canon.Number(0.95))}
			})),
			altered("time zone", in("identity", set("timezone", canon.String("Asia/Tokyo")))),
			altered("name of the issuer", in("issuer", set("name", canon.String("Another")))),
			altered("subject", in("subject", set("id", canon.String(engram.IDFrom("another"))))),
			altered("scope", set("scope", canon.String(string(engram.Professional)))),
			altered("schema", set("schema", canon.String("https://elsewhere.example/schema"))))},
		{"ENGRAM-3.8-27", Full, refuses(
			tried{"a signature of 63 bytes", scene{after: resigned(func(b []byte) []byte { return b[:63] })}},
			tried{"a signature with blanks", scene{after: spelled(func(s string) string { return s[:43] + " " + s[43:] })}},
			tried{"a signature in the alphabet with + and /", scene{before: telling, after: spelled(func(s string) string {
				return strings.NewReplacer("-", "+", "_", "/").Replace(s)
			})}})},
		{"ENGRAM-12.6-2", Full, each(noticed,
			tried{"unsigned-v1", scene{after: set("signature", canon.String(engram.Unsigned))}},
			tried{"unsigned-v1 in an object", scene{after: set("signature", object(
				"kid", canon.String(current), "algorithm", canon.String("Ed25519"), "value", canon.String(engram.Unsigned)))}})},
	}
}

// noticed requires the runtime to refuse an unsigned context, or to use it and mention that.
func noticed(p *play) error {
	if p.said.Done && strings.Contains(strings.ToLower(p.said.Log), "unsigned") {
		return nil
	}
	return p.refused()
}

// resigned changes the bytes of the signature.
func resigned(change func([]byte) []byte) edit {
	return spelled(func(s string) string {
		b, _ := base64.RawURLEncoding.DecodeString(s) // this suite made the signature
		return base64.RawURLEncoding.EncodeToString(change(b))
	})
}

// spelled changes the text of the signature.
func spelled(change func(string) string) edit {
	return func(_ *play, v canon.Value) canon.Value {
		return v.With("signature", canon.String(change(v.Get("signature").Text())))
	}
}

// telling adds a member that makes the signature differ between the two alphabets.
func telling(p *play, v canon.Value) canon.Value {
	for n := int64(0); ; n++ {
		v = v.With("x_count", canon.Int(n))
		if strings.ContainsAny(signed(v, p.pairs[current]).Get("signature").Text(), "-_") {
			return v
		}
	}
}

// turned reverses the order of the members.
func turned(_ *play, v canon.Value) canon.Value {
	var back []canon.Member
	for _, m := range v.Members() {
		back = append([]canon.Member{m}, back...)
	}
	return canon.Object(back...)
}

// indented writes JSON with line breaks.
func indented(raw []byte) []byte {
	v, err := canon.Parse(raw, canon.Options{})
	if err != nil {
		return raw
	}
	return v.AppendIndent(nil, "  ")
}
