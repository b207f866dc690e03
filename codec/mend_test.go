package codec_test

import (
	"errors"
	"testing"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// The reader mends only if the options ask for it, and reports every repair.
func TestIntakeMends(t *testing.T) {
	opt := codec.Options{Owner: "did:web:one.example", Mend: true}
	const text = `{"list":[{"a":1,"a":"\ud83d"}],"n":12345678901234567890}`
	in, err := rules.JSONReader(file(text), opt, "F-3")
	if err != nil {
		t.Fatal(err)
	}
	lost := in.Losses()
	for i, want := range []string{"1 " + codec.LostHalves, "1 " + codec.LostNumbers, "1 " + codec.LostDoubles} {
		if len(lost) != 3 || lost[i].Reason != want || !codec.IsMended(lost[i]) || codec.IsLeftOut(lost[i]) {
			t.Fatalf("got %v", lost)
		}
	}
	parts, err := in.Members("F-1")
	if err != nil || len(parts) != 2 {
		t.Fatalf("members %v, %v", parts, err)
	}
	for it, err := range in.Items(parts[0].At, "/list") {
		if got := string(it.Value.Append(nil)); err != nil || got != "{\"a\":\"\ufffd\"}" {
			t.Errorf("got %s, %v", got, err)
		}
	}
	if v, ok, err := in.Short(parts[1].At); err != nil || !ok || v.Text() != "12345678901234567890" {
		t.Errorf("got %v, %v, %v", v, ok, err)
	}
	opt.Mend = false
	if _, err := rules.JSONReader(file(text), opt, "F-3"); !errors.As(err, new(*canon.Error)) {
		t.Errorf("without: %v", err)
	}
}

func TestLeftOut(t *testing.T) {
	p := rules.Violation("F-2", "/3", errors.New("too long"))
	p.File = "a.json"
	l := codec.LeftOut("an element", p)
	if l.Pointer != "a.json /3" || l.Reason != "an element cannot be read, and is left out: too long [F-2]" || !codec.IsLeftOut(l) || codec.IsMended(l) {
		t.Errorf("got %v", l)
	}
}
