package aaif

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/text/pattern"
	"github.com/satchel-memory/satchel/text/redact"
)

// Signs that nobody sees, and others for the at sign.
const (
	unseen  = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
	otherAt = "\uff20\ufe6b"
)

const mailDomain = `[\pL\pN](?:[\pL\pN.\-]*[\pL\pN])?\.\pL{2,}`

var (
	// disguisedMail is a mail address with such signs in it.
	disguisedMail = pattern.New(`[\pL\pN._%+'\-` + unseen + `]+[@` + otherAt + `][` + unseen + `]*[\pL\pN` + unseen + `](?:[\pL\pN.\-` + unseen + `]*[\pL\pN])?\.\pL{2,}`)
	// quotedMail is one whose name stands in quotation marks.
	quotedMail = pattern.New(`"[^"@\n]{1,64}"@` + mailDomain)
	// doubleZero is a telephone number that begins with the sign for another country, in
	// groups.
	doubleZero = pattern.New(`(?:^|[^\pL\pN_+.:/#=&@$\-])(00[1-9]\d{0,2}(?: \(?\d{1,5}\)?){1,5}\d*)(?:$|[^\pL\pN_+/@%:\-])`)
)

// disguised finds people who are spelled otherwise than usual: mail addresses with signs
// that nobody sees, with a name in quotation marks and in base64, and telephone numbers
// that begin with 00.
func (r persons) disguised(found []hit, text string) []hit {
	if !r.KeepEmails {
		if strings.ContainsAny(text, unseen+otherAt) {
			found = hits(found, disguisedMail.FindAllStringIndex(text, -1), "email")
		}
		if strings.Contains(text, `"@`) {
			found = hits(found, quotedMail.FindAllStringIndex(text, -1), "email")
		}
		mails := scan{secrets: redact.Redactor{KeepPhones: true, KeepSSNs: true, KeepSecrets: true}}
		for _, h := range mails.encoded(nil, text) {
			found = append(found, hit{h.start, h.end, "email", ""})
		}
	}
	if !r.KeepPhones && strings.Contains(text, "00") {
		for _, at := range doubleZero.FindAllStringSubmatchIndex(text, -1) {
			if n := countDigits(text[at[2]:at[3]]); n >= 10 && n <= 17 {
				found = append(found, hit{at[2], at[3], "phone", ""})
			}
		}
	}
	return found
}

// hits appends places of one kind.
func hits(found []hit, places [][]int, kind string) []hit {
	for _, at := range places {
		found = append(found, hit{at[0], at[1], kind, ""})
	}
	return found
}

// wholeName returns where a mail address begins whose name has apostrophes, as that of
// o'neil@example.com has.
func wholeName(text string, p redact.Place) int {
	const longest = 64
	start := p.Start
	for p.Name == "email" && p.Start-start < longest && start > 1 && text[start-1] == '\'' {
		at := start - 1
		for at > 0 && p.Start-at < longest {
			before, width := utf8.DecodeLastRuneInString(text[:at])
			if !unicode.IsLetter(before) && !unicode.IsDigit(before) {
				break
			}
			at -= width
		}
		if at == start-1 {
			break
		}
		start = at
	}
	return start
}

func countDigits(text string) int {
	n := 0
	for i := range len(text) {
		if isDigit(text[i]) {
			n++
		}
	}
	return n
}
