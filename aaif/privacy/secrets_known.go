package privacy

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/canon"
)

// spelling is one way in which a known secret may be written.
type spelling struct {
	text string
	// run: the text is part of an encoded run, which is masked as a whole.
	run bool
}

// spellingsOf returns the spellings of secrets. Secrets that are too short to tell from
// other words are left out.
func spellingsOf(secrets []string) []spelling {
	const shortest = 4
	var all []spelling
	for _, secret := range secrets {
		for _, one := range variants(secret) {
			if len(one) >= shortest {
				all = append(all, encodings(one)...)
			}
		}
	}
	slices.SortFunc(all, func(a, b spelling) int {
		return cmp.Or(cmp.Compare(len(b.text), len(a.text)), strings.Compare(a.text, b.text))
	})
	return slices.CompactFunc(all, func(a, b spelling) bool { return a.text == b.text })
}

// variants returns a secret as it is stored, and as it is used: without blanks, line ends
// or quotation marks around it, and with its lines joined.
func variants(secret string) []string {
	bare := strings.TrimSpace(secret)
	all := []string{secret, bare}
	if n := len(bare); n > 2 && (bare[0] == '"' || bare[0] == '\'') && bare[n-1] == bare[0] {
		bare = bare[1 : n-1]
		all = append(all, bare)
	}
	if strings.Contains(bare, `\n`) {
		bare = strings.TrimSpace(strings.NewReplacer(`\r\n`, "\n", `\n`, "\n").Replace(bare))
		all = append(all, bare)
	}
	if strings.ContainsAny(bare, "\r\n") {
		all = append(all, joinLines(bare).text)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// joinLines returns a text without its line breaks and the blanks around them, so that
// differently wrapped and indented texts read the same.
func joinLines(text string) plainText {
	out, from := make([]byte, 0, len(text)), make([]int, 0, len(text)+1)
	for i := 0; i < len(text); i++ {
		if c := text[i]; c != '\n' && c != '\r' {
			out, from = append(out, c), append(from, i)
			continue
		}
		for len(out) > 0 && isBlank(out[len(out)-1]) {
			out, from = out[:len(out)-1], from[:len(from)-1]
		}
		for i+1 < len(text) && (isBlank(text[i+1]) || text[i+1] == '\n' || text[i+1] == '\r') {
			i++
		}
	}
	return plainText{string(out), append(from, len(text))}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// findAcrossLines finds known secrets that line breaks interrupt.
func (s *secretFinder) findAcrossLines(found []hit, text string) []hit {
	if len(s.known) == 0 || !strings.ContainsAny(text, "\r\n") {
		return found
	}
	p := joinLines(text)
	for _, k := range s.known {
		for _, h := range k.find(nil, p.text) {
			h.start, h.end = p.from[h.start], p.from[h.end-1]+1
			found = append(found, h)
		}
	}
	return found
}

// encodings returns a secret as it is, and as JSON, addresses, hexadecimal digits and
// base64 write it, alone or behind a name.
func encodings(secret string) []spelling {
	json := string(canon.String(secret).Append(nil))
	digits := hex.EncodeToString([]byte(secret))
	all := []spelling{{text: secret}, {text: json[1 : len(json)-1]}, {text: url.QueryEscape(secret)}, {text: url.PathEscape(secret)},
		{text: digits, run: true}, {text: strings.ToUpper(digits), run: true}}
	const leastFolded = 8 // characters; shorter ones may occur by chance
	if len(secret) >= leastFolded {
		all = append(all, spelling{text: strings.ToUpper(secret)}, spelling{text: strings.ToLower(secret)})
	}
	for _, in := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		all = append(all, spelling{in.EncodeToString([]byte(secret)), true})
		for before := range 3 {
			const least = 8 // characters; fewer may occur by chance
			whole := in.EncodeToString(append(make([]byte, before), secret...))
			first, last := (before*8+5)/6, (before+len(secret))*8/6
			if last-first >= least {
				all = append(all, spelling{whole[first:last], true})
			}
		}
	}
	return all
}

func (k spelling) find(found []hit, text string) []hit {
	for at := 0; ; {
		i := strings.Index(text[at:], k.text)
		if i < 0 {
			return found
		}
		start, end := at+i, at+i+len(k.text)
		for k.run && start > at && encodes(text[start-1]) {
			start--
		}
		for k.run && end < len(text) && (encodes(text[end]) || text[end] == '=') {
			end++
		}
		found = append(found, hit{start, end, "secret", "holds a secret that is known"})
		at = end
	}
}

// encodes reports whether a character is one of base64.
func encodes(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c) || c == '+' || c == '/' || c == '-' || c == '_'
}

// leastEncoded is the least number of base64 characters that are decoded.
const leastEncoded = 20

// findEncoded finds base64 that decodes to a text with a secret. It skips ahead where
// blanks stand too close together.
func (s *secretFinder) findEncoded(found []hit, text string) []hit {
	for start := 0; start+leastEncoded <= len(text); {
		last := start + leastEncoded - 1
		for last >= start && encodes(text[last]) {
			last--
		}
		if last >= start {
			start = last + 1
			continue
		}
		end := start + leastEncoded
		for end < len(text) && encodes(text[end]) {
			end++
		}
		if s.hides(text[start:end]) {
			for end < len(text) && text[end] == '=' {
				end++
			}
			found = append(found, hit{start, end, "secret", "holds a secret in base64"})
		}
		start = end
	}
	return found
}

// hides reports whether base64, or a part of it between slashes, decodes to a secret.
func (s *secretFinder) hides(run string) bool {
	if s.decodesToSecret(run) {
		return true
	}
	parts := strings.Split(run, "/")
	return len(parts) > 1 && slices.ContainsFunc(parts, func(part string) bool { return len(part) >= leastEncoded && s.decodesToSecret(part) })
}

// decodesToSecret reports whether base64 decodes to a text with a secret.
func (s *secretFinder) decodesToSecret(run string) bool {
	run = strings.NewReplacer("-", "+", "_", "/").Replace(run)
	if begin, err := base64.RawStdEncoding.DecodeString(run[:8]); err != nil || !legible(string(begin)) {
		return false
	}
	raw, err := base64.RawStdEncoding.DecodeString(run)
	return err == nil && utf8.Valid(raw) && legible(string(raw)) && len(s.secrets.Find(string(raw))) > 0
}

// legible reports whether a text has no control characters. A rune that is cut off at its
// end does not count.
func legible(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) })
}
