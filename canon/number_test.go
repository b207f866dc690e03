package canon_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/canon"
)

// TestNumberForms holds the forms RFC 8785, appendix B gives, by the bits of the
// double.
func TestNumberForms(t *testing.T) {
	for bits, want := range map[uint64]string{
		0x0000000000000000: "0",
		0x8000000000000000: "0",
		0x0000000000000001: "5e-324",
		0x8000000000000001: "-5e-324",
		0x7fefffffffffffff: "1.7976931348623157e+308",
		0xffefffffffffffff: "-1.7976931348623157e+308",
		0x4340000000000000: "9007199254740992",
		0xc340000000000000: "-9007199254740992",
		0x4430000000000000: "295147905179352830000",
		0x44b52d02c7e14af5: "9.999999999999997e+22",
		0x44b52d02c7e14af6: "1e+23",
		0x44b52d02c7e14af7: "1.0000000000000001e+23",
		0x444b1ae4d6e2ef4e: "999999999999999700000",
		0x444b1ae4d6e2ef4f: "999999999999999900000",
		0x444b1ae4d6e2ef50: "1e+21",
		0x3eb0c6f7a0b5ed8c: "9.999999999999997e-7",
		0x3eb0c6f7a0b5ed8d: "0.000001",
		0x41b3de4355555553: "333333333.3333332",
		0x41b3de4355555554: "333333333.33333325",
		0x41b3de4355555555: "333333333.3333333",
		0x41b3de4355555556: "333333333.3333334",
		0x41b3de4355555557: "333333333.33333343",
		0xbecbf647612f3696: "-0.0000033333333333333333",
		0x43143ff3c1cb0959: "1424953923781206.2",
	} {
		t.Run(fmt.Sprintf("UMP-6.1-6 %016x", bits), func(t *testing.T) {
			f := math.Float64frombits(bits)
			if got := string(canon.Number(f).AppendCanonical(nil)); got != want {
				t.Errorf("Number: got %s, want %s", got, want)
			}
			long := fmt.Appendf(nil, "%.40e", f)
			got, err := canon.Canonical(long, canon.Options{Inexact: true})
			if err != nil || string(got) != want {
				t.Errorf("Canonical(%s): got %s, %v; want %s", long, got, err, want)
			}
		})
	}
}

// TestNumbersOfUMP holds the spellings an implementer of UMP and AIMEM must hash
// alike.
func TestNumbersOfUMP(t *testing.T) {
	for spelled, want := range map[string]string{
		"-0.0": "0", "0.00001": "0.00001", "0.42": "0.42", "1.0": "1", "1": "1",
		"100000000000000000000": "100000000000000000000", "1e-4": "0.0001", "1e21": "1e+21",
		"5e-7": "5e-7", "9007199254740993": "9007199254740992",
	} {
		t.Run("UMP-6.1-6 "+spelled, func(t *testing.T) {
			data := []byte(`{"w":` + spelled + `}`)
			got, err := canon.Canonical(data, canon.Options{Inexact: true})
			if err != nil || string(got) != `{"w":`+want+`}` {
				t.Errorf("got %s, %v; want %s", got, err, want)
			}
			_, err = canon.Canonical(data, canon.Options{})
			if refused := err != nil; refused != (len(spelled) > 15) {
				t.Errorf("without Inexact: %v", err)
			}
		})
	}
}

func TestNotANumber(t *testing.T) {
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := canon.Number(f); got.Type() != canon.TypeNull {
			t.Errorf("Number(%v) is %v, want null", f, got.Type())
		}
	}
}

func TestInt(t *testing.T) {
	v := canon.Int(math.MinInt64)
	if v.Spelling() != "-9223372036854775808" || string(v.AppendCanonical(nil)) != "-9223372036854776000" {
		t.Errorf("got %s, canonical %s", v.Spelling(), v.AppendCanonical(nil))
	}
}

// TestNumbersLikeJSONText compares our formatting with jsontext's, over doubles
// of every magnitude.
func TestNumbersLikeJSONText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			t.Skip("JSON has no such number")
		}
		v := canon.Number(f)
		want := jsontext.Value(fmt.Sprintf("%.17e", f))
		if err := want.Canonicalize(); err != nil {
			t.Fatal(err)
		}
		if got := v.AppendCanonical(nil); string(got) != string(want) {
			t.Errorf("%v: got %s, want %s", f, got, want)
		}
		if f != v.Float() {
			t.Errorf("%v became %v", f, v.Float())
		}
	})
}
