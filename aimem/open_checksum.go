package aimem

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// checksum compares the checksum with that of the document as it was received
// (section 2.8, decision AD-4).
func (in *inspector) checksum() error {
	if err := in.doc.complete(); err != nil {
		return err
	}
	var count counter
	digest := sha256.New()
	if err := in.doc.payload(io.MultiWriter(digest, &count)); err != nil {
		return err
	}
	in.size = int64(count)
	said, sum := in.b.envelope.Checksum, checksumPrefix+hex.EncodeToString(digest.Sum(nil))
	if said == "" || said == sum {
		return nil
	}
	fault, err := in.pythonFault(sum)
	if err != nil {
		return err
	}
	if fault != nil {
		return in.violation(fault)
	}
	return in.violation(&Fault{Code: ChecksumMismatch, Pointer: "/checksum", Rule: "AIMEM-2.8-7",
		Detail: "the bundle was changed after its checksum was made, or it is not whole; export it again"})
}
