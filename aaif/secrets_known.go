package aaif

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

// spelling is one way in which a known secret may stand in a text.
type spelling struct {
	text string
	// run: it is part of what is encoded, all of which goes.
	run bool
}

// spelledOut returns the spellings of secrets, without those that are too short to be
// told from other words.
func spelledOut(secrets []string) []spelling {
	const shortest = 4
	var all []spelling
	for _, secret := range secrets {
		if len(secret) >= shortest {
			all = append(all, spelled(secret)...)
		}
	}
	slices.SortFunc(all, func(a, b spelling) int {
		return cmp.Or(cmp.Compare(len(b.text), len(a.text)), strings.Compare(a.text, b.text))
	})
	return slices.CompactFunc(all, func(a, b spelling) bool { return a.text == b.text })
}

// spelled returns a secret as it is, in JSON, in an address, in hexadecimal digits, and in
// base64, alone or behind a name.
func spelled(secret string) []spelling {
	json := string(canon.String(secret).Append(nil))
	digits := hex.EncodeToString([]byte(secret))
	all := []spelling{{text: secret}, {text: json[1 : len(json)-1]}, {text: url.QueryEscape(secret)}, {text: url.PathEscape(secret)},
		{text: digits, run: true}, {text: strings.ToUpper(digits), run: true}}
	for _, in := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		all = append(all, spelling{in.EncodeToString([]byte(secret)), true})
		for before := range 3 {
			const least = 8 // letters; fewer may stand there by chance
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

// encodes reports whether a letter is one of base64.
func encodes(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c) || c == '+' || c == '/' || c == '-' || c == '_'
}

// leastEncoded is how many letters base64 has that is looked into.
const leastEncoded = 20

// encoded finds base64 that reads as text, and as a secret. Where it hardly has blanks
// too far apart, a text is looked at in jumps.
func (s *scan) encoded(found []hit, text string) []hit {
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

// hides reports whether base64, or a part of it between slashes, is of a secret.
func (s *scan) hides(run string) bool {
	if s.reads(run) {
		return true
	}
	parts := strings.Split(run, "/")
	return len(parts) > 1 && slices.ContainsFunc(parts, func(part string) bool { return len(part) >= leastEncoded && s.reads(part) })
}

// reads reports whether base64 is of a text with a secret in it.
func (s *scan) reads(run string) bool {
	run = strings.NewReplacer("-", "+", "_", "/").Replace(run)
	if begin, err := base64.RawStdEncoding.DecodeString(run[:8]); err != nil || !legible(string(begin)) {
		return false
	}
	raw, err := base64.RawStdEncoding.DecodeString(run)
	return err == nil && utf8.Valid(raw) && legible(string(raw)) && len(s.secrets.Find(string(raw))) > 0
}

// legible reports whether a text has no letters that no text has, but maybe for the rest of
// one at its end.
func legible(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) })
}
