package ump

import (
	"crypto/sha256"
	"strings"

	"github.com/satchel-memory/satchel/codec"
)

// Field is a named value in a line of a frame.
type Field struct{ Name, Value string }

// FrameLine writes fields as a line of a frame: a JSON object with texts as values. No
// value can end the line, contain a tag or be invisible; see [codec.AppendQuoted].
// FrameLine leaves out a field without a value.
func FrameLine(fields ...Field) string {
	b := []byte{'{'}
	for _, f := range fields {
		if f.Value == "" {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(codec.AppendQuoted(b, f.Name), ':')
		b = codec.AppendQuoted(b, f.Value)
	}
	return string(append(b, "}\n"...))
}

// shortNonce is the length of the nonce that [Enclose] writes, in characters of base
// 32.
const shortNonce = 12

// FrameSize is how many bytes [Enclose] adds to its lines.
const FrameSize = len("<"+frameTag+` trust="untrusted-data" nonce="">`) + 1 + len(frameSentence) + 1 + len("</"+frameTag+` nonce="">`) + 2*shortNonce

// Enclose puts lines of [FrameLine] into the frame of section 5.3. The nonce in its
// tags is a digest of the lines, so that no line can contain it. It is shorter than
// the nonce of [Frame], because a model pays for every character and no line can
// contain a tag in any case.
func Enclose(lines ...string) string {
	all := strings.Join(lines, "")
	digest := sha256.Sum256([]byte(all))
	nonce := base32Lower.EncodeToString(digest[:])[:shortNonce]
	return openingTag(nonce) + all + closingTag(nonce)
}
