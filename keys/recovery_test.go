package keys_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/keys"
)

const (
	kitLetters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	// kitOfSevens is a kit of version 1. Every later version must read it.
	kitOfSevens = "043GE-1R70W-3GE1R-70W3G-E1R70-W3GE1-R70W3-GE1R7-0W3GE-1R70W-3GFXJ-WVCC0"
)

func TestRecoveryKit(t *testing.T) {
	p := sevens(t)
	if got := keys.Recovery(p); got != kitOfSevens {
		t.Errorf("got %s", got)
	}
	for name, s := range map[string]string{
		"as printed":  kitOfSevens,
		"lower case":  strings.ToLower(kitOfSevens),
		"no hyphens":  strings.ReplaceAll(kitOfSevens, "-", ""),
		"two lines":   "\t" + strings.ReplaceAll(kitOfSevens, "-", " \r\n") + "\n",
		"lookalikes":  strings.NewReplacer("0", "O", "1", "l").Replace(kitOfSevens),
		"lookalike i": strings.NewReplacer("0", "o", "1", "I").Replace(kitOfSevens),
	} {
		if got, err := keys.ParseRecovery(s); err != nil || got.DID() != p.DID() {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestRecoveryEveryFlip changes every character to every other, and swaps all
// neighbours.
func TestRecoveryEveryFlip(t *testing.T) {
	letters := strings.ReplaceAll(kitOfSevens, "-", "")
	for i := range letters {
		for _, c := range kitLetters {
			if flipped := letters[:i] + string(c) + letters[i+1:]; flipped != letters {
				checkNoKit(t, flipped)
			}
		}
		if i > 0 && letters[i-1] != letters[i] {
			checkNoKit(t, letters[:i-1]+letters[i:i+1]+letters[i-1:i]+letters[i+1:])
		}
		checkNoKit(t, letters[:i]+letters[i+1:])
		checkNoKit(t, letters[:i]+"0"+letters[i:])
		checkNoKit(t, letters[:i])
	}
}

func checkNoKit(t *testing.T, s string) {
	t.Helper()
	p, err := keys.ParseRecovery(s)
	if !errors.Is(err, keys.ErrMalformed) || !p.IsZero() {
		t.Errorf("%s: %v, %v", s, p, err)
	}
}

func TestRecoveryErrors(t *testing.T) {
	for s, want := range map[string]string{
		"":                             "malformed recovery kit: it has 0 characters, not 60",
		kitOfSevens[:40]:               "malformed recovery kit: it has 34 characters, not 60",
		"043GE-1R70W-3GU1R":            "malformed recovery kit: character 13 (group 3) is none it can hold",
		"043GE-é":                      "malformed recovery kit: character 6 (group 2) is none it can hold",
		"143GE" + kitOfSevens[5:]:      "malformed recovery kit: the checksum does not fit; a character is wrong or two are swapped: compare it with what was written down",
		strings.Repeat("0", 60):        "malformed recovery kit: the checksum does not fit; a character is wrong or two are swapped: compare it with what was written down",
		kitOfSevens + "-" + "00000":    "malformed recovery kit: it has 65 characters, not 60",
		strings.Repeat("Z", 1_000_000): "malformed recovery kit: it has 1000000 characters, not 60",
	} {
		if _, err := keys.ParseRecovery(s); err == nil || err.Error() != want {
			t.Errorf("%.40s: got %v\nwant %s", s, err, want)
		}
	}
}

// TestRecoveryRoundTrip: every key comes back, and nothing with one character
// changed does.
func TestRecoveryRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "seed")
		p, err := keys.FromSeed(seed)
		if err != nil {
			t.Fatal(err)
		}
		kit := keys.Recovery(p)
		back, err := keys.ParseRecovery(kit)
		if err != nil || !bytes.Equal(back.Seed(), seed) {
			t.Fatalf("%s: %v", kit, err)
		}
		letters := strings.ReplaceAll(kit, "-", "")
		i := rapid.IntRange(0, len(letters)-1).Draw(t, "place")
		c := kitLetters[rapid.IntRange(0, 31).Draw(t, "letter")]
		if c != letters[i] {
			if _, err := keys.ParseRecovery(letters[:i] + string(c) + letters[i+1:]); err == nil {
				t.Errorf("%s with %c at %d passes", letters, c, i)
			}
		}
	})
}

func FuzzParseRecovery(f *testing.F) {
	f.Add(kitOfSevens)
	f.Add("043ge 1r70w")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := keys.ParseRecovery(s)
		if err != nil {
			if !errors.Is(err, keys.ErrMalformed) {
				t.Fatal(err)
			}
			return
		}
		if back, err := keys.ParseRecovery(keys.Recovery(p)); err != nil || back.DID() != p.DID() {
			t.Fatalf("%v came back as %v, %v", p, back, err)
		}
	})
}
