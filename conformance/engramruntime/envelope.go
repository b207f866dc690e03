package engramruntime

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

const day = 24 * time.Hour

// envelopeChecks covers sections 3.2 to 3.9, apart from signatures.
func envelopeChecks() []check {
	return []check{
		{"ENGRAM-3.2-3", Full, refuses(
			tried{"a context of an hour from now", scene{before: with("issued_at", func(p *play) canon.Value { return p.at(time.Hour) })}},
			tried{"a context of yesterday, in that word", scene{before: set("issued_at", canon.String("yesterday"))}})},
		{"ENGRAM-3.2-24", Full, refuses(
			tried{"a value that is said twice", scene{bytes: func(p *play, raw []byte) []byte {
				value := []byte(`"value":"` + p.value("mail_style") + `"`)
				return bytes.Replace(raw, value, append([]byte(`"value":"`+p.value("other")+`",`), value...), 1)
			}}},
			tried{"a kid that is said twice", scene{bytes: func(_ *play, raw []byte) []byte {
				return append([]byte(`{"kid":"`+current+`",`), raw[1:]...)
			}}})},
		{"ENGRAM-3.2-25", Full, func(r *run) error {
			return conformance.First(
				uses(tried{"members that nobody knows", scene{before: unknown}})(r),
				refuses(tried{"without a member that was signed", scene{before: unknown, after: unset("x_note")}})(r))
		}},
		{"ENGRAM-3.4-16", Full, uses(tried{"a tombstone of three members", scene{before: believing(func(p *play) []canon.Value {
			return []canon.Value{p.belief("mail_style"), object(
				"id", canon.String(engram.IDFrom(p.mark, "gone")), "status", canon.String(string(engram.Deleted)), "deleted_at", p.at(-time.Hour))}
		})}})},
		{"ENGRAM-3.4-22", Full, uses(tried{"a belief that is a day overdue, less 0.1 still certain enough", stale(91*day+time.Hour, 0.65)})},
		{"ENGRAM-3.4-24", Full, uses(tried{"a belief that is not overdue", stale(89*day, 0.55)})},
		{"ENGRAM-3.7-8", Full, refuses(tried{"a grant that ended, in a context that has not", scene{before: defined(func(p *play) canon.Value {
			return object("included_categories", categories(), "valid_until", p.at(-time.Hour))
		})}})},
		{"ENGRAM-3.7-22", Full, addressed},
		{"ENGRAM-3.9-DISC-6", Full, discovered},
	}
}

// unknown adds members that no version defines.
func unknown(p *play, v canon.Value) canon.Value {
	more := func(v canon.Value) canon.Value { return v.With("x_note", object("of", canon.String("nobody"))) }
	return more(v.With("identity", more(v.Get("identity"))).With("issuer", more(v.Get("issuer"))).
		With("beliefs", canon.Array(more(p.belief("mail_style")))))
}

// stale returns a store with a belief that was confirmed some time ago and stays fresh for
// 90 days.
func stale(ago time.Duration, confidence float64) scene {
	return scene{before: believing(func(p *play) []canon.Value {
		return []canon.Value{p.belief("mail_style").With("confidence", canon.Number(confidence)).
			With("last_confirmed", p.at(-ago)).With("stale_after_days", canon.Int(90))}
	})}
}

func categories() canon.Value {
	return canon.Array(canon.String(string(engram.Communication)))
}

// defined narrows the scope.
func defined(definition func(*play) canon.Value) edit {
	return func(p *play, v canon.Value) canon.Value {
		return v.With("scope", canon.String(string(engram.Custom))).With("scope_definition", definition(p))
	}
}

// addressed issues contexts to this runtime and to another one.
func addressed(r *run) error {
	if !r.Audience {
		return &conformance.Skipped{Outcome: conformance.NotApplicable, Reason: "the runtime is not told its own URI: give {audience} among its arguments"}
	}
	to := func(uri func(*play) string) scene {
		return scene{before: defined(func(p *play) canon.Value {
			return object("included_categories", categories(), "issued_to", canon.String(uri(p)))
		})}
	}
	return conformance.First(
		uses(tried{"a context for this runtime", to(func(p *play) string { return p.audience() })})(r),
		refuses(tried{"a context for another runtime", to(func(*play) string { return "urn:conformance:another" })})(r))
}

// discovered serves the context at another path, if the runtime asks for paths.
func discovered(r *run) error {
	if r.first.count(engram.DiscoveryPath) == 0 {
		return &conformance.Skipped{Outcome: conformance.NotApplicable, Reason: "the runtime goes by the standard paths"}
	}
	const path = "/memory/v1/context"
	p, err := r.play(scene{answer: func(p *play, w http.ResponseWriter, q *http.Request) bool {
		switch {
		case q.URL.Path == engram.DiscoveryPath:
			write(w, fmt.Appendf(nil, `{"engram_version":"0.1","endpoints":{"context":%q}}`, path))
		case q.URL.Path == path && strings.HasSuffix(q.Header.Get("Authorization"), p.token):
			write(w, p.context)
		case q.URL.Path == contextPath:
			w.WriteHeader(http.StatusNotFound)
		default:
			return false
		}
		return true
	}})
	if err != nil {
		return err
	}
	return p.used(p.value("mail_style"))
}
