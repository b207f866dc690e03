package privacy

import (
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
	"github.com/satchel-memory/satchel/text/redact"
)

var (
	// moreTokens matches tokens whose shape package redact does not know: of Atlassian,
	// Linear and Doppler, and of Telegram bots.
	moreTokens = pattern.New(`\bATATT3[A-Za-z0-9_\-=]{16,}|\blin_(?:api|oauth)_[A-Za-z0-9]{20,}|\bdp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.\-]{20,}|/bot\d{6,12}:[A-Za-z0-9_\-]{35}\b`)
	// option matches a command option with its value.
	option = pattern.New(`(?:^|[\s"'=,\[])--?([A-Za-z][A-Za-z0-9]*(?:[\-_][A-Za-z0-9]+)*)(?:[ \t]+|=)["']?([^\s"'\-][^\s"']{7,})`)
	// optionName matches the name of an option whose value is a credential.
	optionName = pattern.New(`(?i)^(?:.*[\-_])?(?:(?:api|access|auth|secret)?key|token|secret|pat|auth|authorization|bearer|credentials?|pass(?:word|wd|phrase)?|pwd)$`)
	// headerOption matches a command option that sets a header with a credential.
	headerOption = pattern.New(`(?i)(?:-H|--header)(?:[ \t]+|=)["']?(?:[a-z0-9\-]*[\-])?(?:[a-z]*key|token|auth|authorization|secret|cookie|password)["']?:[ \t]*(?:[a-z]+[ \t]+)?["']?([^\s"']{8,})`)
	// shortQueryValue matches a query value under a short name, or a code.
	shortQueryValue = pattern.New(`[?&;#](?:k|ak|sk|pk|pat|tok|code)=([^&\s#{}$<>"'\\]{16,})`)
	// arnOf matches the text before a secret's name in Secrets Manager.
	arnOf = pattern.New(`arn:aws[a-z\-]{0,16}:secretsmanager:[a-z0-9\-]{0,24}:\d{0,12}:secret:$`)
	// vaultPrefix matches the text that may precede a secret's name in a vault.
	vaultPrefix = pattern.New(`^(?:arn:aws[a-z\-]{0,16}:secretsmanager:[a-z0-9\-]{0,24}:\d{0,12}:)?secret:`)
	// secretSource matches words that say where a secret comes from.
	secretSource = pattern.New(`^(?:provided|given|set|stored|kept|held|injected|supplied|configured|managed|issued|read|taken|loaded|see|ask|from|use)(?:[_\-][a-z]+)+$`)
)

// findNamed finds secrets in command options, in headers that an option sets and in the
// query of an address, and the tokens of moreTokens.
func (s *secretFinder) findNamed(found []hit, text string) []hit {
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
		for _, at := range shortQueryValue.FindAllStringSubmatchIndex(text, -1) {
			if isMadeUp(text[at[2]:at[3]]) {
				found = append(found, hit{at[2], at[3], "secret", "holds an address with a credential in its query"})
			}
		}
	}
	return found
}

// mayHoldTokens reports whether a text has the beginning of one of moreTokens.
func mayHoldTokens(text string) bool {
	has := func(sign byte, begins string) bool {
		return strings.IndexByte(text, sign) >= 0 && strings.Contains(text, begins)
	}
	return has('3', "ATATT3") || has('_', "lin_") || has('.', "dp.") || has('/', "/bot")
}

// isOptionSecret reports whether the value of an option is a credential, and not the name
// of one.
func isOptionSecret(value string) bool {
	if isMadeUp(value) {
		return !strings.ContainsAny(value, "/:") || jumbled(value, 16)
	}
	return turns(value) >= 3 && looksChosen(value) && !strings.ContainsAny(value, "-_./:")
}

// isPlaceholder reports whether a text with the shape of a secret is a placeholder, says
// where the secret is, or is its name in a vault.
func isPlaceholder(text string, p redact.Place) bool {
	const longestARN = 96
	is := text[p.Start:p.End]
	if placeholder.MatchString(is) || secretSource.MatchString(is) {
		return true
	}
	return arnOf.MatchString(text[max(0, p.Start-longestARN):p.Start]) && !isPathSecret(is)
}

// findInPath finds secrets in place of a secret's name in a vault.
func (s *secretFinder) findInPath(text string) []hit {
	found := searchAll(text, knownFinder(s.known))
	name := len(vaultPrefix.FindString(text))
	for _, h := range searchAll(text[name:], s) {
		h.start, h.end = h.start+name, h.end+name
		found = append(found, h)
	}
	if found = merged(found); len(found) == 0 && isPathSecret(text[name:]) && !isToken(text) {
		return []hit{{0, len(text), "secret", "is not the name of a secret, and may be one"}}
	}
	return found
}

// knownFinder finds known secrets only.
type knownFinder []spelling

func (k knownFinder) search(found []hit, text string) []hit {
	for _, one := range k {
		found = one.find(found, text)
	}
	return found
}

// isPathSecret tells a key from a secret's name in a vault: names have parts, and the ids
// in them are in lower case.
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

// isHeaderSecret reports whether a credential follows the name of a header.
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

// variableName is the form of names of environment variables.
var variableName = pattern.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// isVariable reports whether a text is the name of an environment variable, and not a key
// of the same form.
func isVariable(text string) bool {
	if !variableName.MatchString(text) {
		return !strings.ContainsAny(text, "0123456789")
	}
	return !jumbled(text, 16) && !hexKey.MatchString(text)
}
