package size_test

import (
	"testing"

	"github.com/satchel-memory/satchel/text/size"
)

func TestBytes(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "none": 0, "1000": 1000, "64K": 64 << 10, "200M": 200 << 20, "2GiB": 2 << 30, "1TB": 1 << 40} {
		var got size.Bytes
		if err := got.UnmarshalText([]byte(text)); err != nil || int64(got) != want {
			t.Errorf("%s is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "1.5M", "M", "10X", "99999999T", "9999999999999999999", "1 M"} {
		var got size.Bytes
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken for %d", text, got)
		}
	}
	for n, want := range map[size.Bytes][2]string{
		0: {"0 bytes", "0"}, 1: {"1 byte", "1"}, 1023: {"1023 bytes", "1023"}, 1024: {"1 KiB", "1K"}, 1536: {"1.5 KiB", "1536"},
		200 << 20: {"200 MiB", "200M"}, 3 << 40: {"3 TiB", "3T"}, 1 << 50: {"1024 TiB", "1024T"},
	} {
		if got := [2]string{n.String(), n.Exact()}; got != want {
			t.Errorf("%d is written %q, want %q", int64(n), got, want)
		}
		var back size.Bytes
		if err := back.UnmarshalText([]byte(n.Exact())); err != nil || back != n {
			t.Errorf("%s is %d, %v", n.Exact(), back, err)
		}
	}
}
