package redact

import (
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
)

var iban = pattern.New(`(?i)[a-z]{2}\d{2}`)

// findCards finds numbers of payment cards: their length fits their beginning, and their
// Luhn check digit is right.
func findCards(text string) []span {
	var found []span
	for i := 0; i < len(text); i++ {
		if text[i] < '2' || text[i] > '6' || i > 0 && digit(text[i-1]) {
			continue
		}
		if end := cardEnds(text, i); end > i {
			found = append(found, span{i, end})
			i = end
		}
	}
	return found
}

// cardEnds returns where a card number ends that begins at start, or 0. Single blanks or
// hyphens may separate the digits.
func cardEnds(text string, start int) int {
	const longest = 19
	var digits []byte
	last := 0
	for i := start; i < len(text) && len(digits) < longest; i++ {
		switch c := text[i]; {
		case digit(c):
			digits = append(digits, c)
			if len(digits) >= 14 && byItself(text, span{start, i + 1}) && isCard(string(digits)) {
				last = i + 1
			}
		case (c == ' ' || c == '-') && digit(text[i-1]):
		default:
			return last
		}
	}
	return last
}

// isCard reports whether digits are a card number.
func isCard(digits string) bool {
	n := len(digits)
	switch {
	case digits[0] == '4':
		return (n == 16 || n == 19) && luhn(digits)
	case digits[0] == '5', digits[0] == '2' && digits[1] >= '2':
		return n == 16 && digits[1] != '0' && luhn(digits)
	case digits[0] == '6':
		return (n == 16 || n == 19) && luhn(digits)
	case digits[:2] == "34", digits[:2] == "37":
		return n == 15 && luhn(digits)
	case digits[:2] == "35":
		return n == 16 && luhn(digits)
	case digits[0] == '3':
		return n == 14 && luhn(digits)
	}
	return false
}

// luhn reports whether the check digit at the end is right.
func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			d *= 2
		}
		sum += d/10 + d%10
	}
	return sum%10 == 0
}

// lengths holds, for each country, the length of an account number after its letters.
const lengths = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 " +
	"IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SD18 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 "

// findIBANs finds international bank account numbers, written together or in groups.
func findIBANs(text string) []span {
	var found []span
	for _, at := range iban.FindAllStringIndex(text, -1) {
		i := strings.Index(lengths, strings.ToUpper(text[at[0]:at[0]+2]))
		if i < 0 || i%5 != 0 {
			continue
		}
		s, whole := account(text, at[0], int(lengths[i+2]-'0')*10+int(lengths[i+3]-'0'))
		if byItself(text, s) && whole != "" && mod97(whole) {
			found = append(found, s)
		}
	}
	return apart(found)
}

// account reads length letters and digits; single blanks or hyphens may separate them.
func account(text string, start, length int) (s span, whole string) {
	var b strings.Builder
	i := start
	for ; i < len(text) && b.Len() < length; i++ {
		switch c := lower(text[i]); {
		case digit(c), 'a' <= c && c <= 'z':
			b.WriteByte(c)
		case (c == ' ' || c == '-') && i > start && inWord(text[i-1]):
		default:
			return span{start, i}, ""
		}
	}
	if b.Len() < length {
		return span{start, i}, ""
	}
	return span{start, i}, b.String()
}

// mod97 reports whether the check digits of an account, in lower case, are right.
func mod97(account string) bool {
	rest := 0
	for i := range len(account) {
		if c := account[(i+4)%len(account)]; digit(c) {
			rest = (rest*10 + int(c-'0')) % 97
		} else {
			rest = (rest*100 + int(c-'a') + 10) % 97
		}
	}
	return rest == 1
}

// byItself reports whether a number is not a part of a word, of a longer number, or of an
// id with hyphens.
func byItself(text string, s span) bool {
	before, after := text[:s.start], text[s.end:]
	if before != "" && (inWord(before[len(before)-1]) || joined(before[len(before)-1]) && len(before) > 1 && inWord(before[len(before)-2])) {
		return false
	}
	return after == "" || !inWord(after[0]) && !(joined(after[0]) && len(after) > 1 && inWord(after[1]))
}

func joined(c byte) bool { return c == '-' || c == '.' }
