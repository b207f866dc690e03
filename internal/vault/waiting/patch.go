package waiting

import (
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// holding is the patch that confirms a proposed fact, with another text unless that is
// empty. It keeps the fact's start and source; only the owner's signature is new.
func holding(fact memory.Record, text string) []byte {
	patch := canon.Object(canon.Member{Name: "lifecycle", Value: canon.Object(canon.Member{Name: "status", Value: canon.String(string(memory.Active))})})
	if text != "" {
		patch = patch.With("body", canon.Object(canon.Member{Name: "text", Value: canon.String(text)}))
	}
	form, err := canon.Parse(fact.Form(), canon.Options{})
	if err != nil {
		return patch.Append(nil)
	}
	times := canon.Object()
	for _, name := range []string{"observed", "valid_from", "valid_to"} {
		if t := form.Get("time").Get(name); t.Type() == canon.TypeString {
			times = times.With(name, t)
		}
	}
	if !fact.Time.From().IsZero() && !times.Has("valid_from") {
		times = times.With("valid_from", canon.String(fact.Time.From().UTC().Format(time.RFC3339Nano)))
	}
	patch = patch.With("time", times)
	if said := form.Get("provenance"); said.Type() == canon.TypeObject {
		patch = patch.With("provenance", said)
	}
	return patch.Append(nil)
}
