package canon_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/canon"
)

func TestMend(t *testing.T) {
	for _, test := range []struct {
		input, want string
		mended      canon.Repairs
	}{
		{`{"a":[1,"x"]}`, `{"a":[1,"x"]}`, canon.Repairs{}},
		{`["cut \ud83d", "\ude00", "\ud83d\ude00"]`, "[\"cut \ufffd\",\"\ufffd\",\"😀\"]", canon.Repairs{Strings: 2, First: canon.RepairPlaces{Strings: "/0"}}},
		{"{\"a\xff\":\"\xc3(\"}", "{\"a\ufffd\":\"\ufffd(\"}", canon.Repairs{Strings: 2, First: canon.RepairPlaces{Strings: "/a\ufffd"}}},
		{`{"id":12345678901234567890,"n":1e999,"f":1e20,"ok":9007199254740992}`, `{"id":"12345678901234567890","n":"1e999","f":"1e20","ok":9007199254740992}`, canon.Repairs{Numbers: 3, First: canon.RepairPlaces{Numbers: "/id"}}},
		{`{"a":1,"b":2,"a":{"c":3,"c":4}}`, `{"a":{"c":4},"b":2}`, canon.Repairs{Members: 2, First: canon.RepairPlaces{Members: "/a"}}},
		{"[\"\\ud800\"]\n", "[\"\ufffd\"]", canon.Repairs{Strings: 1, First: canon.RepairPlaces{Strings: "/0"}}},
		{`{"aaaaaaaa":[1,{"b":"x"},{"c":{"d":1,"d":2,"e":1e999}},"\ud800"]}`, `{"aaaaaaaa":[1,{"b":"x"},{"c":{"d":2,"e":"1e999"}},"` + "\ufffd\"]}",
			canon.Repairs{Strings: 1, Numbers: 1, Members: 1, First: canon.RepairPlaces{Strings: "/aaaaaaaa/3", Numbers: "/aaaaaaaa/2/c/e", Members: "/aaaaaaaa/2/c/d"}}},
	} {
		v, mended, err := canon.Mend([]byte(test.input), canon.Options{})
		if err != nil || text(v) != test.want || mended != test.mended {
			t.Errorf("%s: got %s, %+v, %v", test.input, text(v), mended, err)
		}
		if again, err := canon.Parse([]byte(test.input), canon.Options{Mend: true}); err != nil || text(again) != test.want {
			t.Errorf("%s: Parse makes %s of it, %v", test.input, text(again), err)
		}
		large, err := canon.NewText(strings.NewReader(test.input), 0, int64(len(test.input)), canon.Options{Bytes: 24, Mend: true})
		if err == nil {
			err = large.Check()
		}
		if err != nil || large.Repairs() != test.mended {
			t.Errorf("%s: as a large text: %+v, %v", test.input, large.Repairs(), err)
		}
	}
}

func TestMendRefuses(t *testing.T) {
	for _, test := range []struct {
		input string
		kind  canon.Kind
	}{
		{`["\ud800"`, canon.Syntax}, {`["\ud800",]`, canon.Syntax}, {`{"\ud800" 1}`, canon.Syntax}, {`{1:"\ud800"}`, canon.Syntax}, {`["\ud800"}`, canon.Syntax},
		{`["\ud800"] 1`, canon.Syntax}, {`["\ud800", nul]`, canon.Syntax}, {`["\ud800", [[[1]]]]`, canon.TooDeep}, {`"\ud800` + strings.Repeat("x", 90) + `"`, canon.TooLarge},
	} {
		_, _, err := canon.Mend([]byte(test.input), canon.Options{Depth: 3, Bytes: 90})
		if refused, ok := errors.AsType[*canon.Error](err); !ok || refused.Kind != test.kind {
			t.Errorf("%s: %v", test.input, err)
		}
	}
}

// TestMembersMended looks for the last of doubled members in an object that is too large to
// hold.
func TestMembersMended(t *testing.T) {
	input := `{"a":[1,1,1,1,1],"\ud800":2,"a":[3]}`
	large, err := canon.NewText(strings.NewReader(input), 0, int64(len(input)), canon.Options{Bytes: 20, Mend: true})
	if err != nil {
		t.Fatal(err)
	}
	parts, err := large.Members(large.Root())
	if err != nil || len(parts) != 2 || parts[1].Name != "\ufffd" || input[parts[0].At.Start:parts[0].At.End] != "[3]" {
		t.Errorf("%+v, %v", parts, err)
	}
}

// TestSkip continues after refused elements.
func TestSkip(t *testing.T) {
	long := `{"x":"` + strings.Repeat("y", 200<<10) + `"}`
	for _, test := range []struct{ input, want string }{
		{`[{"a":"\ud800"},{"a":1},{"a":[[[1]]]},{"b":tru},2]`, `lone surrogate|{"a":1}|too deep|syntax|2|`},
		{`[` + long + `,{"a":1}]`, `too large|{"a":1}|`},
		{long, `too large|`},
		{long + "\n{\"a\":1}\n" + long, `too large|{"a":1}|too large|`},
		{`[{"a":1},nul,{"a":2}]`, `{"a":1}|syntax`},
		{`[{"a":1},{"a":`, `{"a":1}|syntax`},
		{`[{"a":1}{"a":2}]`, `{"a":1}|syntax`},
		{`[` + long[:100<<10], `too large`},
	} {
		if got := skipping(canon.NewElements(strings.NewReader(test.input), canon.Options{Bytes: 64 << 10, Depth: 3})); got != test.want {
			t.Errorf("%.60s: got %s, want %s", test.input, got, test.want)
		}
	}
}

// skipping reads all readable elements, and ends in "|" after a proper end.
func skipping(e *canon.Elements) string {
	var out strings.Builder
	for {
		raw, err := e.Next()
		refused, ok := errors.AsType[*canon.Error](err)
		switch {
		case err == nil:
			fmt.Fprintf(&out, "%s|", raw)
		case errors.Is(err, io.EOF):
			return out.String()
		case !ok:
			return out.String() + err.Error()
		case !e.Skip():
			return out.String() + refused.Kind.String()
		default:
			out.WriteString(refused.Kind.String() + "|")
		}
	}
}

// TestElementsMended counts the repairs of each element, and their places.
func TestElementsMended(t *testing.T) {
	e := canon.NewElements(strings.NewReader(`["\ud800", 1, {"a":1,"a":12345678901234567890}]`), canon.Options{Mend: true})
	var got []string
	for v, err := e.Value(); err == nil; v, err = e.Value() {
		got = append(got, fmt.Sprintf("%s %v %d+%d", text(v), e.Repairs(), e.Offset(), e.Size()))
	}
	if want := "\"\ufffd\" {1 0 0 {  }} 1+8|1 {0 0 0 {  }} 11+1|{\"a\":\"12345678901234567890\"} {0 1 1 { /a /a}} 14+32"; strings.Join(got, "|") != want {
		t.Errorf("got %s", strings.Join(got, "|"))
	}
}
