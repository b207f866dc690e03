package privacy

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/text/pattern"
	"github.com/satchel-memory/satchel/text/redact"
)

// Invisible signs, and other characters that stand for the at sign.
const (
	invisibleSigns = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
	otherAtSigns   = "\uff20\ufe6b"
)

const mailDomain = `[\pL\pN](?:[\pL\pN.\-]*[\pL\pN])?\.\pL{2,}`

var (
	// mailWithSigns matches a mail address with such signs in it.
	mailWithSigns = pattern.New(`[\pL\pN._%+'\-` + invisibleSigns + `]+[@` + otherAtSigns + `][` + invisibleSigns + `]*[\pL\pN` + invisibleSigns + `](?:[\pL\pN.\-` + invisibleSigns + `]*[\pL\pN])?\.\pL{2,}`)
	// quotedMail matches a mail address whose local part stands in quotation marks.
	quotedMail = pattern.New(`"[^"@\n]{1,64}"@` + mailDomain)
	// doubleZero matches a telephone number in groups that begins with the international
	// prefix 00.
	doubleZero = pattern.New(`(?:^|[^\pL\pN_+.:/#=&@$\-])(00[1-9]\d{0,2}(?: \(?\d{1,5}\)?){1,5}\d*)(?:$|[^\pL\pN_+/@%:\-])`)
)

// findDisguised finds personal data in unusual spellings: mail addresses with invisible
// signs, with a quoted local part or in base64, and telephone numbers that begin with 00.
func (r personFinder) findDisguised(found []hit, text string) []hit {
	if !r.KeepEmails {
		if strings.ContainsAny(text, invisibleSigns+otherAtSigns) {
			found = appendHits(found, mailWithSigns.FindAllStringIndex(text, -1), "email")
		}
		if strings.Contains(text, `"@`) {
			found = appendHits(found, quotedMail.FindAllStringIndex(text, -1), "email")
		}
		mails := secretFinder{secrets: redact.Redactor{KeepPhones: true, KeepSSNs: true, KeepSecrets: true}}
		for _, h := range mails.findEncoded(nil, text) {
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

// appendHits appends places of one kind.
func appendHits(found []hit, places [][]int, kind string) []hit {
	for _, at := range places {
		found = append(found, hit{at[0], at[1], kind, ""})
	}
	return found
}

// wholeName returns where a mail address really begins if its local part has apostrophes,
// as in o'neil@example.com.
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
