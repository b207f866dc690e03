package aaif_test

import (
	"bytes"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
)

func TestNewID(t *testing.T) {
	for _, c := range []struct {
		fill byte
		want string
	}{{0x00, "00000000-0000-4000-8000-000000000000"}, {0xff, "ffffffff-ffff-4fff-bfff-ffffffffffff"}} {
		if got, err := aaif.NewID(bytes.NewReader(bytes.Repeat([]byte{c.fill}, 16))); got != c.want || err != nil {
			t.Errorf("%s, %v, want %s", got, err, c.want)
		}
	}
	if got, err := aaif.NewID(bytes.NewReader(make([]byte, 15))); err == nil {
		t.Errorf("%s of too little random", got)
	}
}
