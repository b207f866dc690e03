package vault

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// one is a writer that holds one row and does what it is told.
type one struct {
	store.Writer
	row  store.Row
	done int
}

func (o *one) Attached(string, string, int64) (store.Attachment, error) {
	return store.Attachment{From: o.row.ID}, nil
}
func (o *one) Holder(memory.ID) (store.Row, error)      { return o.row, nil }
func (o *one) Numbered([]int64) ([]store.Row, error)    { return []store.Row{o.row}, nil }
func (o *one) Replace(store.Row, store.Links) error     { o.done++; return nil }
func (o *one) Reindex(int64, store.Document) error      { o.done++; return nil }
func (o *one) Delete(memory.ID) error                   { o.done++; return nil }
func (o *one) SetLesson(int64, store.Lesson) error      { o.done++; return nil }
func (o *one) SetAlias(string, string, memory.ID) error { o.done++; return nil }
func (o *one) Publish(int64) (int, error)               { o.done++; return 0, nil }
func (o *one) EraseOwner() error                        { o.done++; return nil }
func (o *one) Detach(string, string) error              { o.done++; return nil }
func (o *one) Import(int64) (store.Import, error)       { return store.Import{State: store.Published}, nil }
func (o *one) DetachImport(int64, int) (int, error)     { o.done++; return 0, nil }
func (o *one) AttachAll(list []store.Attachment) ([]int64, error) {
	o.done++
	return make([]int64, len(list)), nil
}
func (o *one) Insert(store.Row, store.Document, store.Links) (int64, error) {
	o.done++
	return 0, nil
}

// TestCareful has every job try everything on a protected record.
func TestCareful(t *testing.T) {
	rule := []byte(`{"ump":"0.1","id":"urn:ump:a","kind":"procedural","body":{"text":"rule"},"scope":{"owner":"did:key:a"},"time":{"created":"2026-01-01T00:00:00Z"}}`)
	tries := map[string]func(store.Writer) error{
		"AIMEM-5.1-3 a new validity": func(w store.Writer) error {
			return w.Replace(store.Row{ID: "urn:ump:a", Origin: rule, Columns: store.Columns{Status: memory.Candidate}}, store.Links{})
		},
		"AIMEM-5.1-2 an empty shell": func(w store.Writer) error {
			return w.Replace(store.Row{ID: "urn:ump:a", Columns: store.Columns{Status: memory.Tombstoned}}, store.Links{})
		},
		"AIMEM-5.1-2 deletion":         func(w store.Writer) error { return w.Delete("urn:ump:a") },
		"AIMEM-5.1-1 a lesson":         func(w store.Writer) error { return w.SetLesson(1, store.Lesson{}) },
		"AIMEM-5.1-5 an emptied index": func(w store.Writer) error { return w.Reindex(1, store.Document{}) },
		"AIMEM-5.1-3 a successor": func(w store.Writer) error {
			_, err := w.Insert(store.Row{Columns: store.Columns{Status: memory.Active}}, store.Document{}, store.Links{})
			return err
		},
		"another name":            func(w store.Writer) error { return w.SetAlias("aimem", "urn:aimem:a:b", "urn:ump:a") },
		"publication":             func(w store.Writer) error { _, err := w.Publish(1); return err },
		"erasure":                 func(w store.Writer) error { return w.EraseOwner() },
		"attachment":              func(w store.Writer) error { _, err := store.Attach(w, store.Attachment{}); return err },
		"detachment":              func(w store.Writer) error { return w.Detach("aimem.edge", "a") },
		"detachment of an import": func(w store.Writer) error { _, err := w.DetachImport(1, 9); return err },
	}
	row := store.Row{ID: "urn:ump:a", Number: 1, Origin: rule, Columns: store.Columns{Status: memory.Active}}
	if rec, err := Decoded(row); err != nil || !aimem.Protected(rec) {
		t.Fatalf("the record is not protected, %v", err)
	}
	for _, j := range backgroundJobs() {
		for name, try := range tries {
			t.Run(name+" by "+j.Name, func(t *testing.T) {
				w := &one{row: row}
				if err := try(&jobWriter{Writer: w, job: j, now: time.Now()}); !errors.Is(err, errProtected) || w.done > 0 {
					t.Errorf("%v, done %d times", err, w.done)
				}
			})
		}
		t.Run("a proposal by "+j.Name, func(t *testing.T) {
			w := &one{row: row}
			_, err := (&jobWriter{Writer: w, job: j}).Insert(store.Row{Columns: store.Columns{Status: memory.Candidate}}, store.Document{}, store.Links{})
			if err != nil || w.done != 1 {
				t.Errorf("%v, done %d times", err, w.done)
			}
		})
	}
	for _, kind := range memory.Kinds() {
		for _, structured := range []string{"", `{"title":"Tea"}`, `{"memory_type":"identity"}`, `{"memory_type":"fact"}`, `{"memory\u005ftype":"identity"}`,
			`{"aimem":{"v":1,"chunk":{"id":"urn:aimem:here:1","content":"","memory_type":"fact","is_pinned":true,"created_at":"2026-04-01T09:30:00Z"}}}`} {
			rec := memory.Record{Kind: kind, Body: memory.Body{Structured: []byte(structured)}}
			if protected(rec) != aimem.Protected(rec) {
				t.Errorf("%s %s: protected says %t", kind, structured, protected(rec))
			}
		}
	}
}

