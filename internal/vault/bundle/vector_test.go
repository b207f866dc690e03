package bundle

import (
	"testing"
)

func TestVector(t *testing.T) {
	x := vector{model: "bge\x00large", floats: []byte{0, 0, 128, 63, 0, 0, 0, 64}}
	back, err := storedVector(x.bytes())
	if err != nil || back.model != x.model || string(back.floats) != string(x.floats) || back.dim() != 2 {
		t.Fatalf("got %+v, %v", back, err)
	}
	if got := back.text(); got != "AACAPwAAAEA=" {
		t.Errorf("the vector is spelled %s", got)
	}
	for _, damaged := range [][]byte{nil, {9, 'a'}, x.bytes()[:len(x.bytes())-1], {0x80}} {
		if _, err := storedVector(damaged); err == nil {
			t.Errorf("%x was read", damaged)
		}
	}
}
