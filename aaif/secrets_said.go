package aaif

import (
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
	"github.com/satchel-memory/satchel/text/redact"
)

var (
	// moreTokens are tokens by their shape besides those that package redact knows: of
	// Atlassian, Linear and Doppler, and of bots of Telegram.
	moreTokens = pattern.New(`\bATATT3[A-Za-z0-9_\-=]{16,}|\blin_(?:api|oauth)_[A-Za-z0-9]{20,}|\bdp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.\-]{20,}|/bot\d{6,12}:[A-Za-z0-9_\-]{35}\b`)
	// option is an option of a command, and its value.
	option = pattern.New(`(?:^|[\s"'=,\[])--?([A-Za-z][A-Za-z0-9]*(?:[\-_][A-Za-z0-9]+)*)(?:[ \t]+|=)["']?([^\s"'\-][^\s"']{7,})`)
	// optionName is that of one whose value is a credential.
	optionName = pattern.New(`(?i)^(?:.*[\-_])?(?:(?:api|access|auth|secret)?key|token|secret|pat|auth|authorization|bearer|credentials?|pass(?:word|wd|phrase)?|pwd)$`)
	// headerOption is an option of a command that sets a header, and what it is set to.
	headerOption = pattern.New(`(?i)(?:-H|--header)(?:[ \t]+|=)["']?(?:[a-z0-9\-]*[\-])?(?:[a-z]*key|token|auth|authorization|secret|cookie|password)["']?:[ \t]*(?:[a-z]+[ \t]+)?["']?([^\s"']{8,})`)
	// queryMade is a value of a query under a name that says little, or a code.
	queryMade = pattern.New(`[?&;#](?:k|ak|sk|pk|pat|tok|code)=([^&\s#{}$<>"'\\]{16,})`)
	// arnOf is what stands before the name of a secret of Secrets Manager.
	arnOf = pattern.New(`arn:aws[a-z\-]{0,16}:secretsmanager:[a-z0-9\-]{0,24}:\d{0,12}:secret:$`)
	// vaultPrefix is what may stand before the name of a secret in a vault.
	vaultPrefix = pattern.New(`^(?:arn:aws[a-z\-]{0,16}:secretsmanager:[a-z0-9\-]{0,24}:\d{0,12}:)?secret:`)
	// saidElsewhere are words that say where a secret comes from.
	saidElsewhere = pattern.New(`^(?:provided|given|set|stored|kept|held|injected|supplied|configured|managed|issued|read|taken|loaded|see|ask|from|use)(?:[_\-][a-z]+)+$`)
)

// said finds secrets that are named as such: as an option of a command, in a header that
// one sets, and in the query of an address; and the tokens of moreTokens.
func (s *scan) said(found []hit, text string) []hit {
	if mayHoldTokens(text) {
		for _, at := range moreTokens.FindAllStringIndex(text, -1) {
			found = append(found, hit{at[0], at[1], "secret", "holds what has the shape of a secret"})
		}
	}
	if strings.IndexByte(text, '-') < 0 && strings.IndexByte(text, '=') < 0 {
		return found
	}
	if strings.Contains(text, "--") {
		for _, at := range option.FindAllStringSubmatchIndex(text, -1) {
			if optionName.MatchString(text[at[2]:at[3]]) && isOptionSecret(text[at[4]:at[5]]) {
				found = append(found, hit{at[4], at[5], "secret", "holds an option of a command with a credential"})
			}
		}
	}
	if strings.Contains(text, "-H") || strings.Contains(text, "--header") {
		for _, at := range headerOption.FindAllStringSubmatchIndex(text, -1) {
			if isMadeUp(text[at[2]:at[3]]) {
				found = append(found, hit{at[2], at[3], "secret", "holds a header with a credential"})
			}
		}
	}
	if strings.IndexByte(text, '=') >= 0 && strings.Contains(text, "://") {
		for _, at := range queryMade.FindAllStringSubmatchIndex(text, -1) {
			if isMadeUp(text[at[2]:at[3]]) {
				found = append(found, hit{at[2], at[3], "secret", "holds an address with a credential in its query"})
			}
		}
	}
	return found
}

// mayHoldTokens reports whether a text has what one of moreTokens begins with.
func mayHoldTokens(text string) bool {
	has := func(sign byte, begins string) bool {
		return strings.IndexByte(text, sign) >= 0 && strings.Contains(text, begins)
	}
	return has('3', "ATATT3") || has('_', "lin_") || has('.', "dp.") || has('/', "/bot")
}

// isOptionSecret reports whether the value of an option is a credential, and no name of one.
func isOptionSecret(value string) bool {
	if isMadeUp(value) {
		return !strings.ContainsAny(value, "/:") || jumbled(value, 16)
	}
	return turns(value) >= 3 && looksChosen(value) && !strings.ContainsAny(value, "-_./:")
}

// excused reports whether what has the shape of a secret stands for one, tells where it is,
// or is the name of one in a vault.
func excused(text string, p redact.Place) bool {
	const longestARN = 96
	is := text[p.Start:p.End]
	if placeholder.MatchString(is) || saidElsewhere.MatchString(is) {
		return true
	}
	return arnOf.MatchString(text[max(0, p.Start-longestARN):p.Start]) && !isPathSecret(is)
}

// inPath finds secrets where the name of one in a vault belongs.
func (s *scan) inPath(text string) []hit {
	found := spots(text, known(s.known))
	name := len(vaultPrefix.FindString(text))
	for _, h := range spots(text[name:], s) {
		h.start, h.end = h.start+name, h.end+name
		found = append(found, h)
	}
	if found = united(found); len(found) == 0 && isPathSecret(text[name:]) && !isToken(text) {
		return []hit{{0, len(text), "secret", "is not the name of a secret, and may be one"}}
	}
	return found
}

// known finds secrets that are known, and no others.
type known []spelling

func (k known) look(found []hit, text string) []hit {
	for _, one := range k {
		found = one.find(found, text)
	}
	return found
}

// isPathSecret tells a key from the name of one in a vault: those have parts, and the ids
// among them are in small letters.
func isPathSecret(name string) bool {
	if hexKey.MatchString(name) {
		return true
	}
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune("/:#.", r) }) {
		if jumbled(part, 32) && !hexKey.MatchString(part) || isBothCases(part) && jumbled(part, 18) {
			return true
		}
	}
	return len(name) >= 32 && !strings.ContainsAny(name, ":#.") && strings.Count(name, "/") <= 2 && isBothCases(name) &&
		jumbled(strings.NewReplacer("/", "", "+", "").Replace(name), 32)
}

// isHeaderSecret reports whether the name of a header is followed by a credential.
func isHeaderSecret(text string) bool {
	_, value, ok := strings.Cut(text, ":")
	if !ok {
		return false
	}
	for word := range strings.FieldsSeq(value) {
		if isMadeUp(strings.Trim(word, `"'`)) {
			return true
		}
	}
	return false
}

// isVariable reports whether a text is the name of a variable of the environment, and no
// key that has the form of one.
func isVariable(text string) bool {
	if !envName.MatchString(text) {
		return !strings.ContainsAny(text, "0123456789")
	}
	return !jumbled(text, 16) && !hexKey.MatchString(text)
}
