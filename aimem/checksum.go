package aimem

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// checksumPrefix begins every checksum and content hash.
const checksumPrefix = "sha256:"

// Checksum returns the checksum of the bundle that is written from b (section
// 2.8): "sha256:" and the lower-case hex digest of the canonical JSON of all
// members but checksum. It fails with what b fails with.
func Checksum(b Brain) (string, error) {
	sum, _, err := Measure(b)
	return sum, err
}

// Measure returns the checksum of b and the number of bytes it is computed over,
// which is the size of a [Payload].
func Measure(b Brain) (sum string, size int64, err error) {
	if l, ok := b.(*spooledBrain); ok {
		return l.measure()
	}
	var count counter
	digest := sha256.New()
	if err := WritePayload(io.MultiWriter(digest, &count), b); err != nil {
		return "", 0, err
	}
	return checksumPrefix + hex.EncodeToString(digest.Sum(nil)), int64(count), nil
}

// WritePayload writes what a checksum is computed over and a signature made of:
// the canonical JSON of the bundle without its checksum (sections 2.8 and 5.3).
func WritePayload(w io.Writer, b Brain) error { return buffered(w, b, "") }

// PayloadOf returns the signed content of a bundle. size is the size from [Measure]; with 0
// it is counted when needed.
func PayloadOf(b Brain, size int64) Payload {
	return Payload{Size: size, Write: func(w io.Writer) error { return WritePayload(w, b) }}
}

// counter counts the bytes written to it.
type counter int64

// Write counts.
func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// payloadWriter is a Brain that has a document, and so the payload to the last byte, also
// of members that are too large for its envelope.
type payloadWriter interface {
	payload(w io.Writer) error
}

// buffered writes a bundle through a buffer, so that w gets few large pieces.
func buffered(w io.Writer, b Brain, sum string) error {
	if e, ok := b.(payloadWriter); ok && sum == "" {
		return e.payload(w)
	}
	if l, ok := b.(*spooledBrain); ok {
		return l.document(w, sum)
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if err := writeBundle(out, b, sum); err != nil {
		return err
	}
	return out.Flush()
}
