package aaif_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

func TestRead(t *testing.T) {
	t.Run("AAIF-2-1 the kind is told from the content", func(t *testing.T) {
		for name, want := range map[string]aaif.Kind{"agent": aaif.AgentKind, "state": aaif.StateKind, "failed-state": aaif.StateKind, "manifest": aaif.ManifestKind, "report": aaif.ReportKind} {
			if got := sample(t, name).Kind; got != want {
				t.Errorf("%s: got %q", name, got)
			}
		}
		if got := aaif.KindOf(aaif.StandardRegistries()[aaif.Vaults].Value); got != aaif.RegistryKind {
			t.Errorf("got %q for a registry", got)
		}
	})
	t.Run("AAIF-2-1 a hint never overrides the content", func(t *testing.T) {
		d := changed(t, sample(t, "agent"), "/x-sc-schema", `"agent-state.schema.json"`)
		found := validator(t).Validate(d)
		if aaif.KindOf(d.Value) != aaif.AgentKind || len(found) != 1 || aaif.CodeOf(found[0]) != aaif.HintMismatch || !found[0].Warning {
			t.Errorf("got %s", show(found))
		}
		if found := validator(t).Validate(changed(t, d, "/x-sc-schema", `"other-agent.schema.json"`)); len(found) != 1 {
			t.Errorf("got %s", show(found))
		}
		for _, hint := range []string{`"agent.schema.json"`, `"https://schemacommons.org/SC-006/agent.schema.json"`} {
			if found := validator(t).Validate(changed(t, d, "/x-sc-schema", hint)); len(found) != 0 {
				t.Errorf("%s: got %s", hint, show(found))
			}
		}
	})
	cases := []struct {
		id, raw string
		opt     aaif.ReadOptions
		code    aaif.Code
		pointer string
	}{
		{"AAIF-4-23 doubled members", `{"sc_standard":"SC-006","sc_standard":"SC-006","agent":{}}`, aaif.ReadOptions{}, aaif.DuplicateKey, "/sc_standard"},
		{"AAIF-4-1 an array is none", `[]`, aaif.ReadOptions{}, aaif.UnknownType, ""},
		{"AAIF-4-1 nothing is none", ``, aaif.ReadOptions{}, aaif.NotJSON, ""},
		{"AAIF-9-1 broken JSON", `{"agent":`, aaif.ReadOptions{}, aaif.NotJSON, "/agent"},
		{"AAIF-9-1 bytes that are no UTF-8", "{\"agent\":\"\xff\"}", aaif.ReadOptions{}, aaif.NotJSON, "/agent"},
		{"AAIF-4-1 too long", `{"agent":"` + strings.Repeat("a", 100) + `"}`, aaif.ReadOptions{Bytes: 50}, aaif.TooLarge, ""},
		{"AAIF-4-1 too deep", `{"agent":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`, aaif.ReadOptions{}, aaif.TooLarge, "/agent" + strings.Repeat("/0", 63)},
		{"AAIF-4-1 a name too long", `{"agent":{"` + strings.Repeat("a", 1025) + `":1}}`, aaif.ReadOptions{}, aaif.TooLarge, ""},
		{"AAIF-4-1 of too many values", `{"agent":[` + strings.Repeat("1,", 100) + `1]}`, aaif.ReadOptions{Values: 50}, aaif.TooLarge, ""},
	}
	for _, c := range cases {
		t.Run(c.id, func(t *testing.T) {
			_, err := aaif.Read([]byte(c.raw), c.opt)
			if aaif.CodeOf(err) != c.code {
				t.Fatalf("got %v", err)
			}
			if p := pathOf(err); p != c.pointer {
				t.Errorf("got the pointer %q: %v", p, err)
			}
		})
	}
	t.Run("AAIF-9-1 a byte order mark is dropped", func(t *testing.T) {
		if _, err := aaif.Read([]byte("\ufeff"+minimal), aaif.ReadOptions{}); err != nil {
			t.Error(err)
		}
	})
}

