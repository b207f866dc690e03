package privacy

import (
	"slices"
	"strings"
	"sync"

	"github.com/satchel-memory/satchel/text/pattern"
)

// nameMeaning is what a member's name says about its value.
type nameMeaning int

const (
	noCredential   nameMeaning = iota
	anyCredential              // such as password, token or api_key: the value is a credential if it can be one
	chosenPassword             // such as db_password: the value is a credential if it looks chosen
	generatedKey               // such as github_token: the value is a credential if it looks generated
	valuePairs                 // such as cookies: the value is pairs of names and values
)

// The last words of names, or words before the last.
var (
	passwordWords = wordSet("password passwd passwort passphrase passcode pwd kennwort pass")
	keyWords      = wordSet("secret token credential credentials bearer authorization jwt apikey accesskey authkey secretkey privatekey masterkey sharedkey signingkey encryptionkey subscriptionkey " +
		"accesstoken authtoken apitoken refreshtoken bearertoken sessiontoken bottoken clientsecret webhooksecret apisecret")
	pairWords = wordSet("cookie cookies connectionstring")
	// keyOf lists the words before "key" that make it a key to something locked.
	keyOf = wordSet("api access private auth secret encryption encrypt decryption signing sign signature master subscription service account client shared storage session webhook deploy deployment admin root bot " +
		"function host db database ssh gpg pgp rsa aes hmac jwt cipher crypto vault bearer app application " +
		"openai azure anthropic claude google gemini aws mistral cohere groq hf huggingface deepseek openrouter perplexity replicate pinecone weaviate qdrant elastic datadog sentry stripe paypal twilio sendgrid mailgun " +
		"slack github gitlab bitbucket supabase firebase maps algolia notion airtable linear telegram discord shopify")
	// notBefore lists words that give another meaning to the word behind them.
	notBefore = wordSet("next previous prev page pagination continuation continue sync cursor resume eos bos pad unk mask stop start end special max min sep cls num total image audio video text input output prompt completion " +
		"reset forgot forgotten lost change show hide has is no need needs require requires required allow allows update with on use uses ask by first last public boarding")
)

// wordSet returns a set of words, which is built when it is first used.
func wordSet(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for word := range strings.FieldsSeq(words) {
			set[word] = true
		}
		return set
	})
}

// meaningOf returns what the last words of a name say, in snake_case, camelCase or
// kebab-case.
func meaningOf(name string) nameMeaning {
	switch {
	case !mayBeNamed(name):
		return noCredential
	case isCredential(name):
		return anyCredential
	}
	words := wordsOf(name)
	if len(words) == 0 {
		return noCredential
	}
	last, before := words[len(words)-1], ""
	if len(words) > 1 {
		before = words[len(words)-2]
	}
	switch {
	case notBefore()[before]:
		return noCredential
	case passwordWords()[last]:
		if last != "pass" && len(words) == 1 {
			return anyCredential
		}
		return chosenPassword
	case keyWords()[last], (last == "key" || last == "keys") && keyOf()[before]:
		return generatedKey
	case pairWords()[last], last == "string" && (before == "connection" || before == "conn"):
		return valuePairs
	}
	return noCredential
}

// mayBeNamed reports whether a name has one of the ends that [meaningOf] knows. Nearly no
// name does.
func mayBeNamed(name string) bool {
	const least = 3
	for name != "" && (letterKind(name[len(name)-1]) == isMark || isDigit(name[len(name)-1])) {
		name = name[:len(name)-1]
	}
	if len(name) < least {
		return false
	}
	var end [least]byte
	for i := range least {
		end[i] = name[len(name)-least+i] | 0x20
	}
	switch string(end[:]) {
	case "ord", "swd", "ort", "pwd", "ase", "ode", "ass", "ret", "ken", "ial", "als", "rer", "jwt", "key", "eys", "kie", "ies":
		return true
	case "ion": // most descriptions end so
		return len(name) >= len("authorization") && name[len(name)-5]|0x20 == 'a'
	case "ing":
		return len(name) > len("string") && strings.HasSuffix(strings.ToLower(name), "string")
	}
	return false
}

// wordsOf returns the words of a name in small letters, without the number at its end.
func wordsOf(name string) []string {
	var words []string
	name = strings.TrimRight(name, "0123456789_-. ")
	start := 0
	end := func(at int) {
		if at > start {
			words = append(words, strings.ToLower(name[start:at]))
		}
	}
	for i := range len(name) {
		switch kind := letterKind(name[i]); {
		case kind == isMark && name[i] < 0x80:
			end(i)
			start = i + 1
		case kind == isCapital && i > start && (letterKind(name[i-1]) != isCapital || i+1 < len(name) && letterKind(name[i+1]) == isSmall):
			end(i)
			start = i
		}
	}
	end(len(name))
	return words
}

