package importtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Run runs every vector in dir against the format.
func Run(t *testing.T, format codec.Format, dir string) {
	for _, v := range Load(t, dir) {
		name := strings.TrimSuffix(v.path[strings.LastIndexAny(v.path, `/\`)+1:], ".txtar")
		t.Run(v.header["rule"]+" "+name, func(t *testing.T) { v.run(t, format) })
	}
}

func (v *Vector) run(t *testing.T, format codec.Format) {
	claimed := format.Detect(v.Source) > codec.No
	if want := v.header["detect"] != "no"; claimed != want && v.header["expect"] == "ok" {
		t.Errorf("claims the source: %v, want %v", claimed, want)
	}
	records, losses, err := Check(t, format, v.Source, v.Options)
	if v.header["expect"] != "ok" {
		v.checkRefusal(t, format, err)
		return
	}
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	damage(t, format, v.Source, v.Options)
	v.compare(t, render(t, records, losses))
}

// checkRefusal compares a failure with what the vector expects.
func (v *Vector) checkRefusal(t *testing.T, format codec.Format, err error) {
	t.Helper()
	violation, ok := errors.AsType[*codec.ParseError](err)
	if !ok {
		t.Fatalf("got %v, want a ParseError", err)
	}
	at := strings.TrimSpace(violation.File + " " + violation.Path)
	if at != v.header["at"] || violation.Rule != v.header["rule"] || violation.Format != format.Name {
		t.Errorf("got %s %s at %q, want %s at %q", violation.Format, violation.Rule, at, v.header["rule"], v.header["at"])
	}
	if kind := string(memory.KindOf(err)); kind != v.header["expect"] {
		t.Errorf("kind is %s, want %s", kind, v.header["expect"])
	}
	if strings.Contains(err.Error(), "s3cret") {
		t.Errorf("the message repeats the content of a memory: %v", err)
	}
}

func (v *Vector) compare(t *testing.T, got []byte) {
	t.Helper()
	for i, file := range v.archive.Files {
		if file.Name != "want" {
			continue
		}
		if *update {
			v.archive.Files[i].Data = got
			if err := os.WriteFile(v.path, txtar.Format(v.archive), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		if diff := cmp.Diff(string(file.Data), string(got)); diff != "" {
			t.Errorf("records and losses differ (-want +got):\n%s", diff)
		}
		return
	}
	t.Errorf("%s wants nothing", v.path)
}

// shown is the part of a record that a vector states.
type shown struct {
	Kind       memory.Kind     `json:"kind"`
	Text       string          `json:"text"`
	Created    string          `json:"created"`
	Project    string          `json:"project,omitempty"`
	Relations  []string        `json:"relations,omitempty"`
	Structured json.RawMessage `json:"structured,omitempty"`
	Ref        string          `json:"ref"`
}

func render(t *testing.T, records []memory.Record, losses []codec.Loss) []byte {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	for _, r := range records {
		line := shown{Kind: r.Kind, Text: r.Body.Text, Project: r.Scope.Project, Structured: r.Body.Structured, Ref: r.Provenance.Source.Ref}
		line.Created = r.Time.Created.Format(time.RFC3339Nano)
		for _, rel := range r.Relations {
			line.Relations = append(line.Relations, rel.Type+" "+rel.Target)
		}
		if err := enc.Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	for _, loss := range losses {
		if err := enc.Encode(map[string]string{"loss": loss.Pointer, "reason": loss.Reason}); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// Read reads a whole source.
func Read(format codec.Format, src codec.Source, opt codec.Options) ([]memory.Record, []codec.Loss, error) {
	r, err := format.Open(src, opt)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	var records []memory.Record
	for {
		record, err := r.Next()
		if err == io.EOF {
			return records, r.Losses(), nil
		}
		if err != nil {
			return nil, nil, err
		}
		records = append(records, record)
	}
}
