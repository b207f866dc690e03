package cli

import (
	"slices"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

func kids(list []signingKey) (out []string) {
	for _, k := range list {
		out = append(out, k.Kid)
	}
	return out
}

func TestIssuerKeys(t *testing.T) {
	begin := time.Date(2026, 6, 2, 12, 0, 0, 0, time.UTC)
	first := Config{}.CurrentIssuer().Rotated(begin)
	second := first.Rotated(begin.Add(time.Hour))
	t.Run("ENGRAM-3.8-19 a key is listed for a year", func(t *testing.T) {
		k, ok := first.Current()
		if !ok || k.Kid != "key-2026-06" || !k.Expires.Equal(begin.AddDate(1, 0, 0)) || k.Generation != 1 {
			t.Errorf("it is %+v", k)
		}
		for days, want := range map[int]bool{0: false, 330: false, 336: true, 400: true} {
			if got := first.due(begin.AddDate(0, 0, days)); got != want {
				t.Errorf("after %d days another is due: %v", days, got)
			}
		}
		if !(Issuer{}).due(begin) {
			t.Error("none is due where there is none")
		}
	})
	t.Run("ENGRAM-3.8-20 ENGRAM-3.8-21 a key that was replaced is listed as long as what it signed is good", func(t *testing.T) {
		for after, want := range map[time.Duration][]string{
			time.Hour: {"key-2026-06-2", "key-2026-06"}, 25*time.Hour - time.Second: {"key-2026-06-2", "key-2026-06"}, 25 * time.Hour: {"key-2026-06-2"},
		} {
			if got := kids(second.validKeys(begin.Add(after))); !slices.Equal(got, want) {
				t.Errorf("after %v: %q", after, got)
			}
		}
	})
	t.Run("ENGRAM-3.8-22 a key that was revoked is not listed, and never comes again", func(t *testing.T) {
		now := begin.Add(2 * time.Hour)
		without, err := second.Without("key-2026-06", now)
		if got := kids(without.validKeys(now)); err != nil || !slices.Equal(got, []string{"key-2026-06-2"}) {
			t.Errorf("%q, %v", got, err)
		}
		third, err := without.Without("key-2026-06-2", now)
		if got := kids(third.validKeys(now)); err != nil || !slices.Equal(got, []string{"key-2026-06-3"}) {
			t.Errorf("%q, %v", got, err)
		}
		if k, _ := third.Current(); k.Generation != 3 {
			t.Errorf("it is %+v", k)
		}
		if got := kids(second.Anew(now).validKeys(now)); !slices.Equal(got, []string{"key-2026-06-3"}) {
			t.Errorf("of another owner there are %q", got)
		}
		if got := kids(second.validKeys(now)); len(got) != 2 {
			t.Errorf("the one before was changed: %q", got)
		}
		if _, err := third.Without("key-1999-01", now); memory.KindOf(err) != memory.NotFound {
			t.Errorf("an unknown key: %v", err)
		}
	})
}
