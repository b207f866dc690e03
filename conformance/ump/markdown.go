package umpsuite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

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

// projected returns a record of the server as a Markdown file, and the record that a reader
// of the file gets.
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
	defer func() { _ = in.Close() }() // it was open for reading only
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

// survives converts a record of the server to a Markdown file and back.
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

// kept sends a draft, and returns the server's record of it, with every member sent.
func kept(r *run, draft canon.Value) (canon.Value, error) {
	id, _, err := r.put(draft)
	if err != nil {
		return canon.Value{}, err
	}
	v, err := r.get(id)
	return v, first(err, carries(draft, v, "the record"))
}

// carries compares a record with the sent one: the server may add members, and write times
// in another form.
func carries(sent, v canon.Value, at string) error {
	if sent.Type() == canon.TypeObject {
		for _, m := range sent.Members() {
			if err := carries(m.Value, v.Get(m.Name), at+"."+m.Name); err != nil {
				return err
			}
		}
		return nil
	}
	one, bad := time.Parse(time.RFC3339, sent.Text())
	two, err := time.Parse(time.RFC3339, v.Text())
	if canon.Equal(sent, v) || bad == nil && err == nil && one.Equal(two) {
		return nil
	}
	return fmt.Errorf("%s is not what was sent", at)
}

// returns sends the server a record that went through a Markdown file. The server must
// recognise it as its own.
func returns(r *run, v canon.Value) error {
	_, back, err := projected(v, false)
	if err != nil {
		return err
	}
	id, _, err := r.put(back)
	if err != nil {
		return fmt.Errorf("the server does not take its own record from a Markdown file: %w", err)
	}
	if string(id) != v.Get("id").Text() {
		return errors.New("the server takes its own record from a Markdown file for another")
	}
	again, err := r.get(id)
	if err == nil && !canon.Equal(again, v) {
		err = errors.New("a record is another after it came from a Markdown file")
	}
	return err
}

func markdownFile(r *run) error {
	draft, _ := r.draft(`{}`)
	v, err := kept(r, draft)
	if err != nil {
		return err
	}
	return survives(v)
}

func textBelow(r *run) error {
	draft, word := r.draft(`{}`)
	id, _, err := r.put(draft)
	if err != nil {
		return err
	}
	v, err := r.get(id)
	if err != nil {
		return err
	}
	file, _, err := projected(v, false)
	if err != nil {
		return err
	}
	front, body, ok := strings.Cut(strings.TrimPrefix(file, "---\n"), "\n---\n")
	if !ok || strings.TrimSpace(body) != draft.Get("body").Get("text").Text() || strings.Contains(front, word) {
		return errors.New("the text that was sent is not what stands below the front matter of the served record")
	}
	return nil
}

// rich returns a draft with every member that a record may have.
func rich(r *run) canon.Value {
	draft, _ := r.draft(`{"kind":"procedural","body":{"structured":{"a":[1,{"b":"---"}]}},"scope":{"agent":"yes","session":"123","user":%q},`+
		`"time":{"valid_from":"2020-01-01T00:00:00+02:00"},"lifecycle":{"confidence":0.5,"salience":1,"decay":"2020-01-01"},`+
		`"relations":[{"type":"about","target":"entity:null"}],"provenance":{"actor":"017","actor_kind":"agent","method":"no","source":{"ref":"1e3"},"evidence":[{"ref":"~","weight":0.25}]},`+
		`"consent":{"retention":"P90Y","exportable":true,"redact":["body.structured.nothing"]}}`, r.other.DID())
	return draft
}

func restAbove(r *run) error {
	draft := rich(r)
	v, err := kept(r, draft)
	if err != nil {
		return err
	}
	file, _, err := projected(v, false)
	if err != nil {
		return err
	}
	front, _, _ := strings.Cut(strings.TrimPrefix(file, "---\n"), "\n---\n")
	for _, m := range slices.Concat(draft.Members(), v.Members()) {
		if m.Name != "body" && !strings.Contains("\n"+front, "\n"+m.Name+":") {
			return fmt.Errorf("the front matter of the served record lacks %s", m.Name)
		}
	}
	return nil
}

func roundTrip(r *run) error {
	drafts := []canon.Value{rich(r)}
	for _, text := range []string{"one\n---\ntwo", "key: value\n- item", " leading and trailing \n\n", "CR\r\nLF", "Zażółć 😀"} {
		draft, _ := r.draft(`{}`)
		drafts = append(drafts, draft.With("body", canon.Object(canon.Member{Name: "text", Value: canon.String(r.word() + text)})))
	}
	for _, draft := range drafts {
		v, err := kept(r, draft)
		if err != nil {
			return err
		}
		if err := survives(v); err != nil {
			return err
		}
		if !v.Has("integrity") {
			continue // a server need not recognise an unsigned record
		}
		if err := returns(r, v); err != nil {
			return err
		}
	}
	return nil
}

func yamlStrings(r *run) error {
	draft := rich(r)
	v, err := kept(r, draft)
	if err != nil {
		return err
	}
	_, back, err := projected(v, false)
	if err != nil {
		return err
	}
	for _, pointer := range []string{"/scope/agent", "/scope/session", "/lifecycle/decay", "/provenance/actor", "/provenance/method", "/provenance/source/ref"} {
		was, _ := draft.At(pointer)
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
	if err := ump.Verify(back.Append(nil)); err != nil {
		return fmt.Errorf("a record of the server's, from a Markdown file: %w", err)
	}
	return returns(r, n.record)
}
