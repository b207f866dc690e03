package engramruntime

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
)

// keyChecks covers which key verifies a context, and where the key may come from (section
// 3.8).
func keyChecks() []check {
	kid := func(name string, value canon.Value) tried { return tried{name, scene{before: set("kid", value)}} }
	return []check{
		{"ENGRAM-3.2-11", Full, refuses(tried{"the kid of another key of the issuer", scene{signer: previous}})},
		{"ENGRAM-3.8-9", Full, refuses(tried{"without a kid", scene{before: unset("kid")}})},
		{"ENGRAM-3.8-10", Full, func(r *run) error {
			if r.first.count(engram.KeysPath) == 0 {
				return errors.New("it does not ask for the keys of the issuer")
			}
			p, err := r.play(scene{before: in("issuer", with("url", func(p *play) canon.Value { return canon.String(p.base + "/") }))})
			if err != nil {
				return err
			}
			for _, q := range p.requests() {
				if strings.HasPrefix(q.path, "//") {
					return fmt.Errorf("it asks for %s", q.path)
				}
			}
			return nil
		}},
		{"ENGRAM-3.8-11", Full, refuses(kid("a kid that is not listed", canon.String("key-unheard-of")))},
		{"ENGRAM-3.8-25", Full, func(r *run) error {
			p, err := r.play(kid("", canon.String("key-unheard-of")).scene)
			if err != nil {
				return err
			}
			if n := p.count(engram.KeysPath); n > 2 {
				return fmt.Errorf("it asks %d times for keys", n)
			}
			return p.refused()
		}},
		{"ENGRAM-3.8-21", Full, uses(tried{"the key before the current one", scene{signer: previous, before: set("kid", canon.String(previous))}})},
		{"ENGRAM-3.8-22", Full, refuses(tried{"a key that is not listed any more", scene{
			signer: previous, before: set("kid", canon.String(previous)), keys: func(p *play) []engram.Key { return []engram.Key{p.key(current)} },
		}})},
		{"ENGRAM-3.8-23", Full, refuses(kid("an empty kid", canon.String("")), kid("a kid that is null", canon.Null()))},
		{"ENGRAM-3.8-24", Full, refuses(
			listing("a key of another algorithm", "alg", func(*play) canon.Value { return canon.String("RS256") }),
			listing("a key for another use", "use", func(*play) canon.Value { return canon.String("enc") }),
			listing("a key that has expired", "expires_at", func(p *play) canon.Value { return p.at(-time.Hour) }),
			listing("a key that was made later", "created_at", func(p *play) canon.Value { return p.at(time.Hour) }))},
		{"ENGRAM-3.8-26", Full, refuses(
			tried{"an issuer of another address, with its own keys", scene{
				signer: foreign, theirs: attacker, before: in("issuer", with("url", func(p *play) canon.Value { return canon.String(p.elsewhere) })),
			}},
			tried{"a context that comes from elsewhere", scene{answer: sentOn(contextPath)}},
			tried{"a list of keys that comes from elsewhere", scene{answer: sentOn(engram.KeysPath)}})},
	}
}

// listing changes a member of every listed key.
func listing(name, member string, value func(*play) canon.Value) tried {
	return tried{name, scene{list: func(p *play, v canon.Value) []byte {
		var items []canon.Value
		for _, k := range v.Get("keys").Items() {
			items = append(items, k.With(member, value(p)))
		}
		return v.With("keys", canon.Array(items...)).Append(nil)
	}}}
}

// attacker lists the signing key under the kid of the issuer.
func attacker(p *play) []engram.Key {
	k := p.key(foreign)
	k.Kid = current
	return []engram.Key{k}
}
