package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// ReadScript reads a script of JSON lines, one [Step] each. Empty lines and lines that begin
// with # are skipped:
//
//	# first the model asks for a payment, then it reports
//	{"turn": 0, "answer": "I pay.", "calls": [{"tool": "pay", "arguments": {"amount": 12}}]}
//	{"turn": 1, "last": "paid", "answer": "It is paid.", "usage": {"input": 80, "output": 6}}
//	{"status": 429, "retry_after": "30"}
//
// It fails with the number of the line.
func ReadScript(r io.Reader) (*Script, error) {
	s := bufio.NewScanner(io.LimitReader(r, mostAnswer))
	s.Buffer(nil, mostLine)
	var steps []Step
	for n := 1; s.Scan(); n++ {
		line := bytes.TrimSpace(s.Bytes())
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		step, err := readStep(line)
		if err != nil {
			return nil, fmt.Errorf("line %d of the script: %w; %s", n, err, stepMembers)
		}
		steps = append(steps, step)
	}
	if s.Err() != nil {
		return nil, s.Err()
	}
	if len(steps) == 0 {
		return nil, errors.New("the script has no steps")
	}
	return NewScript(steps...), nil
}

// stepMembers says what a line may have.
const stepMembers = "a line may have expect, last, model, turn, results and times; answer, calls (each with tool, arguments and id), usage (input, output), stop and delay_ms; or fault, status, retry_after and message"

func readStep(line []byte) (Step, error) {
	var step Step
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&step); err != nil {
		return Step{}, err
	}
	if d.More() {
		return Step{}, errors.New("a step is one object on one line")
	}
	return step, step.check()
}
