package engram

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// The members of the residue's envelope, on the record of the identity:
//
//	{"document": the document without the core objects,
//	 "lists": the names of the lists that it has,
//	 "sum": SHA-256 of its canonical form without signature}
const (
	residueEnvelope  = "envelope"
	envelopeDocument = "document"
	envelopeLists    = "lists"
	envelopeSum      = "sum"
)

// coreMembers are the document's members that hold memory.
var coreMembers = [...]string{"identity", "beliefs", "evolution", "corrections", "constraints"}

// keptEnvelope returns the part of a document that the residue of the identity keeps.
func keptEnvelope(d Document) canon.Value {
	v := d.Value
	if !isObject(v) {
		v = d.Wire()
	}
	var lists []string
	bare := v.Without(carrier)
	for _, name := range coreMembers {
		if v.Has(name) {
			lists = append(lists, name)
		}
		bare = bare.Without(name)
	}
	var o object
	o.add(envelopeDocument, bare)
	o.texts(envelopeLists, lists)
	o.must(envelopeSum, digest(v))
	return o.value()
}

// receivedIn returns the document whose identity this record holds, without core objects,
// and the envelope that the record keeps.
func receivedIn(identity *memory.Record) (Document, canon.Value, bool) {
	if identity == nil {
		return Document{}, canon.Value{}, false
	}
	kept := residueOf(*identity).Get(residueEnvelope)
	v := kept.Get(envelopeDocument)
	if !isObject(v) {
		return Document{}, canon.Value{}, false
	}
	for _, name := range texts[string](kept.Get(envelopeLists)) {
		v = v.With(name, canon.Null())
	}
	d := readEnvelope(v)
	if d.Version == "" || d.IssuedAt.IsZero() {
		return Document{}, canon.Value{}, false
	}
	return d, kept, true
}

// digest returns the digest of a document's canonical form without signature.
func digest(v canon.Value) string {
	sum := sha256.Sum256(v.Without("signature").AppendCanonical(nil))
	return hex.EncodeToString(sum[:])
}
