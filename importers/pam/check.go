package pam

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// memoryEntry is a memory of a document, by its id.
type memoryEntry struct {
	id string
	at canon.Extent
}

// checksum returns the checksum of memories (section 15.2): of their array in the order of
// their ids, in canonical form. canonical writes one. It sorts memories.
func checksum[M any](memories []M, id func(M) string, canonical func(io.Writer, M) error) (string, error) {
	slices.SortStableFunc(memories, func(a, b M) int { return strings.Compare(id(a), id(b)) })
	h := sha256.New()
	io.WriteString(h, "[")
	for i, m := range memories {
		if i > 0 {
			io.WriteString(h, ",")
		}
		if err := canonical(h, m); err != nil {
			return "", err
		}
	}
	io.WriteString(h, "]")
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}

// intact checks a document against its integrity block, if it has one (PAM-5).
func (s *store) intact() error {
	p, ok := s.parts["integrity"]
	if !ok {
		return nil
	}
	v, _, err := s.Short(p.At)
	if err != nil || v.Type() == canon.TypeNull {
		return err
	}
	broken := func(member, what string) error {
		return rules.Violation(ruleIntegrity, "/integrity/"+member, errors.New(what))
	}
	method := v.Get("canonicalization")
	switch {
	case v.Type() != canon.TypeObject:
		return rules.Violation(ruleIntegrity, "/integrity", fmt.Errorf("%s found where an object is wanted", v.Type()))
	case method.Type() != canon.TypeUndefined && method.Text() != "RFC8785":
		return broken("canonicalization", "another method than RFC8785, which alone is defined")
	case v.Get("total_memories").Type() != canon.TypeNumber || v.Get("total_memories").Float() != float64(len(s.memories)):
		return broken("total_memories", fmt.Sprintf("not the number of memories in the document, %d: it was cut or changed", len(s.memories)))
	case !digest.MatchString(v.Get("checksum").Text()):
		return broken("checksum", `no checksum, such as "sha256:" and 64 digits`)
	}
	sum, err := checksum(s.memories, func(m memoryEntry) string { return m.id }, func(w io.Writer, m memoryEntry) error { return s.Text.WriteCanonical(w, m.at) })
	if refused, ok := errors.AsType[*canon.Error](err); ok { // a document with a checksum is not mended
		return rules.Violation(ruleJSON, "/memories"+refused.Pointer, refused)
	}
	if err != nil {
		return err
	}
	if sum != v.Get("checksum").Text() {
		return broken("checksum", "not that of the memories: the document was changed after it was written, or damaged")
	}
	return nil
}

// signed reports whether a document's signature is valid (PAM-6): the holder of the key
// wrote the document. It does not say who that is.
func signed(envelope canon.Value) bool {
	v := envelope.Get("signature")
	payload := canon.Object(
		canon.Member{Name: "checksum", Value: envelope.Get("integrity").Get("checksum")},
		canon.Member{Name: "export_date", Value: envelope.Get("export_date")},
		canon.Member{Name: "export_id", Value: envelope.Get("export_id")},
		canon.Member{Name: "owner_id", Value: envelope.Get("owner").Get("id")},
	)
	for _, m := range payload.Members() {
		if m.Value.Type() != canon.TypeString {
			return false
		}
	}
	pub, err := keys.Public(memory.DID("did:key:" + strings.TrimPrefix(v.Get("public_key").Text(), "did:key:")))
	if v.Get("algorithm").Text() != "Ed25519" || err != nil {
		return false
	}
	signature, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(v.Get("value").Text(), "="))
	if err != nil {
		return false
	}
	check := keys.NewVerification(pub, signature)
	if check == nil {
		return false
	}
	_, err = check.Write(payload.AppendCanonical(nil))
	return err == nil && check.Valid()
}
