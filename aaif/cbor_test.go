package aaif_test

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

func toCBOR(t testing.TB, v canon.Value) []byte {
	t.Helper()
	raw, err := aaif.ToCBOR(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

const golden = "a2656167656e74a264676f616c6147646e616d6561416b73635f7374616e646172646653432d303036"

func TestCBOR(t *testing.T) {
	v := tree(t, `{"sc_standard":"SC-006","agent":{"name":"A","goal":"G"}}`)
	t.Run("AAIF-9-2 the encoding is the golden value", func(t *testing.T) {
		expect(t, hex.EncodeToString(toCBOR(t, v)), golden)
		expect(t, hex.EncodeToString(toCBOR(t, tree(t, string(v.AppendCanonical(nil))))), golden)
	})
	t.Run("AAIF-9-2 members are read in the order of their names", func(t *testing.T) {
		raw, _ := hex.DecodeString("a6616601616502616403616304616205616106")
		back, err := aaif.FromCBOR(raw, aaif.ReadOptions{})
		if got := string(back.Append(nil)); err != nil || got != `{"a":6,"b":5,"c":4,"d":3,"e":2,"f":1}` {
			t.Errorf("got %s, %v", got, err)
		}
	})
	t.Run("AAIF-U.T-1 diagnostic notation", func(t *testing.T) {
		got, err := aaif.Diagnostic(toCBOR(t, v))
		if err != nil || got != `{"agent": {"goal": "G", "name": "A"}, "sc_standard": "SC-006"}` {
			t.Errorf("got %s, %v", got, err)
		}
	})
	t.Run("AAIF-9-4 the media type", func(t *testing.T) {
		expect(t, aaif.CBORMediaType, `application/cbor; profile="https://schemacommons.org/SC-006/cbor"`)
	})
	for name := range fieldMaps(t) {
		t.Run("AAIF-9-3 AAIF-9-6 AAIF-U.W-4 "+name+" survives", func(t *testing.T) {
			d := sample(t, name)
			back, err := aaif.Read(toCBOR(t, d.Value), aaif.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			expect(t, back.Kind, d.Kind)
			expect(t, string(back.Value.AppendCanonical(nil)), string(d.Value.AppendCanonical(nil)))
			expect(t, show(validator(t).Lint(back)), show(validator(t).Lint(d)))
			broken := changed(t, d, "/sc_standard", `1`)
			back, err = aaif.Read(toCBOR(t, broken.Value), aaif.ReadOptions{})
			if err != nil || len(refusals(validator(t).Validate(back))) != 1 {
				t.Errorf("got %s, %v", show(validator(t).Validate(back)), err)
			}
		})
	}
}

func TestCBORNumbers(t *testing.T) {
	cases := []struct{ id, json, hex string }{
		{"AAIF-9-6 whole numbers are integers", `[1,1.0,1e2,-0.0,-1.0]`, "85010118640020"},
		{"AAIF-9-6 shortest doubles", `[1.5,0.1,1e20]`, "83f93e00fb3fb999999999999afb4415af1d78b58c40"},
		{"AAIF-9-6 2^53-1", `9007199254740991`, "1b001fffffffffffff"},
		{"AAIF-9-6 beyond, with all digits", `[9007199254740993,18446744073709551615,-9223372036854775808]`, "831b00200000000000011bffffffffffffffff3b7fffffffffffffff"},
	}
	for _, c := range cases {
		t.Run(c.id, func(t *testing.T) {
			v := tree(t, c.json)
			got := hex.EncodeToString(toCBOR(t, v))
			expect(t, got, c.hex)
			raw, _ := hex.DecodeString(got)
			back, err := aaif.FromCBOR(raw, aaif.ReadOptions{})
			if err != nil || !canon.Equal(back, v) || len(back.Items()) > 2 && strings.Contains(c.id, "digits") && !canon.Identical(back, v) {
				t.Errorf("got %s, %v", back.Append(nil), err)
			}
		})
	}
	t.Run("AAIF-9-6 whole numbers below 2^64 are integers", func(t *testing.T) {
		expect(t, hex.EncodeToString(toCBOR(t, tree(t, `[1e19,-9e18]`))), "821b8ac7230489e800003b7ce66c50e283ffff")
	})
	t.Run("AAIF-9-6 integers below 64 bits are read", func(t *testing.T) {
		raw, _ := hex.DecodeString("3bffffffffffffffff")
		if v, err := aaif.FromCBOR(raw, aaif.ReadOptions{}); err != nil || v.Spelling() != "-18446744073709551616" {
			t.Errorf("got %s, %v", v.Spelling(), err)
		}
	})
}

func TestCBORRefuses(t *testing.T) {
	wrap := func(value string) string { return "a1656167656e74" + value }
	deep := strings.Repeat("81", 70) + "80"
	cases := []struct {
		id, hex string
		code    aaif.Code
		opt     aaif.ReadOptions
	}{
		{"AAIF-9-5 an integer for a key", wrap("a10102"), aaif.CBORKeyType, aaif.ReadOptions{}},
		{"AAIF-9-5 an integer for a key, deep inside", wrap("8181a10102"), aaif.CBORKeyType, aaif.ReadOptions{}},
		{"AAIF-9-5 bytes for a key", wrap("a1416102"), aaif.CBORKeyType, aaif.ReadOptions{}},
		{"AAIF-9-5 an array for a key", wrap("a1810102"), aaif.CBORKeyType, aaif.ReadOptions{}},
		{"AAIF-9-7 a key twice", wrap("a2616101616102"), aaif.DuplicateKey, aaif.ReadOptions{}},
		{"AAIF-9-7 undefined", wrap("f7"), aaif.CBORNotJSON, aaif.ReadOptions{}},
		{"AAIF-9-7 not a number", wrap("f97e00"), aaif.CBORNotJSON, aaif.ReadOptions{}},
		{"AAIF-9-7 infinity", wrap("fb7ff0000000000000"), aaif.CBORNotJSON, aaif.ReadOptions{}},
		{"AAIF-9-7 bytes", wrap("4161"), aaif.CBORNotJSON, aaif.ReadOptions{}},
		{"AAIF-9-7 a tag", wrap("c11a514b67b0"), aaif.CBORNotJSON, aaif.ReadOptions{}},
		{"AAIF-9-7 a tag around it all", "d9d9f7" + golden, aaif.CBORNotJSON, aaif.ReadOptions{}},
		{"AAIF-9-7 a simple value", wrap("e0"), aaif.CBORNotJSON, aaif.ReadOptions{}},
		{"AAIF-9-7 no UTF-8", wrap("61ff"), aaif.CBORNotJSON, aaif.ReadOptions{}},
		{"AAIF-9-7 something after it", golden + "00", aaif.CBORNotJSON, aaif.ReadOptions{}},
		{"AAIF-9-7 cut off", golden[:len(golden)-2], aaif.CBORNotJSON, aaif.ReadOptions{}},
		{"AAIF-9-3 too deep", wrap(deep), aaif.TooLarge, aaif.ReadOptions{}},
		{"AAIF-9-3 too long", golden, aaif.TooLarge, aaif.ReadOptions{Bytes: 10}},
		{"AAIF-9-3 of too many values", wrap("98c8" + strings.Repeat("00", 200)), aaif.TooLarge, aaif.ReadOptions{Values: 100}},
		{"AAIF-9-3 a map of too many", "b90bb8" + strings.Repeat("00", 6000), aaif.TooLarge, aaif.ReadOptions{Values: 100}},
	}
	for _, c := range cases {
		t.Run(c.id, func(t *testing.T) {
			raw, err := hex.DecodeString(c.hex)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := aaif.Read(raw, c.opt); aaif.CodeOf(err) != c.code {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestCBORAnything(t *testing.T) {
	t.Run("AAIF-9-6 ten thousand values survive, and encode the same again", func(t *testing.T) {
		m := &mutator{r: rand.New(rand.NewPCG(3, 4)), words: []string{"", "é", "日本", "\u0000", "💡", "b", "aa", "/~"}}
		v := sample(t, "agent").Value
		for range 10_000 {
			v = m.mutate(v)
			if count := len(v.Append(nil)); count < 50 || count > 20_000 {
				v = sample(t, "failed-state").Value
			}
			raw := toCBOR(t, v)
			back, err := aaif.FromCBOR(raw, aaif.ReadOptions{})
			if err != nil || string(back.AppendCanonical(nil)) != string(v.AppendCanonical(nil)) || string(toCBOR(t, back)) != string(raw) {
				t.Fatalf("%v: %s", err, v.Append(nil))
			}
		}
	})
}

func TestJSONLD(t *testing.T) {
	v := sample(t, "agent").Value
	t.Run("AAIF-U.context.jsonld-1 a context comes and goes", func(t *testing.T) {
		ld := aaif.ToJSONLD(v)
		expect(t, ld.Members()[0].Name, "@context")
		expect(t, ld.Get("@context").Get("@vocab").Text(), aaif.Vocabulary)
		expect(t, string(aaif.FromJSONLD(ld).Append(nil)), string(v.Append(nil)))
		expect(t, string(aaif.FromJSONLD(v).Append(nil)), string(v.Append(nil)))
	})
	t.Run("AAIF-U.context.jsonld-1 that of others is kept", func(t *testing.T) {
		theirs := set(aaif.ToJSONLD(v), "/@context", canon.String("https://acme.example/context"))
		d := aaif.FromJSONLD(theirs)
		if found := validator(t).Validate(aaif.Document{Kind: aaif.AgentKind, Value: d}); aaif.HasErrors(found) {
			t.Errorf("got %s", show(found))
		}
		expect(t, string(aaif.ToJSONLD(d).Append(nil)), string(theirs.Append(nil)))
	})
}
