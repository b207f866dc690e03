package startup

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/satchel-memory/satchel/internal/filelock"
)

// ErrHeld is the error of [Hold] if another process is the service.
var ErrHeld = errors.New("the service runs already")

// holder is what the file of a lock says about its holder.
type holder struct {
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

// holdFile is locked by the process that is the service.
func holdFile(folder string) string { return filepath.Join(folder, "running") }

// stopFile asks that process to end.
func stopFile(folder string) string { return filepath.Join(folder, "stop") }

// Hold makes this process the service of a folder, until release is called or the process
// dies. The context that it returns ends when somebody stops the service.
func Hold(ctx context.Context, folder string, now time.Time) (stopped context.Context, release func(), err error) {
	f, err := os.OpenFile(holdFile(folder), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	if free, err := filelock.Try(f); err != nil || !free {
		if err == nil {
			err = ErrHeld
		}
		return nil, nil, errors.Join(err, f.Close())
	}
	text, err := json.Marshal(holder{os.Getpid(), now})
	if err = errors.Join(err, f.Truncate(0)); err == nil {
		_, err = f.WriteAt(append(text, '\n'), 0)
	}
	if err = errors.Join(err, discard(stopFile(folder))); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	stopped, stop := context.WithCancel(ctx)
	go func() {
		ticker := time.NewTicker(stopInterval)
		defer ticker.Stop()
		for stopped.Err() == nil && !there(stopFile(folder)) {
			select {
			case <-ticker.C:
			case <-stopped.Done():
			}
		}
		stop()
	}()
	return stopped, func() {
		stop()
		_ = f.Truncate(0) // without the lock nobody believes the content
		_ = f.Close()
	}, nil
}

// held is the state of the process that holds the lock of a folder.
func held(folder string) State {
	f, err := os.OpenFile(holdFile(folder), os.O_RDWR, 0o600)
	if err != nil {
		return State{}
	}
	defer f.Close()
	if free, err := filelock.Try(f); err != nil || free {
		return State{} // closing the file frees the lock
	}
	var by holder
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 4096))
	if err == nil {
		_ = json.Unmarshal(text, &by) // it is not written yet
	}
	return State{Running: true, PID: by.PID, Since: by.Since}
}
