package gemini

import (
	"io"
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	for html, want := range map[string]string{
		"<p>one</p><p>two":                                   "one\n\ntwo",
		"a<div\tclass=\"x\">b</div>":                         "a\n\nb",
		"<a title=\"a > b\" href=\"https://x.y\">link</a>":   "link (https://x.y)",
		"<a data-href=\"https://no\" href=https://x.y>a</a>": "a (https://x.y)",
		"2 < 3 &amp; 4 > 3":                                  "2 < 3 & 4 > 3",
		"cut <b off":                                         "cut <b off",
		"<script>if (a<b) { \"</p>\" }</script>shown":        "shown",
		"<textarea>a<br>b</textarea>":                        "a\nb",
		"<pre>a\n  b</pre>c":                                 "```\na\n  b\n```\n\nc",
	} {
		if got := plain(html); got != want {
			t.Errorf("plain(%q) = %q, want %q", html, got, want)
		}
	}
}

// TestPageReadsLittle: a text that is no page is not read to its end, whatever it looks like.
func TestPageReadsLittle(t *testing.T) {
	const size = 64 << 20
	for _, begin := range []string{"", `{"chunks":[`, "<", "<html><body>", "<!--", " \n<p>", "<script>"} {
		in := &counted{Reader: io.MultiReader(strings.NewReader(begin), io.LimitReader(letters{}, size))}
		got, err := io.ReadAll(page(in, size))
		if len(got) > 0 || err != nil || in.read > 4*mostBefore {
			t.Errorf("%q: %d bytes were read, and gave %d: %v", begin, in.read, len(got), err)
		}
	}
}

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

type counted struct {
	io.Reader
	read int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read += n
	return n, err
}
