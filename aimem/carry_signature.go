package aimem

import (
	"encoding/base64"
	"strings"
)

// SignatureHeader carries a signature over HTTP (section 5.3).
const SignatureHeader = "AIMEM-Signature"

// FormatHeader returns the value of AIMEM-Signature for a signature: padded base64
// of the message (decision AD-23).
func FormatHeader(signature []byte) string { return base64.StdEncoding.EncodeToString(signature) }

// ParseHeader reads the lines of AIMEM-Signature: none gives nil, which is no
// signature. It takes base64 and base64url, with padding or without, and the byte
// sequence of RFC 9651. It fails with a [*Fault] of code signature_invalid, also
// for more than one line.
func ParseHeader(lines []string) ([]byte, error) {
	switch len(lines) {
	case 0:
		return nil, nil
	case 1:
		return parseBase64(lines[0])
	}
	return nil, headerFault("there is more than one AIMEM-Signature header; send one")
}

// ParseSignatureFile reads what a .sig file holds: the message itself or, as text,
// what a header would (decision AD-24).
func ParseSignatureFile(data []byte) ([]byte, error) {
	if len(data) > 0 && (data[0] == 0xd2 || data[0] == 0x84) { // a tag or an array of CBOR: no text begins so
		return data, nil
	}
	return parseBase64(string(data))
}

func parseBase64(text string) ([]byte, error) {
	text = strings.Trim(text, " \t\r\n")
	if inner, ok := strings.CutPrefix(text, ":"); ok {
		if text, ok = strings.CutSuffix(inner, ":"); !ok {
			return nil, headerFault("the byte sequence of the signature does not end with a colon")
		}
	}
	if len(text) > base64.StdEncoding.EncodedLen(maxSignature) {
		return nil, headerFault("the signature is longer than 64 KiB")
	}
	bare := strings.TrimRight(text, "=")
	padding := len(text) - len(bare)
	if padding > 0 && (padding > 2 || len(text)%4 != 0) || bare == "" {
		return nil, headerFault("the signature is not base64")
	}
	alphabet := base64.RawStdEncoding
	if strings.ContainsAny(bare, "-_") {
		alphabet = base64.RawURLEncoding
	}
	signature, err := alphabet.Strict().DecodeString(bare)
	if err != nil || strings.ContainsAny(bare, "\r\n") {
		return nil, headerFault("the signature is not base64")
	}
	return signature, nil
}

func headerFault(detail string) *Fault {
	return &Fault{Code: SignatureInvalid, Rule: "AIMEM-5.3-2", Detail: detail}
}

// Extension ends the names of files that hold a bundle (section 6.1),
// StreamExtension those of files that hold a stream, and signatureExtension those of
// the files beside them that hold its signature.
const (
	Extension          = ".aimem.json"
	StreamExtension    = ".aimem.ndjson"
	signatureExtension = ".sig"
)

// SignatureName is the name of the file for the signature of a bundle's file
// (section 5.3, decision AD-24).
func SignatureName(bundle string) string { return bundle + signatureExtension }

// SignatureNames lists the names under which the signature of a bundle's file is
// looked for, in that order (decision AD-24).
func SignatureNames(bundle string) []string {
	names := []string{SignatureName(bundle)}
	for _, ending := range []string{Extension, ".json", StreamExtension, ".ndjson"} {
		if bare, ok := strings.CutSuffix(bundle, ending); ok && bare != "" && !strings.HasSuffix(bare, "/") {
			names = append(names, bare+signatureExtension)
		}
	}
	return names
}
