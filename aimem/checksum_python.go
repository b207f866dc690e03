package aimem

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"strconv"

	"github.com/satchel-memory/satchel/canon"
)

// smallest is the number below which Python, and with it the reference implementation,
// spells numbers as RFC 8785 does not: 9e-05 for 0.00009 (decision AD-4).
const smallest = 1e-4

// pythonFault returns the fault of a bundle whose checksum is right, but for the spelling
// of its numbers; nil if that is not so. sum is the right checksum.
func (in *inspector) pythonFault(sum string) (*Fault, error) {
	digest := sha256.New()
	p := &pythonNumbers{out: digest}
	if err := in.doc.payload(p); err != nil {
		return nil, err
	}
	if in.b.envelope.Checksum != checksumPrefix+hex.EncodeToString(digest.Sum(nil)) {
		return nil, nil
	}
	where, err := in.smallWeight()
	return &Fault{Code: ChecksumMismatch, Pointer: "/checksum", Rule: "AIMEM-2.8-2",
		Detail: "only the form of a number is the cause" + where + ": the producer made the checksum with " + p.python + ", as Python spells it, and RFC 8785 spells it " + p.canonical +
			". Have the producer round its numbers to 4 decimals, or spell them as RFC 8785 does, and export again. Or, if you trust where the file comes from, put the checksum of RFC 8785 into it: " + sum}, err
}

// smallWeight says where the first edge lies that has such a weight.
func (in *inspector) smallWeight() (where string, err error) {
	err = in.doc.walk(edgeRecord, func(r record) error {
		if !isSmall(r.value.Get("weight").Float()) {
			return nil
		}
		where = " (" + canon.Pointer(memberEdges, strconv.Itoa(r.n), "weight") + ")"
		return errEnough
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return where, err
}

func isSmall(f float64) bool { return f != 0 && math.Abs(f) < smallest }

// pythonNumbers writes canonical JSON on, with its numbers as Python spells them.
type pythonNumbers struct {
	out               io.Writer
	python, canonical string // the first number that is spelled otherwise
	text, escaped     bool   // inside a string, after a backslash
	number            []byte // so far
	buf               []byte // reused
}

// Write implements [io.Writer].
func (p *pythonNumbers) Write(piece []byte) (int, error) {
	p.buf = p.buf[:0]
	for _, c := range piece {
		switch {
		case p.text:
			p.text = p.escaped || c != '"'
			p.escaped = !p.escaped && c == '\\'
		case isNumeric(c) && (len(p.number) > 0 || c == '-' || c >= '0' && c <= '9'):
			p.number = append(p.number, c)
			continue
		default:
			p.text = c == '"'
			p.endNumber()
		}
		p.buf = append(p.buf, c)
	}
	_, err := p.out.Write(p.buf)
	return len(piece), err
}

func isNumeric(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e'
}

// endNumber writes the number that ended. A document ends with a brace, never with one.
func (p *pythonNumbers) endNumber() {
	if len(p.number) == 0 {
		return
	}
	spelled := p.number
	if f, err := strconv.ParseFloat(string(p.number), 64); err == nil && isSmall(f) {
		spelled = strconv.AppendFloat(nil, f, 'e', -1, 64)
		if p.python == "" && string(spelled) != string(p.number) {
			p.python, p.canonical = string(spelled), string(p.number)
		}
	}
	p.buf = append(p.buf, spelled...)
	p.number = p.number[:0]
}
