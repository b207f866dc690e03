package agentdoc

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/agentspec"
	"github.com/satchel-memory/satchel/aaif/openapi"
	"github.com/satchel-memory/satchel/codec"
)

// descriptions holds the OpenAPI descriptions beside a definition. Each is read once,
// however many tools name it.
type descriptions struct {
	dir  string
	left int64 // bytes that may still be read
	read map[string]description
}

// description is the result of reading one.
type description struct {
	says   openapi.Description
	err    error  // the file is no description
	unread string // why its operations are unknown, for people
}

// of returns the description that an endpoint names.
func (all *descriptions) of(endpoint string) description {
	d, ok := all.read[endpoint]
	if !ok {
		d = all.load(endpoint)
		all.read[endpoint] = d
	}
	return d
}

func (all *descriptions) load(endpoint string) description {
	const unknown = ", so that what it offers is not known"
	if all.left <= 0 {
		return description{unread: fmt.Sprintf("the descriptions before it have more than %d MiB together%s", mostDescription>>20, unknown)}
	}
	raw, err := readBeside(all.dir, endpoint)
	all.left -= int64(len(raw))
	switch {
	case errors.Is(err, errLongDescription):
		return description{unread: fmt.Sprintf("longer than the %d MiB that are read of a description%s", aaif.MaxState>>20, unknown)}
	case err != nil:
		return description{unread: "no file of at most 4 MiB beside the definition" + unknown}
	}
	v, err := agentspec.Read(raw, aaif.ReadOptions{})
	if err != nil {
		where := ""
		if p, ok := errors.AsType[*codec.ParseError](err); ok && p.Path != "" {
			where = " (" + aaif.Shown(p.Path) + ")"
		}
		return description{unread: "neither JSON nor YAML that is read, without anchors, aliases and tags" + where}
	}
	says, err := openapi.Read(v)
	return description{says: says, err: err}
}

// errLongDescription means that a description is longer than the limit.
var errLongDescription = errors.New("longer than is read of a description")

// readBeside reads a file in or below a folder, of at most [aaif.MaxState] bytes.
func readBeside(dir, path string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("no file that is read")
	}
	if info.Size() > aaif.MaxState {
		return nil, errLongDescription
	}
	f, err := root.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, aaif.MaxState+1))
	if err == nil && len(raw) > aaif.MaxState { // the file has grown
		return nil, errLongDescription
	}
	return raw, err
}
