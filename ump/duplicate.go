package ump

import (
	"encoding/hex"
	"strings"

	"golang.org/x/text/unicode/norm"
	"lukechampine.com/blake3"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// MergeText returns the text by which two memories are the same: NFC, every run
// of white space one space, none around it (decision UD-19).
func MergeText(s string) string { return strings.Join(strings.Fields(norm.NFC.String(s)), " ") }

// DuplicateKey returns a digest that two records share if the one may be merged
// into the other: equal owner, user, project, visibility and kind, equal
// structured in canonical form, equal MergeText. It is hexadecimal BLAKE3.
func DuplicateKey(r memory.Record) string {
	visibility := r.Scope.Visibility
	if visibility == "" {
		visibility = memory.Private
	}
	key := canon.Array(
		canon.String(string(r.Scope.Owner)), canon.String(r.Scope.User), canon.String(r.Scope.Project),
		canon.String(string(visibility)), canon.String(string(r.Kind)),
		structuredKey(r.Body.Structured), canon.String(MergeText(r.Body.Text)))
	sum := blake3.Sum256(key.AppendCanonical(nil))
	return hex.EncodeToString(sum[:])
}

// structuredKey is the structured payload itself, or its bytes as a string where
// they are no JSON that could be compared.
func structuredKey(raw []byte) canon.Value {
	if len(raw) == 0 {
		return canon.Null()
	}
	v, err := canon.Parse(raw, canon.Options{Bytes: int64(len(raw)), Depth: maxDepth, Inexact: true})
	if err != nil {
		return canon.String(string(raw))
	}
	return v
}
