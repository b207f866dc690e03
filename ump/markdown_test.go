package ump_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// readAll reads a document to its end.
func readAll(t testing.TB, f codec.Format, src codec.Source, opt codec.Options) ([]memory.Record, []codec.Loss, error) {
	t.Helper()
	r, err := f.Open(src, opt)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	var records []memory.Record
	for {
		record, err := r.Next()
		if err == io.EOF {
			return records, r.Losses(), nil
		}
		if err != nil {
			return records, nil, err
		}
		records = append(records, record)
	}
}

func fileOf(text string) codec.Source {
	return codec.Source{File: strings.NewReader(text), Size: int64(len(text))}
}

// writeAll writes records into a document.
func writeAll(t testing.TB, f codec.Format, opt codec.Options, records ...memory.Record) string {
	t.Helper()
	var out bytes.Buffer
	w, err := f.Create(&out, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestMarkdown(t *testing.T) {
	type vector struct {
		Requirement, Expect, Rule string
		Lines                     []string
		Says                      map[string]string // texts by pointer
		JSON                      map[string]string // other values by pointer, in canonical form
	}
	vectors(t, "markdown", func(t *testing.T, v vector) {
		text := strings.Join(v.Lines, "\n")
		records, _, err := readAll(t, ump.MarkdownFormat(), fileOf(text), codec.Options{})
		if v.Expect != "ok" {
			e, ok := errors.AsType[*codec.ParseError](err)
			if !ok || string(memory.KindOf(err)) != v.Expect || e.Rule != v.Requirement {
				t.Errorf("error is %v, want a ParseError of kind %s for %s", err, v.Expect, v.Requirement)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		form := parse(t, records[0].Origin)
		for pointer, want := range v.Says {
			if got, _ := form.At(pointer); got.Text() != want {
				t.Errorf("%s is %q, want %q", pointer, got.Text(), want)
			}
		}
		for pointer, want := range v.JSON {
			if got, _ := form.At(pointer); string(got.AppendCanonical(nil)) != canonical(t, []byte(want)) {
				t.Errorf("%s is %s, want %s", pointer, got.AppendCanonical(nil), want)
			}
		}
		again := writeAll(t, ump.MarkdownFormat(), codec.Options{}, records[0])
		back, _, err := readAll(t, ump.MarkdownFormat(), fileOf(again), codec.Options{})
		if err != nil || canonical(t, back[0].Origin) != canonical(t, records[0].Origin) {
			t.Errorf("written and read again it is %v (%v):\n%s", back, err, again)
		}
	})
}

// awkward are texts that Markdown or YAML could harm.
var awkward = []string{
	"plain", "two\nlines", "ends with a newline\n", "\n\nbegins with two", "  indented", "trailing  ", "a\r\nb", "a\rb", "\ttab", "a\tb",
	"---", "above\n---\nbelow", "---\nump: \"9\"\n---\n", "...", "# heading\n\n- a\n- b", "key: value", "{\"a\":1}", "null", "true", "0.10", "'", "\"", "\\",
	"nul \x00 bell \x07 del \x7f", "nel \u0085 ls \u2028 ps \u2029 bom \ufeff", "\ufeffbom first", "\u00a0hard space\u00a0", "中文 🤖 e\u0301", "\u202eright to left", "a\n\n\n\nb", " \n ", "\uffff",
}

func TestMarkdownRoundTrip(t *testing.T) {
	for _, text := range awkward {
		for _, asJSON := range []bool{false, true} {
			opt := codec.Options{FrontMatterJSON: asJSON}
			r := mustDecode(t, vaultNote)
			r.Origin, r.Body.Text = nil, text
			r.Scope.Project = text
			r, err := ump.Author(r, ownerKey(t))
			if err != nil {
				t.Fatal(err)
			}
			page := writeAll(t, ump.MarkdownFormat(), opt, r)
			t.Run("UMP-6.3-3 UMP-6.3-5 a signed record survives Markdown and verifies", func(t *testing.T) {
				got, losses, err := readAll(t, ump.MarkdownFormat(), fileOf(page), codec.Options{})
				if err != nil || len(losses) > 0 {
					t.Fatalf("%q: %v, %v\n%s", text, err, losses, page)
				}
				if canonical(t, got[0].Origin) != canonical(t, r.Origin) {
					t.Errorf("%q became %s", text, got[0].Origin)
				}
				if err := ump.Verify(got[0].Origin); err != nil {
					t.Errorf("%q does not verify: %v", text, err)
				}
				if again := writeAll(t, ump.MarkdownFormat(), opt, got[0]); again != page {
					t.Errorf("%q: written again it is\n%s\nnot\n%s", text, again, page)
				}
			})
		}
	}
}

func TestMarkdownAllFields(t *testing.T) {
	form := `{"ump":"0.1","id":"urn:ump:aaaa","kind":"identity","body":{"text":"x","structured":{"a":[1.50,null]},"own":true},` +
		`"scope":{"owner":"did:web:a","user":"u","project":"p","agent":"a","session":"s","visibility":"public"},` +
		`"time":{"created":"2026-06-04T10:00:00.000Z","observed":"2026-06-04T10:00:00Z","valid_from":"2026-06-04T10:00:00+02:00","valid_to":null},` +
		`"lifecycle":{"confidence":1.0,"salience":0,"decay":"none","status":"candidate"},"supersedes":["urn:ump:b"],"superseded_by":[],` +
		`"relations":[{"type":"about","target":"entity:x"}],"provenance":{"actor":"a","actor_kind":"scan","method":"m","source":{"ref":"r","provider":"p"},"evidence":[{"ref":"e","weight":0.5}]},` +
		`"consent":{"retention":"P1Y","exportable":true,"redact":["body.structured.a"]},"weird name: #":{"a":"b"},"@context":"c","null":0}`
	t.Run("UMP-6.3-2 every member is in the front matter", func(t *testing.T) {
		page := writeAll(t, ump.MarkdownFormat(), codec.Options{}, mustDecode(t, form))
		got, _, err := readAll(t, ump.MarkdownFormat(), fileOf(page), codec.Options{})
		if err != nil || canonical(t, got[0].Origin) != canonical(t, []byte(form)) {
			t.Errorf("%v\n%s", err, page)
		}
		front := strings.Split(page, "\n")
		for i, name := range []string{"---", "ump: ", "id: ", "kind: ", "scope: ", "time: ", "lifecycle: ", "supersedes: ", "superseded_by: ", "relations: ", "provenance: ", "consent: ", "body: ", `"weird name: #": `, `"@context": `, `"null": `, "---"} {
			if !strings.HasPrefix(front[i], name) {
				t.Errorf("line %d is %q, want %s…", i, front[i], name)
			}
		}
		if !strings.HasSuffix(page, "\n---\n\nx\n") {
			t.Errorf("the text is not verbatim: %q", page)
		}
	})
	t.Run("UMP-6.3-3 numbers and times keep their spelling", func(t *testing.T) {
		page := writeAll(t, ump.MarkdownFormat(), codec.Options{}, mustDecode(t, form))
		for _, spelled := range []string{`"confidence":1.0`, `10:00:00.000Z`, `[1.50,null]`} {
			if !strings.Contains(page, spelled) {
				t.Errorf("%s is not in\n%s", spelled, page)
			}
		}
	})
}

func TestMarkdownEdited(t *testing.T) {
	r := mustAuthor(t, `{"body":{"text":"Close the gate."},"supersedes":["urn:ump:zzzz"]}`)
	page := strings.Replace(writeAll(t, ump.MarkdownFormat(), codec.Options{}, r), "Close", "Open", 1)
	src := fileOf(page)
	src.Modified = birthTime.Add(48 * time.Hour)
	got, losses, err := readAll(t, ump.MarkdownFormat(), src, codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("UD-28 an edited file is an unsigned revision", func(t *testing.T) {
		d := got[0]
		if d.ID != "" || d.Integrity != nil || len(d.Supersedes) != 1 || d.Supersedes[0] != r.ID || d.Body.Text != "Open the gate." || !d.Time.Created.Equal(src.Modified) {
			t.Errorf("it is taken as %+v", d)
		}
		if len(losses) != 1 || losses[0].ID != r.ID || losses[0].Pointer != "/integrity" {
			t.Errorf("losses are %v", losses)
		}
		if _, err := ump.Author(d, ownerKey(t)); err != nil {
			t.Error(err)
		}
	})
	t.Run("UMP-2.8-5 an edited front matter opens nothing, and validation reports it", func(t *testing.T) {
		for _, visibility := range []string{"shared", "public"} {
			src := fileOf(strings.Replace(writeAll(t, ump.MarkdownFormat(), codec.Options{}, r), `"private"`, `"`+visibility+`"`, 1))
			got, losses, err := readAll(t, ump.MarkdownFormat(), src, codec.Options{})
			if err != nil || len(got) != 1 {
				t.Fatal(err)
			}
			if v, _ := parse(t, got[0].Origin).At("/scope/visibility"); got[0].Scope.Visibility != memory.Private || v.Text() != "private" || got[0].Integrity != nil {
				t.Errorf("%s: it is taken as %s", visibility, got[0].Origin)
			}
			if len(losses) != 2 || losses[1].Pointer != "/scope/visibility" {
				t.Errorf("losses are %v", losses)
			}
			var rules []string
			if err := ump.MarkdownFormat().Validate(src, codec.Options{}, func(e *codec.ParseError) { rules = append(rules, e.Rule) }); err != nil || strings.Join(rules, " ") != "UMP-2.8-1" {
				t.Errorf("%v, %v", rules, err)
			}
		}
	})
	t.Run("UMP-2.8-5 validation reports the edit", func(t *testing.T) {
		var rules []string
		err := ump.MarkdownFormat().Validate(src, codec.Options{}, func(e *codec.ParseError) { rules = append(rules, e.Rule) })
		if err != nil || strings.Join(rules, " ") != "UMP-2.8-1" {
			t.Errorf("%v, %v", rules, err)
		}
	})
}

func TestMarkdownFolder(t *testing.T) {
	one := mustAuthor(t, `{"body":{"text":"one"}}`)
	two := mustAuthor(t, `{"id":"urn:ump:brain:2","body":{"text":"two"}}`)
	tree := fstest.MapFS{"readme.md": {Data: []byte("hello")}, "z/link.ump.md": {Data: []byte("---"), Mode: 1 << 27}}
	for _, r := range []memory.Record{one, two} {
		name, err := ump.FileName(r.ID)
		if err != nil {
			t.Fatal(err)
		}
		tree["notes/"+name] = &fstest.MapFile{Data: []byte(writeAll(t, ump.MarkdownFormat(), codec.Options{}, r))}
	}
	if _, ok := tree["notes/brain%3A2.ump.md"]; !ok {
		t.Errorf("the files are %v", tree)
	}
	src := codec.Source{Name: "vault", Tree: tree}
	t.Run("UMP-4.3-3 a folder of files is one document", func(t *testing.T) {
		got, _, err := readAll(t, ump.MarkdownFormat(), src, codec.Options{})
		if err != nil || len(got) != 2 || got[0].ID != two.ID && got[1].ID != two.ID {
			t.Errorf("%d records, %v", len(got), err)
		}
		if c := ump.MarkdownFormat().Detect(src); c != codec.Certain {
			t.Errorf("confidence is %d", c)
		}
	})
	t.Run("UMP-6.3-1 every broken file of a folder is reported", func(t *testing.T) {
		tree["a.ump.md"] = &fstest.MapFile{Data: []byte("no front matter")}
		tree["b.ump.md"] = &fstest.MapFile{Data: []byte("---\nump: '0.1'\n---\n\nx\n")}
		files := map[string]int{}
		err := ump.MarkdownFormat().Validate(src, codec.Options{}, func(e *codec.ParseError) { files[e.File]++ })
		if err != nil || files["a.ump.md"] != 1 || files["b.ump.md"] < 2 || len(files) != 2 {
			t.Errorf("%v, %v", files, err)
		}
		_, _, err = readAll(t, ump.MarkdownFormat(), src, codec.Options{})
		if e, ok := errors.AsType[*codec.ParseError](err); !ok || e.File != "a.ump.md" {
			t.Errorf("error is %v", err)
		}
	})
}

func TestMarkdownWriter(t *testing.T) {
	r := mustAuthor(t, `{"body":{"text":"one"}}`)
	w, err := ump.MarkdownFormat().Create(io.Discard, codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if w.Close() == nil {
		t.Error("a file without a record is complete")
	}
	if err := w.Write(r); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(r); memory.KindOf(err) != memory.Unsupported {
		t.Errorf("a second record: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if w, err = ump.MarkdownFormat().Create(&failing{after: 10}, codec.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(r); !errors.Is(err, errMedium) {
		t.Errorf("writing to a broken disk: %v", err)
	}
	if err := w.Close(); !errors.Is(err, errMedium) {
		t.Errorf("a file that was not written whole is closed: %v", err)
	}
}

func TestMarkdownDetect(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want codec.Confidence
	}{
		"YAML":                 {sampleNote, codec.Certain},
		"nested YAML":          {"---\nump: '0.1'\nbody: {structured: {a: {b: [1]}}}\n---\n", codec.Certain},
		"lines":                {"---\nump: \"0.1\"\n---\n", codec.Certain},
		"JSON":                 {"---\n{\"ump\": \"0.1\"}\n---\n", codec.Certain},
		"no edition":           {"---\nkind: semantic\nscope: {owner: o}\n---\n", codec.Likely},
		"other front matter":   {"---\ntitle: x\nkind: note\n---\n", codec.No},
		"broken front matter":  {"---\nump: [\n---\n", codec.No},
		"open front matter":    {"---\nump: 1\n", codec.No},
		"a rule and some text": {"---\n\nump: 1\n", codec.No},
	} {
		if got := ump.MarkdownFormat().Detect(fileOf(c.text)); got != c.want {
			t.Errorf("%s: confidence is %d, want %d", name, got, c.want)
		}
	}
	if got := ump.MarkdownFormat().Detect(codec.Source{Tree: fstest.MapFS{"a.md": {Data: []byte(sampleNote)}}}); got != codec.No {
		t.Errorf("a folder without files of the right name is of confidence %d", got)
	}
}

func TestMarkdownDeep(t *testing.T) {
	for _, value := range []string{strings.Repeat("[", 80) + strings.Repeat("]", 80), "!x", strings.Repeat("{a: ", 80) + "1" + strings.Repeat("}", 80)} {
		text := "---\nump: '0.1'\nx: " + value + "\n---\n\ny\n"
		_, _, err := readAll(t, ump.MarkdownFormat(), fileOf(text), codec.Options{})
		if memory.KindOf(err) != memory.InvalidRecord {
			t.Errorf("%s: %v", value, err)
		}
	}
}
