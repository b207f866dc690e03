package aicffile

import (
	"encoding/json"
	"errors"
	"os"
	"time"
)

// access is a line of the access log: the operation, the file and the result, and no
// content of the file (decision A-30).
type access struct {
	Time   string `json:"time"`
	Op     string `json:"op"` // read, append, write
	File   string `json:"file"`
	Result string `json:"result"` // ok, locked, invalid, failed
}

// logged writes the result of an operation to the log, and returns its error. An
// operation that cannot be logged has failed.
func (o Options) logged(op, path string, err error) error {
	if o.Log == "" {
		return err
	}
	line, e := json.Marshal(access{o.now().UTC().Format(time.RFC3339), op, path, outcome(err)})
	if e != nil {
		return errors.Join(err, e)
	}
	f, e := os.OpenFile(o.Log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if e != nil {
		return errors.Join(err, e)
	}
	_, e = f.Write(append(line, '\n'))
	return errors.Join(err, e, f.Close())
}

func outcome(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, ErrLocked):
		return "locked"
	case errors.Is(err, ErrInvalid):
		return "invalid"
	}
	return "failed"
}
