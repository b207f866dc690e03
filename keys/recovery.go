package keys

import (
	"crypto/ed25519"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
)

// A recovery kit is 37 bytes in base32: one byte of version, the 32 bytes of the seed, and
// the CRC-32 of both, big-endian. That makes 60 characters in twelve groups of five; the
// last four bits are zero. The CRC finds every wrong character and every swapped pair of
// neighbours.
const (
	kitVersion = 1
	kitBytes   = 1 + ed25519.SeedSize + crc32.Size
	kitLetters = (kitBytes*8 + 4) / 5
	kitGroup   = 5
)

// kitAlphabet is Crockford's: without I, L, O and U, which people misread.
const kitAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

func kitEncoding() *base32.Encoding {
	return base32.NewEncoding(kitAlphabet).WithPadding(base32.NoPadding)
}

// Recovery returns the recovery kit of p: the secret, in groups of characters that people
// can copy by hand. It returns "" for the zero Private.
func Recovery(p Private) string {
	if p.IsZero() {
		return ""
	}
	letters := kitEncoding().EncodeToString(kit(p.Seed()))
	groups := make([]string, 0, kitLetters/kitGroup)
	for ; letters != ""; letters = letters[kitGroup:] {
		groups = append(groups, letters[:kitGroup])
	}
	return strings.Join(groups, "-")
}

// kit lays out the bytes of a recovery kit.
func kit(seed []byte) []byte {
	b := append([]byte{kitVersion}, seed...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// ParseRecovery returns the key of a recovery kit. It ignores case, hyphens and white
// space, and reads O, I and L as the digits that they look like. Errors wrap [ErrMalformed]
// and say where to look.
func ParseRecovery(s string) (Private, error) {
	letters, err := kitText(s)
	if err != nil {
		return Private{}, err
	}
	b, err := kitEncoding().DecodeString(letters)
	if err != nil || len(b) != kitBytes {
		return Private{}, fmt.Errorf("%w recovery kit: it cannot be read", ErrMalformed)
	}
	body, sum := b[:kitBytes-crc32.Size], b[kitBytes-crc32.Size:]
	if binary.BigEndian.Uint32(sum) != crc32.ChecksumIEEE(body) || kitEncoding().EncodeToString(b) != letters {
		return Private{}, fmt.Errorf("%w recovery kit: the checksum does not fit; a character is wrong or two are swapped: compare it with what was written down", ErrMalformed)
	}
	if body[0] != kitVersion {
		return Private{}, fmt.Errorf("%w recovery kit: it was made by a newer version of this program", ErrMalformed)
	}
	return FromSeed(body[1:])
}

// kitText returns the letters of a kit as Recovery writes them.
func kitText(s string) (string, error) {
	var b strings.Builder
	for _, r := range strings.ToUpper(s) {
		switch r {
		case '-', ' ', '\t', '\r', '\n':
			continue
		case 'O':
			r = '0'
		case 'I', 'L':
			r = '1'
		}
		if !strings.ContainsRune(kitAlphabet, r) {
			return "", fmt.Errorf("%w recovery kit: character %d (group %d) is none it can hold", ErrMalformed, b.Len()+1, b.Len()/kitGroup+1)
		}
		b.WriteRune(r)
	}
	if b.Len() != kitLetters {
		return "", fmt.Errorf("%w recovery kit: it has %d characters, not %d", ErrMalformed, b.Len(), kitLetters)
	}
	return b.String(), nil
}
