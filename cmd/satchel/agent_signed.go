package main

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
)

// signatures are those that were made in this home folder, the newest last. A signature does
// not say whose key made it: by this list one's own document that was changed afterwards is
// told from a stranger's (AAIF-12-17).
type signatures []string

// mostSignatures bounds how many are remembered: 96 bytes each, in a small file.
const mostSignatures = 500

func (h home) readSignatures() (signatures, error) {
	var known signatures
	err := readJSON(h.signatures(), &known)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return known, err
}

// agentSignatureOf returns the signature of a definition or a report.
func agentSignatureOf(d aaif.Document) string {
	member := "provenance"
	if d.Kind == aaif.ReportKind {
		member = "attestation"
	}
	return d.Value.Get(member).Get("signature").Text()
}

// rememberSigned keeps that a document was signed here. Without a store nothing is kept;
// what cannot be is warned of, as the document is signed all the same.
func (a *app) rememberSigned(d aaif.Document) {
	if !a.hasStore() {
		return
	}
	err := func() error {
		h, err := a.home()
		if err != nil {
			return err
		}
		known, err := h.readSignatures()
		if err != nil || slices.Contains(known, agentSignatureOf(d)) {
			return err
		}
		known = append(known, agentSignatureOf(d))
		return writeJSON(h.signatures(), known[max(0, len(known)-mostSignatures):])
	}()
	if err != nil {
		a.warn("that it was signed here is not remembered: %v", err)
	}
}

// signedHere reports whether the signature of a document was made here, of whatever it said
// then.
func (a *app) signedHere(d aaif.Document) (bool, error) {
	if !a.hasStore() {
		return false, nil
	}
	h, err := a.home()
	if err != nil {
		return false, err
	}
	known, err := h.readSignatures()
	return slices.Contains(known, agentSignatureOf(d)), err
}

// changedSince tells a document that was signed here and says something else now from one
// that is signed with a key nobody knows.
func (a *app) changedSince(d aaif.Document, err error) error {
	if aaif.CodeOf(err) != aaif.SignatureUntrusted {
		return err
	}
	switch here, failed := a.signedHere(d); {
	case failed != nil:
		a.warn("whether it was signed here is not known: %v", failed)
	case here:
		pointer := "/provenance/signature"
		if d.Kind == aaif.ReportKind {
			pointer = "/attestation/signature"
		}
		return aaif.Violation("aaif", aaif.SignatureInvalid, "12-17", pointer, "it was signed here, and changed after that")
	}
	return err
}
