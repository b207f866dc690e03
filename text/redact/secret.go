package redact

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
)

// findSecrets finds keys and tokens by their shape, and values that a name before them
// calls a secret.
func findSecrets(text string) []span {
	var found []span
	places := secretBeginnings()
	behind := make([]int, len(places.all)) // where the search for each beginning continues
	for at := places.next(text, 0); at >= 0; at = places.next(text, at+1) {
		for _, i := range places.mayStand(text, at) {
			if b := places.all[i]; at >= behind[i] && b.stands(text, at) {
				found, behind[i] = b.take(found, text, at)
			}
		}
	}
	return apart(found)
}

// find appends the secret at a place, if it has the shape. It returns where the search for
// this beginning continues.
func (s secretShape) find(found []span, text string, at, begins int) ([]span, int) {
	if at < s.back {
		return found, at + begins
	}
	at -= s.back
	match := s.pattern.FindStringSubmatchIndex(text[at:])
	if match == nil {
		at += s.back
		next := at + begins
		for s.run && next < len(text) && (inWord(text[next]) || text[next] == '-') {
			next++
		}
		return found, next
	}
	secret := span{at + match[len(match)-2], at + match[len(match)-1]}
	value := text[secret.start:secret.end]
	if !tokenAt(text, secret) && !blanked(value) && (s.holds == nil || s.holds(value)) && (s.behind == nil || s.behind(commandBefore(text, at))) {
		found = append(found, secret)
	}
	return found, at + match[1]
}

// inWord reports whether a character is part of words and names.
func inWord(c byte) bool {
	return digit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

// tokenAt reports whether a span is a token, that is, already replaced.
func tokenAt(text string, s span) bool { return IsToken(text[s.start:s.end]) }

// claims are the beginnings, in lower case, of names that may announce a secret.
var claims = []string{"pass", "pwd", "pw:", "pw=", "pw ", "private", "api", "access", "secret", "token", "kennwort", "credential", "encryption", "signing",
	"mot de passe", "contrase", "senha", "пароль", "Пароль", "ПАРОЛЬ", "密码", "密碼", "パスワード", "비밀번호", "hasło", "wachtwoord", "şifre", "Şifre", "salasana", "lösenord"}

// assigned matches a name of secrets, the text that leads to a value, and the value.
var assigned = pattern.New("(?i)^(passw(?:or[dt]|d)|passphrase|passcode|pass|pwd|pw|kennwort|secret|token|credentials?|(?:api|access|private|secret|encryption|signing)[ _\\-]?key" +
	"|mot de passe|contraseña|senha|пароль|密[码碼]|パスワード|비밀번호|hasło|wachtwoord|şifre|salasana|lösenord)[\"'`*]{0,3}" +
	"(?:[ \t]{0,3}(:=|=>|->|=|:|—|–|\\||>|[ \t]-[ \t])[ \t]{0,3}|(:[ \t]{0,3}\r?\n)[ \t]{0,8}|[ \t]((?:was |is |has been )?(?:changed|set|reset) to|is|was|ist|lautet|est|es|è|é):?[ \t]|[ \t]?(是|は)[ \t]?)" +
	"[*]{0,2}[ \t]{0,3}(?:\"([^\"\\n]+)\"|'([^'\\n]+)'|`([^`\\n]+)`|([^\\s\"'`,;|]+))")

// findAssigned appends the value that a name at a place assigns, or calls, a password, a
// token or a key. It returns where the search continues.
func findAssigned(found []span, text string, from int) ([]span, int) {
	at := assigned.FindStringSubmatchIndex(text[from:])
	if at == nil {
		return found, from + 1
	}
	for i := range at {
		if at[i] >= 0 {
			at[i] += from
		}
	}
	group, quoted := 9, false
	for g := 6; g < 9; g++ {
		if at[2*g] >= 0 {
			group, quoted = g, true
		}
	}
	s := span{at[2*group], at[2*group+1]}
	if !quoted {
		s.end = s.start + len(strings.TrimRight(text[s.start:s.end], ".!?)*"))
	}
	if at[4] >= 0 && text[at[4]:at[5]] == ">" { // of an XML element
		end := strings.Index(text[s.start:s.end], "</")
		if end < 0 {
			return found, s.end
		}
		s.end, at[1] = s.start+end, s.start+end
	}
	claim := claim{key: strings.ToLower(text[at[2]:at[3]]), value: text[s.start:s.end], quoted: quoted, last: lineEnds(text, s.end)}
	switch {
	case at[4] >= 0:
		claim.sign = strings.TrimSpace(text[at[4]:at[5]])
	case at[6] >= 0:
		claim.sign = "next line"
	}
	claim.part = from > 0 && inWord(text[from-1]) && text[from-1] != '_'
	if !tokenAt(text, s) && claim.secret() {
		if !quoted {
			s.end = secretEnd(text, s.start, at[1])
		}
		found = append(found, s)
	}
	return found, at[1]
}

// secretEnd returns the end of a secret whose text may reach up to end. A full stop after it is
// not part of it. Neither is a bracket or a run of stars that closes one opened shortly
// before on its line. Any other mark may be.
func secretEnd(text string, start, end int) int {
	for end > start {
		switch c := text[end-1]; {
		case c == '.', c == ')' && bracketed(lineBefore(text, start)), c == '*' && hasOpenStars(lineBefore(text, start)):
			end--
		default:
			return end
		}
	}
	return end
}

// backward bounds the search for an opening bracket or stars: every secret of a long line
// may start one.
const backward = 256

// lineBefore returns the text on the line before a place, up to a bound.
func lineBefore(text string, at int) string {
	before := text[max(0, at-backward):at]
	return before[strings.LastIndexByte(before, '\n')+1:]
}

// commandBefore returns the text of a command before a place. The command may span lines
// that end in a backslash.
func commandBefore(text string, at int) string {
	before := text[max(0, at-backward):at]
	for end := len(before); ; {
		end = strings.LastIndexByte(before[:end], '\n')
		if end < 0 {
			return before
		}
		if !strings.HasSuffix(strings.TrimSuffix(before[:end], "\r"), "\\") {
			return before[end+1:]
		}
	}
}

func bracketed(before string) bool { return strings.Count(before, "(") > strings.Count(before, ")") }

// hasOpenStars reports whether a run of stars opened before and is not closed; runs alternately
// open and close.
func hasOpenStars(before string) bool {
	runs := strings.FieldsFunc(before, func(c rune) bool { return c != '*' })
	return len(runs)%2 == 1
}

// lineEnds reports whether only punctuation stands before the end of the line.
func lineEnds(text string, at int) bool {
	rest := strings.TrimLeft(text[at:], ".!?)*\"'` \t\r")
	return rest == "" || rest[0] == '\n'
}

// mayHide is [mayHoldSecrets], also for a text that hides something.
func mayHide(text string) bool { return mayHoldSecrets(text) || hides(text) }

// findHidden is [findSecrets], also for the [plain] text.
func findHidden(text string) []span {
	found := findSecrets(text)
	if !hides(text) {
		return found
	}
	bare, places := plain(text)
	for _, s := range findSecrets(bare) {
		found = append(found, span{places[s.start].start, places[s.end-1].end})
	}
	slices.SortFunc(found, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	joined := found[:0]
	for _, s := range found {
		if last := len(joined) - 1; last >= 0 && s.start < joined[last].end {
			joined[last].end = max(joined[last].end, s.end)
			continue
		}
		joined = append(joined, s)
	}
	return joined
}
