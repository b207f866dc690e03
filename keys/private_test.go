package keys_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/satchel-memory/satchel/keys"
)

func TestSign(t *testing.T) {
	p, err := keys.FromSeed(unhex(t, known[2].seed))
	if err != nil {
		t.Fatal(err)
	}
	// RFC 8032, section 7.1, test 1: the empty message.
	const want = "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
	if got := hex.EncodeToString(p.Sign(nil)); got != want {
		t.Errorf("got %s", got)
	}
	if !ed25519.Verify(p.Public(), []byte("m"), p.Sign([]byte("m"))) || ed25519.Verify(p.Public(), []byte("n"), p.Sign([]byte("m"))) {
		t.Error("the signature is not one of the message")
	}
}

func TestGenerate(t *testing.T) {
	random := bytes.NewReader(bytes.Repeat([]byte{7}, 40))
	p, err := keys.Generate(random)
	if err != nil || p.DID() != known[0].did || random.Len() != 8 {
		t.Errorf("%v, %v, %d bytes left", p, err, random.Len())
	}
	if _, err := keys.Generate(random); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("too little random: %v", err)
	}
	broken := errors.New("no entropy")
	if _, err := keys.Generate(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("broken random: %v", err)
	}
}

// TestPublicKeys compares public keys with those of crypto/ed25519.
func TestPublicKeys(t *testing.T) {
	random := rand.NewChaCha8([32]byte{1})
	for range 200 {
		p, err := keys.Generate(random)
		if err != nil {
			t.Fatal(err)
		}
		want := ed25519.NewKeyFromSeed(p.Seed())
		if !bytes.Equal(p.Public(), want.Public().(ed25519.PublicKey)) || !bytes.Equal(p.Sign([]byte("m")), ed25519.Sign(want, []byte("m"))) {
			t.Errorf("the seed %x gives another key", p.Seed())
		}
	}
}

func TestFromSeedRefuses(t *testing.T) {
	for _, n := range []int{0, 31, 33, 64} {
		if p, err := keys.FromSeed(make([]byte, n)); !errors.Is(err, keys.ErrMalformed) || !p.IsZero() {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// TestSeedIsACopy: changing a returned seed does not change the key.
func TestSeedIsACopy(t *testing.T) {
	seed := unhex(t, known[0].seed)
	p, err := keys.FromSeed(seed)
	if err != nil {
		t.Fatal(err)
	}
	clear(seed)
	clear(p.Seed())
	clear(p.Public())
	if hex.EncodeToString(p.Seed()) != known[0].seed || hex.EncodeToString(p.Public()) != known[0].public {
		t.Error("the key changed")
	}
}

func TestZero(t *testing.T) {
	var p keys.Private
	if !p.IsZero() || p.DID() != "" || p.Public() != nil || p.Seed() != nil || p.Sign([]byte("m")) != nil || keys.Recovery(p) != "" || p.String() != "no private key" {
		t.Error("the zero Private is a key")
	}
	if sevens(t).IsZero() {
		t.Error("a key is zero")
	}
}

// holder has a key where fmt may not call methods.
type holder struct {
	Name string
	key  keys.Private
}

// TestSecretIsNotShown prints, logs and encodes a key in every way.
func TestSecretIsNotShown(t *testing.T) {
	p := sevens(t)
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "key", p, "group", slog.GroupValue(slog.Any("key", p)))
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "key", p, "any", []any{p, &p})
	shown := []string{log.String(), p.String(), p.GoString()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X", "%b", "%o", "%c", "%U", "%e", "%t", "%p"} {
		for _, v := range []any{p, &p, []keys.Private{p}, map[string]keys.Private{"k": p}, holder{"n", p}, &holder{"n", p}} {
			shown = append(shown, fmt.Sprintf(verb, v))
		}
	}
	for _, v := range []any{p, &p, map[string]any{"k": p}, struct{ K keys.Private }{p}} {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		shown = append(shown, string(b))
	}
	seed := p.Seed()
	secrets := []string{
		known[0].seed[:16], string(seed[:8]), strings.Repeat("7 ", 8), strings.Repeat("07 ", 8), strings.Repeat("0x7, ", 4), "0x07",
		base64.StdEncoding.EncodeToString(seed)[:12], strings.Repeat("111 ", 4), keys.Recovery(p)[6:20],
	}
	for _, s := range shown {
		for _, secret := range secrets {
			if strings.Contains(strings.ToLower(s), strings.ToLower(secret)) {
				t.Errorf("%q shows the secret", s)
			}
		}
	}
	if got := fmt.Sprintf("%d %s", p, p); got != "private key of "+string(p.DID())+" private key of "+string(p.DID()) {
		t.Errorf("got %s", got)
	}
	if got := fmt.Sprintf("%#v", p); got != "keys.Private(private key of "+string(p.DID())+")" {
		t.Errorf("got %s", got)
	}
}
