package engramruntime

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/keys"
)

// The kids of the issuer's keys, and of a stranger's key.
const (
	current  = "key-current"
	previous = "key-previous"
	foreign  = "key-foreign"
)

const (
	// caseTime is the longest time that a runtime may take to ask.
	caseTime = 30 * time.Second
	lifetime = 12 * time.Hour
)

// edit changes a context.
type edit func(p *play, v canon.Value) canon.Value

// scene is the behaviour of a store in one case. The zero scene does everything right.
type scene struct {
	start   func(context.Context, Call) (Said, error) // nil: the runtime
	further Call                                      // further arguments of start
	prompt  string                                    // the base prompt
	slash   bool                                      // the store's address ends with a slash
	signer  string                                    // kid of the signing key; empty: current
	before  edit                                      // changes the context before the store signs it
	after   edit                                      // changes the context after the store signs it
	bytes   func(p *play, raw []byte) []byte
	keys    func(p *play) []engram.Key                                 // nil: current and previous
	theirs  func(p *play) []engram.Key                                 // the keys that the other origin lists; nil: the same
	list    func(p *play, v canon.Value) []byte                        // the list of keys in another form
	answer  func(p *play, w http.ResponseWriter, r *http.Request) bool // false: the store answers as usual
}

// prepare makes the store's context and list of keys.
func (p *play) prepare() error {
	v := p.sample()
	if p.before != nil {
		v = p.before(p, v)
	}
	signer := p.signer
	if signer == "" {
		signer = current
	}
	v = signed(v, p.pairs[signer])
	if p.after != nil {
		v = p.after(p, v)
	}
	if p.context = v.Append(nil); p.bytes != nil {
		p.context = p.bytes(p, p.context)
	}
	list := []engram.Key{p.key(previous), p.key(current)}
	if p.scene.keys != nil {
		list = p.scene.keys(p)
	}
	p.list = engram.EncodeKeys(list)
	if p.foreign = p.list; p.theirs != nil {
		p.foreign = engram.EncodeKeys(p.theirs(p))
	}
	if p.scene.list == nil {
		return nil
	}
	read, err := canon.Parse(p.list, canon.Options{})
	if err == nil {
		p.list = p.scene.list(p, read)
	}
	return err
}

// key returns the entry of a good key.
func (r *run) key(kid string) engram.Key {
	return engram.NewKey(kid, r.pairs[kid].Public(), r.began.AddDate(0, -1, 0))
}

// signed signs a context (section 3.8).
func signed(v canon.Value, key keys.Private) canon.Value {
	v = v.Without("signature")
	return v.With("signature", canon.String(base64.RawURLEncoding.EncodeToString(key.Sign(v.AppendCanonical(nil)))))
}

// sample returns the context of a store that does everything right.
func (p *play) sample() canon.Value {
	return object(
		"engram_version", canon.String(engram.Version), "schema", canon.String(engram.SchemaURL),
		"issued_at", p.at(-time.Minute), "expires_at", p.at(lifetime), "kid", canon.String(current),
		"issuer", object("name", canon.String("A run of requirements"), "url", canon.String(p.base)),
		"subject", object("id", canon.String(engram.IDFrom(p.mark))),
		"scope", canon.String(string(engram.Full)),
		"identity", object("display_name", canon.String(p.value("name")), "timezone", canon.String("Europe/Lisbon")),
		"beliefs", canon.Array(p.belief("mail_style"), p.belief("meetings"), p.belief("tides")),
		"evolution", canon.Array(), "corrections", canon.Array(),
	)
}

// belief returns a usable belief about a key.
func (p *play) belief(key string) canon.Value {
	return object(
		"id", canon.String(engram.IDFrom(p.mark, key)), "category", canon.String(string(engram.Communication)), "key", canon.String(key),
		"value", canon.String(p.value(key)), "confidence", canon.Number(0.9), "source", canon.String("user_stated"),
		"status", canon.String(string(engram.Active)), "created_at", p.at(-100*24*time.Hour),
	)
}

// value returns the value for a key, different from that of every other key.
func (r *run) value(key string) string { return "Ebbe – " + key + " " + r.mark }

// text returns the text that a runtime renders for beliefs about keys (section 5).
func (r *run) text(about ...string) string {
	text := fmt.Sprintf("User: %s\nTimezone: Europe/Lisbon\n\nWhat I know about this user:\n", r.value("name"))
	for _, key := range about {
		text += "- " + key + ": " + r.value(key) + "\n"
	}
	return text
}

// at spells a time that is this much later than the start of the run.
func (r *run) at(later time.Duration) canon.Value {
	return canon.String(engram.FormatInstant(r.began.Add(later)))
}

// object makes an object of alternating names and values.
func object(pairs ...any) canon.Value {
	var v []canon.Member
	for i := 0; i+1 < len(pairs); i += 2 {
		name, _ := pairs[i].(string)
		value, _ := pairs[i+1].(canon.Value)
		v = append(v, canon.Member{Name: name, Value: value})
	}
	return canon.Object(v...)
}

// with gives a member of the context another value.
func with(name string, value func(*play) canon.Value) edit {
	return func(p *play, v canon.Value) canon.Value { return v.With(name, value(p)) }
}

// set works as with, for a constant value.
func set(name string, value canon.Value) edit {
	return func(_ *play, v canon.Value) canon.Value { return v.With(name, value) }
}

// unset removes a member.
func unset(name string) edit {
	return func(_ *play, v canon.Value) canon.Value { return v.Without(name) }
}

// in edits an object within the context.
func in(name string, change edit) edit {
	return func(p *play, v canon.Value) canon.Value { return v.With(name, change(p, v.Get(name))) }
}

// believing replaces the beliefs of the context.
func believing(list func(p *play) []canon.Value) edit {
	return with("beliefs", func(p *play) canon.Value { return canon.Array(list(p)...) })
}
