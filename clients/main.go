// Command clients makes the clients for TypeScript and Python of this folder from the
// description of the server: their types and their methods. What sends requests and reads
// errors is written by hand, in python/satchel_client/core.py and typescript/core.js.
//
//go:generate go run .
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/internal/openapi"
	"github.com/satchel-memory/satchel/ump/umphttp"
)

// offered are the operations that the clients have.
var offered = [...]string{"capabilities", "recall", "remember", "get", "revise", "forget", "feedback", "context", "contextDiff", "correct"}

func main() {
	files, err := generated()
	for name, text := range files {
		if err == nil {
			err = os.WriteFile(filepath.FromSlash(name), []byte(text), 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		os.Exit(1)
	}
}

// generated returns the files that are made from the description, by their paths.
func generated() (map[string]string, error) {
	description, err := openapi.Document(openapi.Info{Title: "Satchel", Version: "1"},
		[]httpkit.Description{umphttp.New(nil, umphttp.Options{}).Describe(), engramhttp.New(nil, engramhttp.Options{}).Describe()})
	if err != nil {
		return nil, err
	}
	a, err := read(description, offered[:])
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"python/satchel_client/api.py": a.python(),
		"typescript/api.js":            a.javaScript(),
		"typescript/index.d.ts":        a.typeScript(),
	}, nil
}