// TestJobsAreCareful reads the sources: whatever acts as the engine and writes does so
// by way of unasked.
func TestJobsAreCareful(t *testing.T) {
	unguarded, guarded := writers(t)
	if len(guarded) == 0 {
		t.Fatal("no job was found")
	}
	for _, name := range unguarded {
		t.Errorf("AIMEM-5.1-1 %s writes with no caller who asked for it, and not by unasked", name)
	}
}

// writers returns the functions without a caller, that are exported or named after
// the engine, which write freely, and those that write as jobs.
func writers(t *testing.T) (unguarded, guarded []string) {
	t.Helper()
	here, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	above, err := filepath.Glob("*/*.go") // the packages that use the kernel
	if err != nil || len(above) == 0 {
		t.Fatalf("no package above the kernel, %v", err)
	}
	for _, file := range append(here, above...) {
		if strings.HasSuffix(file, "_test.go") || filepath.Dir(file) == "vaulttest" {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil || asked(f) {
				continue
			}
			calls := called(f.Body)
			switch {
			case calls["unasked"]:
				guarded = append(guarded, f.Name.Name)
			case (calls["Update"] || calls["lessen"] || calls["Lessen"]) && (f.Name.IsExported() || calls["engine"]):
				unguarded = append(unguarded, f.Name.Name)
			}
		}
	}
	return unguarded, guarded
}

// asked reports whether a function says for whom it works, or is what guards. An
// import holds its caller, what synchronises holds its owner, and whoever shows an owner's secret is let in as the owner.
func asked(f *ast.FuncDecl) bool {
	if slices.Contains([]string{"unasked", "Update", "Lessen"}, f.Name.Name) {
		return true
	}
	if f.Recv != nil {
		if p, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
			if n, ok := p.X.(*ast.Ident); ok && slices.Contains([]string{"ImportRun", "Memory"}, n.Name) {
				return true
			}
		}
	}
	for _, p := range f.Type.Params.List {
		if s, ok := p.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Caller" {
			return true
		}
		if s, ok := p.Type.(*ast.Ident); ok && s.Name == "string" && len(p.Names) > 0 && slices.Contains([]string{"secret", "shown"}, p.Names[0].Name) {
			return true
		}
	}
	return false
}

// called are the names of what a body calls or passes on.
func called(body ast.Node) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			names[n.Sel.Name] = true
		case *ast.Ident:
			names[n.Name] = true
		}
		return true
	})
	return names
}
