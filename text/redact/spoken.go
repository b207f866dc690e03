package redact

import (
	"slices"
	"strings"
)

// spokenShapes are secrets that a sentence or a command announces.
var spokenShapes = []secretShape{
	that(isSpoken, shape("(?i)with (?:the )?(?:password|passphrase|passcode)[ \t]+[\"'`]?([^\\s\"'`,;]{6,})", "with p", "with the p")),
	that(isSpoken, shape("(?i)use[ \t]+[\"'`]?([^\\s\"'`,;]{6,})[\"'`]?[ \t]+as (?:the|my|your|our|a) (?:[a-z]{1,20} )?(?:password|passphrase|passcode)", "use ")),
	that(isSpoken, shape("(?i)machine[ \t]+\\S{1,200}\\s+login[ \t]+\\S{1,200}\\s+password[ \t]+(\\S{4,})", "machine ")), // .netrc
	that(isSpoken, behind(ofMySQL, shape(" -p[\"']?([^\\s\"':]{4,})(?:[\\s\"']|$)", " -p"))),
	that(isPassword, shape("(?i)sshpass[ \t]+-p[ \t]?[\"']?([^\\s\"'$]{4,})", "sshpass")),
	that(madeUp, of("ookie:", shape(`(?i)(?:sess(?:ion)?(?:[_\-]?id)?|sid|auth[a-z]{0,10})=([^;\s"']{8,})`, "sess", "sid=", "auth"))),
	that(isPhrase, shape("(?i)passphrase[\"'*]{0,3}(?:[ \t]?[:=]| is)[*]{0,2}[ \t]+[\"'`]?((?:[a-z]{2,20}[ \\-]){3,20}[a-z]{2,20})[\"'`.!]{0,2}[ \t]*(?:\r?\n|$)", "passphrase")),
	insideWord(shape(`(?i)secret[ _\-]?access[ _\-]?key[ \t]+([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+]|$)`, "secret")),
	shape(`(?:PIN:|(?i:pin[ \-]code)(?::| is))[ \t]?(\d{4,8})\b`, "pin:", "pin code", "pin-code"),
}

// ofMySQL reports whether the last command of a line is a client of MySQL or MariaDB. Their
// -p takes a password; that of other commands takes a port or a path.
func ofMySQL(line string) bool {
	command := strings.ToLower(line[strings.LastIndexAny(line, "|;&")+1:])
	return strings.Contains(command, "mysql") || strings.Contains(command, "mariadb")
}

// saidBehind lists the words that follow a password in a sentence.
var saidBehind = []string{"is my passw", "is our passw", "is the passw"}

// findBefore appends the word before a place, if it may be a password.
func findBefore(found []span, text string, at int) ([]span, int) {
	before := strings.TrimRight(lineBefore(text, at), " \t")
	word := strings.Trim(before[strings.LastIndexAny(before, " \t")+1:], "\"'`*(")
	if s := strings.LastIndex(text[:at], word); word != "" && isSpoken(word) && !tokenAt(text, span{s, s + len(word)}) {
		found = append(found, span{s, s + len(word)})
	}
	return found, at + 1
}

// isSpoken distinguishes a password from words and placeholders.
func isSpoken(text string) bool {
	c := claim{key: "password", sign: "-", value: text}
	return c.secret()
}

// isPhrase distinguishes an invented phrase from a sentence.
func isPhrase(text string) bool {
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(text)), func(word string) bool {
		return strings.Contains(" the a an is are it its to of in on at for from with by and or not no never do be must may can should has have ask see use you your my our who where when if ", " "+word+" ")
	})
}
