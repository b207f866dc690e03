package gemini

import "testing"

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
