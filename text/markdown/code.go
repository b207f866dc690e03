package markdown

import "strings"

// MaskCode returns text with spaces in place of code spans and code blocks, so that all
// other characters keep their place.
func MaskCode(text string) string {
	out := []byte(text)
	para := 0 // start of the present paragraph
	fence := ""
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		next := min(at+len(line)+1, len(text))
		run, bare := FenceRun(line)
		switch {
		case fence != "":
			blank(out[at : at+len(line)])
			if bare && run != "" && run[0] == fence[0] && len(run) >= len(fence) {
				fence, para = "", next
			}
		case run != "":
			maskSpans(text[para:at], out[para:at])
			blank(out[at : at+len(line)])
			fence = run
		case strings.TrimSpace(line) == "":
			maskSpans(text[para:at], out[para:at])
			para = next
		}
		at = next
	}
	if fence == "" {
		maskSpans(text[para:], out[para:])
	}
	return string(out)
}

// FenceRun returns the backticks or tildes with which a line opens a code block. bare says
// that nothing follows them, so that the line may also close one.
func FenceRun(line string) (run string, bare bool) {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, mark)
		if n := len(line) - len(rest); n >= 3 && !strings.Contains(rest, "`") {
			return line[:n], rest == ""
		}
	}
	return "", false
}

// maskSpans blanks the code spans of a paragraph: from a run of backticks to the next run
// of the same length. It looks at each run at most twice.
func maskSpans(text string, out []byte) {
	starts := map[int][]int{} // by length
	for at := 0; at < len(text); {
		n := backticks(text[at:])
		if n > 0 {
			starts[n] = append(starts[n], at)
		}
		at += max(n, 1)
	}
	for at := 0; at < len(text); {
		n := backticks(text[at:])
		if n == 0 {
			at++
			continue
		}
		list := starts[n]
		for len(list) > 0 && list[0] <= at {
			list = list[1:]
		}
		starts[n] = list
		if len(list) > 0 {
			blank(out[at : list[0]+n])
			at = list[0]
		}
		at += n
	}
}

func backticks(s string) int {
	n := 0
	for n < len(s) && s[n] == '`' {
		n++
	}
	return n
}

// blank overwrites everything but line ends.
func blank(b []byte) {
	for i, c := range b {
		if c != '\n' {
			b[i] = ' '
		}
	}
}
