package settings_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/codec/settings"
)

func parsed(t *testing.T, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(text), canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTable(t *testing.T) {
	v := parsed(t, `{"text":"x","flag":true,"number":1.5,"texts":["a",""],"hosts":["API.example.","[::1]","*"],"none":[],"list":[{"name":"one"},{"name":"two"}]}`)
	r := settings.Table{Name: "table"}
	r.Only(v, "", "text", "flag", "number", "texts", "hosts", "none", "list")
	type read struct {
		Text, Need, Absent string
		Flag, Unset        bool
		Number, Unsaid     *float64
		Texts, Names       []string
		Hosts, Open, Shut  []string
		List               []string
	}
	number := 1.5
	want := read{"x", "x", "", true, false, &number, nil, []string{"a", ""}, []string{"one"}, []string{"api.example", "::1", "*"}, nil, []string{}, []string{"/list/0 one", "/list/1 two"}}
	got := read{r.Text(v, "", "text"), r.Need(v, "", "text"), r.Text(v, "", "absent"), r.Flag(v, "", "flag"), r.Flag(v, "", "absent"), r.Number(v, "", "number"), r.Number(v, "", "absent"),
		r.Texts(v, "", "texts"), r.NeedNames(parsed(t, `{"names":["one"]}`), "", "names"), r.Hosts(v, "", "hosts", "*"), r.Hosts(v, "", "absent"), r.Hosts(v, "", "none"), nil}
	for at, item := range r.List(v, "list") {
		got.List = append(got.List, at+" "+r.Need(item, at, "name"))
	}
	r.Unique("/list", len(got.List), func(i int) string { return got.List[i] })
	if diff := cmp.Diff(want, got); diff != "" || r.Err != nil {
		t.Errorf("%v\n%s", r.Err, diff)
	}
}

func TestTableRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		text, at string
		read     func(*settings.Table, canon.Value)
	}{
		"no object":              {`[]`, "/x", func(r *settings.Table, v canon.Value) { r.Only(v, "/x") }},
		"an unknown member":      {`{"a/b":1}`, "/x/a~1b", func(r *settings.Table, v canon.Value) { r.Only(v, "/x", "a") }},
		"no list":                {`{"m":{}}`, "/m", func(r *settings.Table, v canon.Value) { r.List(v, "m") }},
		"null instead of a list": {`{"m":null}`, "/m", func(r *settings.Table, v canon.Value) { r.List(v, "m") }},
		"no text":                {`{"m":1}`, "/x/m", func(r *settings.Table, v canon.Value) { r.Text(v, "/x", "m") }},
		"a text is missing":      {`{}`, "/x/m", func(r *settings.Table, v canon.Value) { r.Need(v, "/x", "m") }},
		"an empty text":          {`{"m":""}`, "/x/m", func(r *settings.Table, v canon.Value) { r.Need(v, "/x", "m") }},
		"no flag":                {`{"m":"yes"}`, "/x/m", func(r *settings.Table, v canon.Value) { r.Flag(v, "/x", "m") }},
		"below nothing":          {`{"m":-1}`, "/x/m", func(r *settings.Table, v canon.Value) { r.Number(v, "/x", "m") }},
		"too large":              {`{"m":1e10}`, "/x/m", func(r *settings.Table, v canon.Value) { r.Number(v, "/x", "m") }},
		"no number":              {`{"m":"1"}`, "/x/m", func(r *settings.Table, v canon.Value) { r.Number(v, "/x", "m") }},
		"no texts":               {`{"m":"a"}`, "/x/m", func(r *settings.Table, v canon.Value) { r.Texts(v, "/x", "m") }},
		"a number among texts":   {`{"m":["a",1]}`, "/x/m/1", func(r *settings.Table, v canon.Value) { r.Texts(v, "/x", "m") }},
		"an empty name":          {`{"m":["a",""]}`, "/x/m/1", func(r *settings.Table, v canon.Value) { r.Names(v, "/x", "m") }},
		"no names":               {`{"m":[]}`, "/x/m", func(r *settings.Table, v canon.Value) { r.NeedNames(v, "/x", "m") }},
		"names are missing":      {`{}`, "/x/m", func(r *settings.Table, v canon.Value) { r.NeedNames(v, "/x", "m") }},
		"an address":             {`{"m":["https://a.example/"]}`, "/x/m/0", func(r *settings.Table, v canon.Value) { r.Hosts(v, "/x", "m") }},
		"a port":                 {`{"m":["::1","a.example:443"]}`, "/x/m/1", func(r *settings.Table, v canon.Value) { r.Hosts(v, "/x", "m") }},
		"an empty host":          {`{"m":[""]}`, "/x/m/0", func(r *settings.Table, v canon.Value) { r.Hosts(v, "/x", "m") }},
		"any host":               {`{"m":["*"]}`, "/x/m/0", func(r *settings.Table, v canon.Value) { r.Hosts(v, "/x", "m") }},
		"twice": {`{}`, "/x/2", func(r *settings.Table, v canon.Value) {
			r.Unique("/x", 3, func(i int) string { return "aba"[i : i+1] })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := settings.Table{Name: "table", Rule: "RULE-1"}
			c.read(&r, parsed(t, c.text))
			p, ok := errors.AsType[*codec.ParseError](r.Err)
			if !ok || p.Path != c.at || p.Format != "table" || p.Rule != "RULE-1" {
				t.Errorf("got %v", r.Err)
			}
			if r.Fail("/later", "is wrong as well"); !errors.Is(r.Err, p) {
				t.Errorf("the first error is gone: %v", r.Err)
			}
		})
	}
}