func TestMinimalDefinition(t *testing.T) {
	v, d := validator(t), doc(t, minimal)
	t.Run("AAIF-4-2 three members are enough", func(t *testing.T) {
		if found := v.Lint(d); len(found) != 0 {
			t.Errorf("got %s", show(found))
		}
		for _, pointer := range []string{"/sc_standard", "/agent/name", "/agent/goal"} {
			if found := v.Validate(changed(t, d, pointer, "")); len(found) != 1 || found[0].Path != pointer {
				t.Errorf("%s: got %s", pointer, show(found))
			}
		}
	})
	t.Run("AAIF-4-4 the root takes its members", func(t *testing.T) {
		if found := v.Validate(sample(t, "agent")); aaif.HasErrors(found) {
			t.Errorf("got %s", show(found))
		}
	})
	t.Run("AAIF-4-1 any other root is refused", func(t *testing.T) {
		if found := v.Validate(aaif.Document{Kind: aaif.AgentKind, Value: canon.Array()}); len(found) != 1 || found[0].Rule != "AAIF-4-1" {
			t.Errorf("got %s", show(found))
		}
		if found := v.Validate(aaif.Document{}); !aaif.HasErrors(found) {
			t.Error("a document of no kind is valid")
		}
	})
	t.Run("AAIF-U.D-1 a later edition is warned of", func(t *testing.T) {
		for version, warnings := range map[string]int{"3.5.0": 1, "3.4.9": 0, "2.9.0": 0} {
			found := v.Validate(changed(t, d, "/sc_version", `"`+version+`"`))
			if len(found) != warnings || warnings == 1 && (aaif.CodeOf(found[0]) != aaif.VersionNewer || !found[0].Warning) {
				t.Errorf("%s: got %s", version, show(found))
			}
		}
		if found := v.Validate(changed(t, d, "/sc_version", `"4.0.0"`)); aaif.CodeOf(found[0]) != aaif.VersionUnsupported {
			t.Errorf("got %s", show(found))
		}
	})
	t.Run("AAIF-9-6 integers that a signature rounds are warned of", func(t *testing.T) {
		found := v.Validate(changed(t, d, "/x-n", `[9007199254740991,9007199254740993,-9007199254740993]`))
		if len(found) != 2 || aaif.HasErrors(found) || found[0].Path != "/x-n/1" || aaif.CodeOf(found[0]) != aaif.IntegerInexact {
			t.Errorf("got %s", show(found))
		}
	})
	t.Run("AAIF-4-3 every violation is reported, in the order of the document", func(t *testing.T) {
		found := v.Validate(doc(t, `{"agent":{"tools":[{},{"name":"9"}],"name":""},"sc_standard":1,"more":2}`))
		var at []string
		for _, p := range found {
			at = append(at, p.Path)
		}
		want := "/agent/tools/0/description /agent/tools/0/name /agent/tools/1/name /agent/tools/1/description /agent/name /agent/goal /sc_standard /more"
		if got := strings.Join(at, " "); got != want {
			t.Errorf("got %s", got)
		}
	})
	t.Run("AAIF-4-1 what is reported is bounded", func(t *testing.T) {
		items := strings.Repeat("1,", 5000) + "1"
		if found := v.Validate(doc(t, `{"sc_standard":"SC-006","tags":[`+items+`],"agent":{"name":"a","goal":"b"}}`)); len(found) != 1001 {
			t.Errorf("got %d violations", len(found))
		}
	})
}

func TestSchemaFiles(t *testing.T) {
	t.Run("AAIF-4-1 schemas are of 2020-12", func(t *testing.T) {
		files, err := filepath.Glob("schema/*.json")
		if err != nil || len(files) != 5 {
			t.Fatalf("got %v, %v", files, err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			v := tree(t, string(raw))
			if v.Get("$schema").Text() != "https://json-schema.org/draft/2020-12/schema" || !strings.HasPrefix(v.Get("$id").Text(), "https://schemacommons.org/SC-006/") {
				t.Errorf("%s: got %s and %s", file, v.Get("$schema").Text(), v.Get("$id").Text())
			}
		}
		if aaif.Schema("none") != nil {
			t.Error("there is a schema of no kind")
		}
	})
}

// TestReadIsBounded: a document of too many values is refused before it takes a multiple of its
// length as a tree.
func TestReadIsBounded(t *testing.T) {
	const length, most = 4 << 20, 100 << 20
	array := append([]byte{0x9a, 0, 3, 0x0d, 0x40}, make([]byte, 200_000)...)
	for name, raw := range map[string][]byte{
		"numbers":         []byte("[" + strings.Repeat("0,", length/2-2) + "0]"),
		"arrays":          []byte(`{"agent":` + "[" + strings.Repeat("[],", length/3-8) + "0]}"),
		"nested arrays":   []byte("[" + strings.Repeat("[[[[[[[[[[]]]]]]]]]],", length/21-8) + "0]"),
		"quoted brackets": []byte(`["` + strings.Repeat(`\\[,{\"`, length/16) + `",` + strings.Repeat("0,", 200_000) + `0]`),
		"numbers of CBOR": append([]byte{0xa1, 0x61, 'a', 0x94}, bytes.Repeat(array, 20)...),
	} {
		t.Run("AAIF-4-1 "+name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := aaif.Read(raw, aaif.ReadOptions{Bytes: length + 1<<20})
			runtime.ReadMemStats(&after)
			if aaif.CodeOf(err) != aaif.TooLarge {
				t.Errorf("got %v", err)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > most {
				t.Errorf("%d MiB were taken", took>>20)
			}
		})
	}
	t.Run("AAIF-4-1 brackets and commas in texts are none", func(t *testing.T) {
		if _, err := aaif.FromJSON([]byte(`{"a":"`+strings.Repeat(`[,{\"`, 1000)+`\\"}`), aaif.ReadOptions{Values: 2}); err != nil {
			t.Error(err)
		}
	})
}
