package keys

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"filippo.io/edwards25519"
)

// inPieces writes a message in pieces of changing sizes.
func inPieces(message []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		for size := 1; len(message) > 0; size = size*2 + 1 {
			n := min(size, len(message))
			if _, err := w.Write(message[:n]); err != nil {
				return err
			}
			message = message[n:]
		}
		return nil
	}
}

func again(message []byte) func(io.Writer) error {
	return func(w io.Writer) error { return inPieces(message)(w) }
}

func random(t *testing.T) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(1, 2))
}

func filled(r *rand.Rand, size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// valid verifies in pieces.
func valid(pub, message, signature []byte) bool {
	v := NewVerification(pub, signature)
	if v == nil {
		return false
	}
	inPieces(message)(v) //nolint:errcheck // a Verification takes everything
	return v.Valid()
}

func TestSignStreamSignsAsSignDoes(t *testing.T) {
	r := random(t)
	for range 200 {
		key, err := FromSeed(filled(r, 32))
		if err != nil {
			t.Fatal(err)
		}
		message := filled(r, r.IntN(2000))
		got, err := key.SignStream(again(message))
		if err != nil {
			t.Fatal(err)
		}
		if want := key.Sign(message); !bytes.Equal(got, want) {
			t.Fatalf("a message of %d bytes: signature %x, want %x", len(message), got, want)
		}
	}
}

func TestSignStreamRefuses(t *testing.T) {
	if _, err := (Private{}).SignStream(again(nil)); !errors.Is(err, ErrNoKey) {
		t.Errorf("without a key: %v, want ErrNoKey", err)
	}
	key, err := FromSeed(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if _, err := key.SignStream(func(io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("a message that cannot be read: %v, want its error", err)
	}
	calls := byte(0)
	got, err := key.SignStream(func(w io.Writer) error {
		calls++
		_, err := w.Write([]byte{calls})
		return err
	})
	if err == nil || got != nil {
		t.Errorf("a message that changed was signed: %x", got)
	}
}

func TestVerificationAcceptsWhatVerifyAccepts(t *testing.T) {
	r := random(t)
	accepted, refused := 0, 0
	for range 3000 {
		key, err := FromSeed(filled(r, 32))
		if err != nil {
			t.Fatal(err)
		}
		message := filled(r, r.IntN(300))
		signature, pub := key.Sign(message), key.Public()
		switch r.IntN(5) {
		case 0:
			signature[r.IntN(64)] ^= 1 << r.IntN(8)
		case 1:
			message = append(message, 1)
		case 2:
			pub[r.IntN(32)] ^= 1 << r.IntN(8)
		case 3:
			signature = signature[:r.IntN(64)]
		}
		want := ed25519.Verify(pub, message, signature)
		if got := valid(pub, message, signature); got != want {
			t.Fatalf("key %x, message %x, signature %x: %v, crypto/ed25519 says %v", pub, message, signature, got, want)
		}
		if want {
			accepted++
		} else {
			refused++
		}
	}
	if accepted < 100 || refused < 100 {
		t.Fatalf("%d accepted, %d refused: the cases are lopsided", accepted, refused)
	}
}

// order is the order of the base point, little-endian.
var order = []byte{
	0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
}

func TestVerificationRefusesScalarsThatAreNotReduced(t *testing.T) {
	key, err := FromSeed(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	message := []byte("message")
	signature := key.Sign(message)
	carry := 0
	for i := range 32 {
		sum := int(signature[32+i]) + int(order[i]) + carry
		signature[32+i], carry = byte(sum), sum>>8
	}
	if carry != 0 {
		t.Fatal("the sum does not fit: choose another message")
	}
	if ed25519.Verify(key.Public(), message, signature) || valid(key.Public(), message, signature) {
		t.Error("S + L passed for S")
	}
}

// smallOrder are points of small order, spelled properly and otherwise.
func smallOrder(t *testing.T) [][]byte {
	t.Helper()
	zero := make([]byte, 32)
	one := append([]byte{1}, make([]byte, 31)...)
	minusOne := bytes.Repeat([]byte{0xff}, 32)
	minusOne[0], minusOne[31] = 0xec, 0x7f
	eight := []byte{
		0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
		0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
	}
	fieldPlusOne := bytes.Clone(minusOne)
	fieldPlusOne[0] = 0xee // p+1: the neutral element, spelled wrongly
	field := bytes.Clone(minusOne)
	field[0] = 0xed // p: 0, spelled wrongly
	var points [][]byte
	for _, p := range [][]byte{zero, one, minusOne, eight, fieldPlusOne, field} {
		signed := bytes.Clone(p)
		signed[31] |= 0x80
		points = append(points, p, signed)
	}
	return points
}

func TestVerificationTreatsOddPointsAsVerifyDoes(t *testing.T) {
	points := smallOrder(t)
	r := random(t)
	accepted := 0
	for _, pub := range points {
		for _, start := range points {
			for range 40 {
				message := filled(r, 8)
				signature := append(bytes.Clone(start), make([]byte, 32)...)
				want := ed25519.Verify(pub, message, signature)
				if got := valid(pub, message, signature); got != want {
					t.Fatalf("key %x, R %x: %v, crypto/ed25519 says %v", pub, start, got, want)
				}
				if want {
					accepted++
				}
			}
		}
	}
	if accepted == 0 {
		t.Fatal("no odd point was accepted: this compares nothing")
	}
	if _, err := new(edwards25519.Point).SetBytes(points[2]); err != nil {
		t.Fatalf("the neutral element is no point: %v", err)
	}
}
