package audit

import (
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// layout is the version of the JSON form of entries.
const layout = 1

// encode returns the canonical form of an entry.
func (e Entry) encode() ([]byte, error) {
	e, err := e.limit()
	if err != nil {
		return nil, err
	}
	v := canon.Object(
		canon.Member{Name: "v", Value: canon.Int(layout)},
		canon.Member{Name: "at", Value: canon.String(formatTime(e.At))},
		canon.Member{Name: "act", Value: canon.String(string(e.Act))},
	)
	text := func(name, value string) {
		if value != "" {
			v = v.With(name, canon.String(value))
		}
	}
	number := func(name string, value int64) {
		if value != 0 {
			v = v.With(name, canon.Int(value))
		}
	}
	text("who", e.Who)
	text("via", e.Via)
	number("count", int64(e.Count))
	text("reason", e.Reason)
	text("result", e.Result)
	text("format", e.Format)
	number("import", e.Import)
	text("producer", e.Producer)
	text("checksum", e.Checksum)
	text("signature", e.Signature)
	text("token", e.Token)
	text("project", e.Project)
	text("agent", e.Agent)
	text("visibility", string(e.Visibility))
	if !e.Until.IsZero() {
		text("until", formatTime(e.Until))
	}
	v = withList(withList(withList(v, "records", e.Records), "verbs", e.Verbs), "needs", e.Needs)
	data := v.AppendCanonical(nil)
	if len(data) > maxEntry {
		return nil, &memory.Error{Kind: memory.Internal, Op: "audit", Message: fmt.Sprintf("an entry is longer than %d bytes", maxEntry)}
	}
	return data, nil
}

func withList[S ~string](v canon.Value, name string, list []S) canon.Value {
	items := make([]canon.Value, 0, len(list))
	for _, s := range list {
		if s != "" {
			items = append(items, canon.String(string(s)))
		}
	}
	if len(items) == 0 {
		return v
	}
	return v.With(name, canon.Array(items...))
}

// decode reads encode's output. It ignores unknown members: a newer release wrote them.
func decode(data []byte) (Entry, error) {
	v, err := canon.Parse(data, canon.Options{Bytes: maxEntry, Depth: 8})
	if err != nil {
		return Entry{}, err
	}
	e := Entry{
		Act: Act(v.Get("act").Text()), Who: v.Get("who").Text(), Via: v.Get("via").Text(),
		Records: list[string](v.Get("records")), Count: int(v.Get("count").Float()),
		Reason: v.Get("reason").Text(), Result: v.Get("result").Text(),
		Format: v.Get("format").Text(), Import: int64(v.Get("import").Float()),
		Token: v.Get("token").Text(), Verbs: list[memory.Verb](v.Get("verbs")), Needs: list[string](v.Get("needs")),
		Project: v.Get("project").Text(), Agent: v.Get("agent").Text(),
		Visibility: memory.Visibility(v.Get("visibility").Text()),
		Producer:   v.Get("producer").Text(), Checksum: v.Get("checksum").Text(), Signature: v.Get("signature").Text(),
	}
	if e.At, err = time.Parse(time.RFC3339Nano, v.Get("at").Text()); err != nil || e.Act == "" {
		return Entry{}, fmt.Errorf("an entry without act or time")
	}
	if until := v.Get("until").Text(); until != "" {
		if e.Until, err = time.Parse(time.RFC3339Nano, until); err != nil {
			return Entry{}, fmt.Errorf("until is no time")
		}
	}
	return e, nil
}

func list[S ~string](v canon.Value) (out []S) {
	for _, item := range v.Items() {
		out = append(out, S(item.Text()))
	}
	return out
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// Entries returns at most max entries, beginning with number from. An unreadable entry has
// the act [Unreadable], and a missing one [Missing].
func Entries(r Reader, from int64, max int) ([]Entry, error) {
	raws, err := r.AuditEntries(from, max)
	if err != nil {
		return nil, err
	}
	if len(raws) == 0 {
		return missing(r, from, max)
	}
	out := make([]Entry, len(raws))
	for i, raw := range raws {
		if out[i], err = decode(raw); err != nil {
			out[i] = Entry{Act: Unreadable}
		}
		out[i].Number = from + int64(i)
	}
	return out, nil
}

// missing stands for at most max missing entries from a place on, up to the next existing
// entry or the end.
func missing(r Reader, from int64, max int) ([]Entry, error) {
	size, _, err := r.AuditSize()
	if err != nil {
		return nil, err
	}
	gone, err := gap(r, from, min(size, from+int64(max)))
	out := make([]Entry, len(gone))
	for i := range out {
		out[i] = Entry{Number: from + int64(i), Act: Missing}
	}
	return out, err
}