// named reports whether a text is a credential because of its member's name.
func (s *secretFinder) named(text string, t memberContext) bool {
	as := meaningOf(t.name)
	switch {
	case as == noCredential, sameWords(text, t.name):
		return false
	case t.requires, as == generatedKey:
		return isKeyLike(text)
	case as == valuePairs:
		return hidesInPairs(text)
	case strings.Contains(text, " "):
		return !t.choice && len(passwordWordsIn(t.name)) > 0 && isPhrase(text)
	case as == chosenPassword:
		return s.passesAsPassword(text) && looksLikePassword(text)
	}
	return (!t.choice || passwordName.MatchString(t.name) || strings.ContainsAny(text, "0123456789")) && s.passesAsPassword(text)
}

// passwordWordsIn returns the words of a name that mean password.
func passwordWordsIn(name string) []string {
	return slices.DeleteFunc(wordsOf(name), func(word string) bool { return !passwordWords()[word] || word == "pass" })
}

// sameWords reports whether a text only repeats the name, as a label does.
func sameWords(text, name string) bool {
	return len(text) < 2*len(name) && strings.Join(wordsOf(text), "") == strings.Join(wordsOf(name), "")
}

// looksLikePassword reports whether a text looks chosen, and is neither an address nor a
// path.
func looksLikePassword(text string) bool {
	if strings.HasPrefix(text, "/") || strings.Contains(text, "://") || placeholder.MatchString(text) || secretSource.MatchString(text) {
		return false
	}
	if strings.Trim(text, "0123456789") == "" {
		return len(text) >= shortest
	}
	if variableName.MatchString(text) && strings.Contains(text, "_") && isVariable(text) {
		return false
	}
	return looksChosen(text) || len(text) >= shortest && strings.ContainsAny(text[1:], "!@#$%^&*?~+")
}

// vaultName matches the beginning of a secret's name in a vault.
var vaultName = pattern.New(`^(?i:arn|env|vault|secrets?|ref|file|ssm|keyring|k8s|op|projects|keyvault)[:/]`)

// isKeyLike reports whether a text looks generated, and is neither a name nor the place
// of a key.
func isKeyLike(text string) bool {
	switch {
	case len(text) < shortest, strings.ContainsAny(text, " \t\n\"'"), strings.Contains(text, "://"), strings.HasPrefix(text, "/"), placeholder.MatchString(text), secretSource.MatchString(text):
		return false
	case strings.ContainsAny(text[:1], "$<{%*(&") || strings.Contains(text, "{{"):
		return false
	case vaultName.MatchString(text):
		return isPathSecret(text)
	case variableName.MatchString(text) && strings.Contains(text, "_") && isVariable(text):
		return false
	}
	return isMadeUp(text) || slices.ContainsFunc(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("-_./:[]", r) }), isMixedPart)
}

// isMixedPart reports whether digits stand among the letters, and not only behind them as
// in a numbered word.
func isMixedPart(part string) bool { return len(part) >= shortest && turns(part) >= 3 }

// hidesInPairs reports whether cookies or a connection string hold a credential: a text
// alone, or a value whose name suggests one.
func hidesInPairs(text string) bool {
	for pair := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ';' || r == ' ' }) {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			name, value = "session", pair
		}
		if name = strings.ToLower(name); isKeyLike(value) && (strings.Contains(name, "sess") || strings.Contains(name, "sid") || strings.Contains(name, "auth") || meaningOf(name) != noCredential) {
			return true
		}
	}
	return false
}

// proseWords lists words of sentences about passwords. No passphrase contains one.
var proseWords = wordSet("a an the and or of to in on at by for from with as is are was be it its your my our their this that if not no never always must should may can do does use used uses see ask enter type set stored kept " +
	"provided given read user users owner administrator admin vault environment variable required optional string text field password passphrase passwords secret value none null characters character letters digits least most minimum maximum " +
	"long length between der die das ein eine ist nicht und oder im vom zum")

// isPhrase reports whether a text is a passphrase, and not a sentence about one.
func isPhrase(text string) bool {
	const most = 12
	words := strings.Fields(text)
	if len(words) < 2 || len(words) > most {
		return false
	}
	chosen, plain := false, 0
	for _, word := range words {
		bare := strings.ToLower(strings.Trim(word, ".,;:!?()\"'"))
		if proseWords()[bare] || placeholder.MatchString(word) || isToken(word) {
			return false
		}
		chosen = chosen || looksChosen(word)
		if strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "" {
			plain++
		}
	}
	return chosen || plain == len(words) && plain >= 3
}
