package model

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/satchel-memory/satchel/canon"
)

// The bounds of an answer.
const (
	mostAnswer = 16 << 20 // bytes
	mostLine   = 1 << 20  // bytes, of a stream
	mostCalls  = 1024     // and of its other parts
)

// The causes of answers that cannot be read.
var (
	errCut   = errors.New("the answer breaks off")
	errLarge = errors.New("the answer is too large")
)

// read reads an answer into a collector, and gives pieces of its text to onText. A question
// for a stream may be answered by one object.
func read(from io.Reader, wire Wire, stream bool, into collector, onText func(string)) error {
	limited := &io.LimitedReader{R: from, N: mostAnswer + 1}
	buffered := bufio.NewReader(limited)
	var err error
	switch first, none := firstByte(buffered); {
	case none != nil:
		err = none
	case first == '<':
		err = errShape
	case !stream, first == '{' && wire != Ollama, first == '[':
		err = readWhole(buffered, into, onText)
	case wire == Ollama:
		err = readLines(buffered, into, onText)
	default:
		err = readEvents(buffered, into, onText)
	}
	if limited.N <= 0 {
		return errLarge
	}
	return err
}

// firstByte returns the first byte that is not white space, unread.
func firstByte(r *bufio.Reader) (byte, error) {
	for {
		b, err := r.ReadByte()
		switch {
		case err == io.EOF:
			return 0, errCut
		case err != nil:
			return 0, err
		case b != ' ' && b != '\t' && b != '\r' && b != '\n':
			return b, r.UnreadByte()
		}
	}
}

func readWhole(r io.Reader, into collector, onText func(string)) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return take(data, into, onText)
}

// take gives an object to a collector.
func take(data []byte, into collector, onText func(string)) error {
	v, err := canon.Parse(data, canon.Options{Bytes: mostAnswer, Depth: 128, Inexact: true})
	if err != nil {
		return err
	}
	if v.Type() == canon.TypeArray && v.Len() == 1 { // an error of a stream
		v = v.Items()[0]
	}
	piece, err := into.add(v)
	if piece != "" && onText != nil {
		onText(piece)
	}
	return err
}

// lines returns a scanner of lines.
func lines(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(nil, mostLine)
	return s
}

// ended returns why there are no more lines.
func ended(s *bufio.Scanner) error {
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return errLarge
	}
	return s.Err()
}

// readLines reads an object from each line.
func readLines(r io.Reader, into collector, onText func(string)) error {
	s := lines(r)
	for s.Scan() {
		if len(bytes.TrimSpace(s.Bytes())) == 0 {
			continue
		}
		if err := take(s.Bytes(), into, onText); err != nil {
			return cutOr(s, err)
		}
	}
	return ended(s)
}

// cutOr returns why a line cannot be read: if nothing follows, it may be the half of one.
func cutOr(s *bufio.Scanner, err error) error {
	if _, broken := errors.AsType[*canon.Error](err); broken && !s.Scan() {
		if err := ended(s); err != nil {
			return err
		}
		return errCut
	}
	return err
}

// readEvents reads the objects of an event stream until its end, or until [DONE].
func readEvents(r io.Reader, into collector, onText func(string)) error {
	s := lines(r)
	var data []byte
	for s.Scan() {
		line := s.Bytes()
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			if len(data)+len(value) > mostLine {
				return errLarge
			}
			data = append(append(data, '\n'), bytes.TrimPrefix(value, []byte(" "))...)
			continue
		}
		if len(line) > 0 { // a comment, or the event's name, which the object has as well
			continue
		}
		event := bytes.TrimSpace(data)
		data = data[:0]
		if string(event) == "[DONE]" {
			return errDone
		}
		if len(event) == 0 {
			continue
		}
		if err := take(event, into, onText); err != nil {
			return err
		}
	}
	if err := ended(s); err != nil {
		return err
	}
	switch event := bytes.TrimSpace(data); { // the last event without an empty line after it
	case string(event) == "[DONE]":
		return errDone
	case len(event) > 0 && take(event, into, onText) != nil:
		return errCut
	}
	return nil
}

// errDone says that the stream ended with [DONE].
var errDone = errors.New("done")
