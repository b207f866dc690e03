package trigger

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec/settings"
)

// Switch says which triggers of an agent are on. A definition alone starts nothing, nor does a
// trigger that it got since.
type Switch struct {
	Agent    string
	Since    time.Time // when they were switched on: what was due before starts nothing
	Triggers []string  // the digests of the triggers, see [Digest]
	Folders  []string  // whose files the agent may be started by; absolute paths
}

// Digest identifies a trigger of an agent by all that it says.
func Digest(t aaif.Trigger) string {
	sum := sha256.Sum256(t.Value.AppendCanonical([]byte("satchel trigger 1\x00")))
	return hex.EncodeToString(sum[:16])
}

// On returns the triggers of a definition that are on.
func (s Switch) On(d aaif.Definition) (on []aaif.Trigger) {
	for _, t := range d.Agent.Events.Triggers {
		if slices.Contains(s.Triggers, Digest(t)) {
			on = append(on, t)
		}
	}
	return on
}

// Read reads the table of triggers that are on, as [Write] writes it.
func Read(v canon.Value) ([]Switch, error) {
	t := &settings.Table{Name: "table of triggers", Rule: "AAIF-4-20"}
	t.Only(v, "", "agents")
	var all []Switch
	for at, item := range t.List(v, "agents") {
		t.Only(item, at, "agent", "since", "triggers", "folders")
		s := Switch{Agent: t.Need(item, at, "agent"), Triggers: t.NeedNames(item, at, "triggers"), Folders: t.Texts(item, at, "folders")}
		var err error
		if s.Since, err = time.Parse(time.RFC3339, t.Need(item, at, "since")); err != nil {
			t.Fail(at+"/since", "is no time, such as 2026-11-30T09:00:00Z")
		}
		for _, folder := range s.Folders {
			if !filepath.IsAbs(folder) {
				t.Fail(at+"/folders", "has a path that is not absolute")
			}
		}
		all = append(all, s)
	}
	t.Unique("/agents", len(all), func(i int) string { return all[i].Agent })
	return all, t.Err
}

// Write is the inverse of [Read].
func Write(all []Switch) canon.Value {
	texts := func(list []string) canon.Value {
		var items []canon.Value
		for _, text := range list {
			items = append(items, canon.String(text))
		}
		return canon.Array(items...)
	}
	var items []canon.Value
	for _, s := range all {
		item := canon.Object(member("agent", s.Agent), member("since", s.Since.UTC().Format(time.RFC3339)), canon.Member{Name: "triggers", Value: texts(s.Triggers)})
		if len(s.Folders) > 0 {
			item = item.With("folders", texts(s.Folders))
		}
		items = append(items, item)
	}
	return canon.Object(canon.Member{Name: "agents", Value: canon.Array(items...)})
}

func member(name, text string) canon.Member {
	return canon.Member{Name: name, Value: canon.String(text)}
}
