package agentdoc

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/cli"
)

// signatures are the signatures made in this home folder, newest last. A signature does
// not name its key: this list tells the owner's changed document from a stranger's
// (AAIF-12-17).
type signatures []string

// mostSignatures is the most that are remembered: 96 bytes each, in a small file.
const mostSignatures = 500

func readSignatures(h cli.Home) (signatures, error) {
	var known signatures
	err := cli.ReadJSON(signaturesFile(h), &known)
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

// RememberSigned records that a document was signed here. Without a store it records
// nothing. A failure is a warning only, as the document is signed.
func RememberSigned(a *cli.App, d aaif.Document) {
	if !hasStore(a) {
		return
	}
	err := func() error {
		h, err := a.Home()
		if err != nil {
			return err
		}
		return cli.InTurn(signaturesFile(h), func() error {
			known, err := readSignatures(h)
			if err != nil || slices.Contains(known, agentSignatureOf(d)) {
				return err
			}
			known = append(known, agentSignatureOf(d))
			return cli.WriteJSON(signaturesFile(h), known[max(0, len(known)-mostSignatures):])
		})
	}()
	if err != nil {
		a.Warn("that it was signed here is not remembered: %v", err)
	}
}

// signedHere reports whether a document's signature was made here, whatever the document
// said then.
func signedHere(a *cli.App, d aaif.Document) (bool, error) {
	if !hasStore(a) {
		return false, nil
	}
	h, err := a.Home()
	if err != nil {
		return false, err
	}
	known, err := readSignatures(h)
	return slices.Contains(known, agentSignatureOf(d)), err
}

// changedSince tells a document that was changed after it was signed here from one signed
// with an unknown key.
func changedSince(a *cli.App, d aaif.Document, err error) error {
	if aaif.CodeOf(err) != aaif.SignatureUntrusted {
		return err
	}
	switch here, failed := signedHere(a, d); {
	case failed != nil:
		a.Warn("whether it was signed here is not known: %v", failed)
	case here:
		pointer := "/provenance/signature"
		if d.Kind == aaif.ReportKind {
			pointer = "/attestation/signature"
		}
		return aaif.Violation("aaif", aaif.SignatureInvalid, "12-17", pointer, "it was signed here, and changed after that")
	}
	return err
}

func signaturesFile(h cli.Home) string { return filepath.Join(h.Dir, "aaif-signed.json") }

// IsSmall reports whether a value fits into a small file.
func IsSmall(v any) bool {
	data, err := json.MarshalIndent(v, "", "  ")
	return err == nil && len(data) < cli.MaxSmall
}
