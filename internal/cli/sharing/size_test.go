package sharing

import (
	"testing"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "1000": 1000, "64K": 64 << 10, "200M": 200 << 20, "2GiB": 2 << 30, "1TB": 1 << 40} {
		var got Size
		if err := got.UnmarshalText([]byte(text)); err != nil || int64(got) != want {
			t.Errorf("%s is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "1.5M", "M", "10X", "99999999T", "9999999999999999999", "1 M"} {
		var got Size
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken for %d", text, got)
		}
	}
	for n, want := range map[Size]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1 KiB", 1536: "1.5 KiB", 200 << 20: "200 MiB", 3 << 40: "3 TiB"} {
		if got := n.String(); got != want {
			t.Errorf("%d is written %s, want %s", int64(n), got, want)
		}
	}
}
