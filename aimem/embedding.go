package aimem

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// embedding checks section 2.7 (decision AD-15).
func (j *recordChecker) embedding(v canon.Value) {
	vector, ok := j.decode(v)
	if !ok {
		j.violation(BadEmbedding, "AIMEM-2.7-2", "is not base64 in the standard alphabet, padded and without line breaks", "embedding")
		return
	}
	if j.hasModel() && len(vector) != 4*j.envelope.EmbeddingDim {
		j.violation(EmbeddingDimMismatch, "AIMEM-2.7-3", "has not 4 bytes for each of embedding_dim", "embedding")
	}
}

// decode returns the bytes of an embedding, which are good until the next.
func (j *recordChecker) decode(v canon.Value) ([]byte, bool) {
	var ok bool
	j.vector, ok = appendVector(j.vector[:0], v.Text())
	return j.vector, ok && v.Type() == canon.TypeString
}

// appendVector appends the bytes that s spells: padded base64, nothing between.
func appendVector(dst []byte, s string) ([]byte, bool) {
	if strings.ContainsAny(s, "\r\n") { // which the decoder passes over
		return dst, false
	}
	dst, err := base64.StdEncoding.Strict().AppendDecode(dst, []byte(s))
	return dst, err == nil
}

// hasModel reports whether the envelope says what embeddings need, and takes it as
// a violation once where it does not.
func (j *recordChecker) hasModel() bool {
	missing := ""
	switch {
	case j.envelope.EmbeddingDim == 0:
		missing = "embedding_dim"
	case j.envelope.EmbeddingModel == "":
		missing = "embedding_model"
	default:
		return true
	}
	if !j.reported {
		j.reported = true
		j.found = append(j.found, &Fault{Code: EmbeddingEnvelopeMissing, Pointer: canon.Pointer(missing), Rule: "AIMEM-2.1-14",
			Detail: "a chunk has an embedding, and the envelope has no " + missing})
	}
	return false
}

// finite reports whether all components of the last embedding are numbers.
func (j *recordChecker) finite() bool {
	for v := j.vector; len(v) >= 4; v = v[4:] {
		f := float64(math.Float32frombits(binary.LittleEndian.Uint32(v)))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return false
		}
	}
	return true
}
