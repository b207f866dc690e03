package aimem_test

import (
	"crypto/ecdsa"
	"encoding/hex"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
)

func TestKeyName(t *testing.T) {
	t.Run("AIMEM-5.3-6 a P-256 key is called by its thumbprint, with a kid or without", func(t *testing.T) {
		point, err := hex.DecodeString("04" + "65eda5a12577c2bae829437fe338701a10aaa375e1bb5b5de108de439c08551d" + "1e52ed75701163f7f9e40ddf9f341b3dc9ba860af7e0ca7ca7e9eecd0084d19c")
		if err != nil {
			t.Fatal(err)
		}
		pub, err := ecdsa.ParseUncompressedPublicKey(p256For(t).Curve, point)
		if err != nil {
			t.Fatal(err)
		}
		// 496bd8afadf307e5b08c64b0421bf9dc01528a344a43bda88fadd1669da253ec, the example of RFC 9679.
		want := "urn:ietf:params:oauth:ckt:sha-256:SWvYr63zB-WwjGSwQhv53AFSijRKQ72oj63RZp2iU-w"
		for _, kid := range []string{"", "meriadoc", "\x00\xff"} {
			if got := (aimem.Key{ID: []byte(kid), Public: pub}).Name(); got != want {
				t.Errorf("with kid %q: %s", kid, got)
			}
		}
	})
	t.Run("AIMEM-5.3-6 two keys of one kid have two names", func(t *testing.T) {
		one, two := aimem.Key{ID: []byte("k"), Public: &p256For(t).PublicKey}, aimem.Key{ID: []byte("k"), Public: &p256For(t).PublicKey}
		if one.Name() == two.Name() || one.Name() == "" {
			t.Errorf("%s and %s", one.Name(), two.Name())
		}
	})
}
