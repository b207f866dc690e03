package size_test

import (
	"testing"

	"github.com/satchel-memory/satchel/text/size"
)

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{{"abc", 3, "abc"}, {"abc", 2, "ab"}, {"aüc", 2, "a"}, {"aüc", 3, "aü"}, {"€", 2, ""}, {"abc", 0, ""}, {"", 0, ""}, {"\x80\x80\x80", 2, ""}} {
		if got := size.Cut(c.text, c.most); got != c.want {
			t.Errorf("%q of %q, want %q", got, c.text, c.want)
		}
	}
}
