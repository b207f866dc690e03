package transcript

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Answer is the answer to an HTTP request.
type Answer struct {
	Status string
	Header map[string][]string
	Body   []byte
}

// HTTP sends the requests of a script with ask and returns the conversation, without its
// dates. A line "---" separates requests: method and path, headers, an empty line, the
// body.
func HTTP(script string, ask func(method, path, body string, header ...string) Answer) []byte {
	var said bytes.Buffer
	for request := range strings.SplitSeq(script, "---\n") {
		head, body, _ := strings.Cut(request, "\n\n")
		lines := strings.Split(strings.Trim(head, "\n"), "\n")
		method, path, _ := strings.Cut(lines[0], " ")
		got := ask(method, path, strings.TrimSpace(body), lines[1:]...)
		fmt.Fprintf(&said, "%s\n\n%s\n", strings.TrimSpace(request), got.Status)
		for _, name := range slices.Sorted(maps.Keys(got.Header)) {
			if name != "Date" {
				fmt.Fprintf(&said, "%s: %s\n", name, strings.Join(got.Header[name], ", "))
			}
		}
		fmt.Fprintf(&said, "\n%s\n---\n", Pretty(got.Body))
	}
	return said.Bytes()
}
