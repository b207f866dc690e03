package umpsuite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/ump"
)

func markdownChecks() []check {
	return []check{
		{"UMP-6.3-1", textBelow},
		{"UMP-6.3-2", restAbove},
		{"UMP-6.3-3", roundTrip},
		{"UMP-6.3-4", yamlStrings},
		{"UMP-6.3-5", signedTrip},
	}
}

// projected is a record of the server's as a Markdown file, and what a reader
// of the file makes of it.
func projected(v canon.Value, frontMatterJSON bool) (file string, back canon.Value, err error) {
	rec, err := ump.Decode(v.Append(nil), codec.Options{})
	if err != nil {
		return "", back, fmt.Errorf("the record cannot be read: %w", err)
	}
	var out bytes.Buffer
	opt := codec.Options{FrontMatterJSON: frontMatterJSON}
	w, err := ump.MarkdownFormat().Create(&out, opt)
	if err != nil {
		return "", back, err
	}
	if err := first(w.Write(rec), w.Close()); err != nil {
		return "", back, fmt.Errorf("the record has no projection: %w", err)
	}
	in, err := ump.MarkdownFormat().Open(codec.Source{Name: "record.ump.md", File: bytes.NewReader(out.Bytes()), Size: int64(out.Len())}, codec.Options{})
	if err != nil {
		return out.String(), back, err
	}
	defer func() { _ = in.Close() }() // nothing was written
	again, err := in.Next()
	if err != nil {
		return out.String(), back, err
	}
	form, err := ump.Encode(again)
	if err != nil {
		return out.String(), back, err
	}
	if _, err := in.Next(); err != io.EOF {
		return out.String(), back, errors.New("a file holds more than one record")
	}
	back, err = canon.Parse(form, canon.Options{Inexact: true})
	return out.String(), back, err
}

// survives takes a record of the server's through a Markdown file and back.
func survives(v canon.Value) error {
	for _, asJSON := range []bool{false, true} {
		_, back, err := projected(v, asJSON)
		if err != nil {
			return err
		}
		if !canon.Equal(v, back) {
			return errors.New("a record of the server's is another after a trip through Markdown")
		}
	}
	return nil
}

func markdownFile(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	return survives(n.record)
}

func textBelow(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	file, _, err := projected(n.record, false)
	if err != nil {
		return err
	}
	front, body, ok := strings.Cut(strings.TrimPrefix(file, "---\n"), "\n---\n")
	if !ok || strings.TrimSpace(body) != n.record.Get("body").Get("text").Text() || strings.Contains(front, n.word) {
		return errors.New("the text of a record of the server's is not what stands below the front matter")
	}
	return nil
}

// rich is a memory with all that a record can say.
func rich(r *run) (canon.Value, error) {
	n, err := r.noted(`{"kind":"procedural","body":{"structured":{"a":[1,{"b":"---"}]}},"scope":{"agent":"yes","session":"123","user":%q},`+
		`"time":{"valid_from":"2020-01-01T00:00:00+02:00"},"lifecycle":{"confidence":0.5,"salience":1,"decay":"2020-01-01"},`+
		`"relations":[{"type":"about","target":"entity:null"}],"provenance":{"actor":"017","actor_kind":"agent","method":"no","source":{"ref":"1e3"},"evidence":[{"ref":"~","weight":0.25}]},`+
		`"consent":{"retention":"P90Y","exportable":true,"redact":["body.structured.nothing"]}}`, r.other.DID())
	return n.record, err
}

func restAbove(r *run) error {
	v, err := rich(r)
	if err != nil {
		return err
	}
	file, _, err := projected(v, false)
	if err != nil {
		return err
	}
	front, _, _ := strings.Cut(strings.TrimPrefix(file, "---\n"), "\n---\n")
	for _, m := range v.Members() {
		if m.Name != "body" && !strings.Contains("\n"+front, "\n"+m.Name+":") {
			return fmt.Errorf("the front matter lacks %s", m.Name)
		}
	}
	return nil
}

func roundTrip(r *run) error {
	v, err := rich(r)
	if err != nil {
		return err
	}
	if err := survives(v); err != nil {
		return err
	}
	for _, text := range []string{"one\n---\ntwo", "key: value\n- item", " leading and trailing \n\n", "CR\r\nLF", "Zażółć 😀"} {
		draft, _ := r.draft(`{}`)
		id, _, err := r.put(draft.With("body", canon.Object(canon.Member{Name: "text", Value: canon.String(r.word() + text)})))
		if err != nil {
			return err
		}
		got, err := r.get(id)
		if err == nil {
			err = survives(got)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func yamlStrings(r *run) error {
	v, err := rich(r)
	if err != nil {
		return err
	}
	_, back, err := projected(v, false)
	if err != nil {
		return err
	}
	for _, pointer := range []string{"/scope/agent", "/scope/session", "/lifecycle/decay", "/provenance/actor", "/provenance/method", "/provenance/source/ref"} {
		was, _ := v.At(pointer)
		is, _ := back.At(pointer)
		if is.Type() != canon.TypeString || was.Text() != is.Text() {
			return fmt.Errorf("%s is no longer the string it was", pointer)
		}
	}
	return nil
}

func signedTrip(r *run) error {
	n, err := signedPlain(r)
	if err != nil {
		return err
	}
	_, back, err := projected(n.record, false)
	if err != nil {
		return err
	}
	return ump.Verify(back.Append(nil))
}
