package codectest

import (
	"testing"

	"github.com/satchel-memory/satchel/codec"
)

// testDetect checks that the format recognises its own documents, claims no others, and
// that Validate finds no fault in documents that Open accepts.
func (s Suite) testDetect(t *testing.T) {
	for _, d := range s.all(t) {
		if got := s.Format.Detect(s.source(d.Data)); got < codec.Likely {
			t.Errorf("%s: confidence is %d, want at least Likely", d.Name, got)
		}
	}
	for name, data := range map[string]string{
		"nothing": "", "an empty object": "{}", "words": "Dear diary,\n", "a picture": "\x89PNG\r\n\x1a\n\x00\x00",
		"a list of words": `["a","b"]`, "another object": `{"name":"x","version":1}`, "front matter": "---\ntitle: x\n---\n\ny\n",
		"broken": "{[\"", "zeros": "\x00\x00\x00\x00",
	} {
		src := s.source([]byte(data))
		src.Name = "unnamed"
		if got := s.Format.Detect(src); got >= codec.Likely {
			t.Errorf("%s: confidence is %d, want less than Likely", name, got)
		}
	}
	if s.Format.Validate == nil || !s.writes() {
		return
	}
	data, _ := s.encode(t, full(t))
	err := s.Format.Validate(s.source(data), s.Options, func(e *codec.ParseError) {
		t.Errorf("our own document has a violation: %v", e)
	})
	if err != nil {
		t.Error(err)
	}
}
