package redact

import (
	"regexp"
	"strings"
)

// secretShape is one shape of secrets: how all of it begin, in lower case, and the pattern
// from there, whose group, if it has one, is the secret.
type secretShape struct {
	begins  []string
	sets    []string // instead: which letters may stand at each place of the beginning
	pattern *regexp.Regexp
	inside  bool                     // it may begin within a word
	run     bool                     // where one fails, none begins among the letters, digits and hyphens that follow
	holds   func(secret string) bool // tells a secret from what only has its shape; nil: nothing has
}

func shape(pattern string, begins ...string) secretShape {
	return secretShape{begins: begins, pattern: regexp.MustCompile(`^(?:` + pattern + `)`)}
}

func insideWord(s secretShape) secretShape { s.inside = true; return s }

func inRuns(s secretShape) secretShape { s.run = true; return s }

var secretShapes = []secretShape{
	insideWord(shape(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)`, "-----begin ")),
	shape(`sk-ant-[A-Za-z0-9_\-]{6,}|sk-(?:[a-z0-9]{2,10}-){0,4}[A-Za-z0-9_]{16,}[A-Za-z0-9_\-]*`, "sk-"),
	shape(`gh[pousr]_[A-Za-z0-9]{20,}`, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
	shape(`github_pat_[A-Za-z0-9_]{20,}`, "github_pat_"),
	shape(`glpat-[A-Za-z0-9_\-]{16,}`, "glpat-"),
	shape(`(?:AKIA|ASIA)[0-9A-Z]{16}\b`, "akia", "asia"),
	shape(`AIza[A-Za-z0-9_\-]{35}`, "aiza"),
	shape(`ya29\.[A-Za-z0-9_\-]{20,}`, "ya29."),
	shape(`xox[a-z]-[A-Za-z0-9\-]{10,}|xapp-\d-[A-Za-z0-9\-]{20,}`, "xox", "xapp-"),
	shape(`hooks\.slack\.com/services/([A-Za-z0-9/]{20,})`, "hooks.slack.com/"),
	shape(`npm_[A-Za-z0-9]{36}`, "npm_"),
	shape(`pypi-[A-Za-z0-9_\-]{50,}`, "pypi-"),
	shape(`hf_[A-Za-z0-9]{30,}`, "hf_"),
	shape(`[srp]k_(?:live|test)_[A-Za-z0-9]{16,}`, "sk_", "rk_", "pk_"),
	shape(`whsec_[A-Za-z0-9+/]{24,}`, "whsec_"),
	shape(`SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}`, "sg."),
	shape(`do[opr]_v1_[0-9a-f]{40,}`, "doo_", "dop_", "dor_"),
	shape(`gsk_[A-Za-z0-9]{20,}`, "gsk_"),
	shape(`(?:xai|pplx|tvly|nvapi)-[A-Za-z0-9_\-]{20,}`, "xai-", "pplx-", "tvly-", "nvapi-"),
	shape(`hv[sbr]\.[A-Za-z0-9_\-]{8,}`, "hvs.", "hvb.", "hvr."),
	shape(`(?:r8_|shpat_|glsa_|dckr_pat_|GOCSPX-)[A-Za-z0-9_\-]{20,}`, "r8_", "shpat_", "glsa_", "dckr_pat_", "gocspx-"),
	inSets(shape(`SK[0-9a-f]{32}\b`), "s", "k", hexLetters, hexLetters, hexLetters, hexLetters), // Twilio
	shape(`AGE-SECRET-KEY-1[0-9A-Z]{40,}`, "age-secret-key-"),
	inRuns(shape(`eyJ[A-Za-z0-9_\-]{6,}\.[A-Za-z0-9_\-]{4,}\.[A-Za-z0-9_\-]*`, "eyj")),
	that(madeUp, shape(`(?i)bearer[ \t]+([A-Za-z0-9._~+/\-]{12,}=*)`, "bearer")),
	that(isBasic, shape(`(?i)basic[ \t]+([A-Za-z0-9+/_\-]{6,}=*)`, "basic")),
	that(madeUp, shape(`(?i)authorization["']?[ \t]*[:=][ \t]*["']?(?:basic|token)[ \t]+([A-Za-z0-9._~+/\-]{6,}=*)`, "authorization")),
	inRuns(shape(`umpcap\.[A-Za-z0-9_\-]{8,}\.[a-z0-9]{2,16}:[A-Za-z0-9_\-]{20,}`, "umpcap.")),
	// A recovery kit of package keys: what these letters are is settled there.
	inSets(shape(`(?i)0[4-7][0-9A-HJKMNP-TV-Z]{3}(?:-[0-9A-HJKMNP-TV-Z]{5}){11}\b`), "0", "4567", kitLetters, kitLetters, kitLetters, "-"),
	shape(`(?i)AccountKey=([A-Za-z0-9+/]{40,}=*)`, "accountkey="),
	insideWord(shape(`:(AA[A-Za-z0-9_\-]{33})\b`, ":aa")),
	insideWord(shape(`(?:-u|--user)[ =]["']?[A-Za-z0-9._@\-]+:([^\s"']{4,})`, "-u ", "-u=", "--user ", "--user=")),
	insideWord(shape(`://[^\s/:@]*:([^\s/@]+)@`, "://")),
}

// inSets gives a shape a beginning that is no text: at each place, a letter of a set.
func inSets(s secretShape, sets ...string) secretShape { s.sets = sets; return s }

func that(holds func(string) bool, s secretShape) secretShape { s.holds = holds; return s }

const hexLetters = "0123456789abcdef"

// kitLetters are those of recovery kits, in lower case.
const kitLetters = "0123456789abcdefghjkmnpqrstvwxyz"

// findSecrets finds keys and tokens by their shape, and what a name before it says to be
// a secret.
func findSecrets(text string) []span {
	var found []span
	behind := make([]int, len(beginnings)) // where the search for each goes on
	for at := nextPlace(text, 0); at >= 0; at = nextPlace(text, at+1) {
		for _, i := range mayBegin(text, at) {
			if b := beginnings[i]; at >= behind[i] && b.stands(text, at) {
				found, behind[i] = b.take(found, text, at)
			}
		}
	}
	return apart(found)
}

// find appends the secret that stands at a place, if it has the shape, and returns where
// the search for what begins so goes on.
func (s secretShape) find(found []span, text string, at, begins int) ([]span, int) {
	match := s.pattern.FindStringSubmatchIndex(text[at:])
	if match == nil {
		next := at + begins
		for s.run && next < len(text) && (inWord(text[next]) || text[next] == '-') {
			next++
		}
		return found, next
	}
	if secret := (span{at + match[len(match)-2], at + match[len(match)-1]}); !tokenAt(text, secret) && (s.holds == nil || s.holds(text[secret.start:secret.end])) {
		found = append(found, secret)
	}
	return found, at + match[1]
}

// inWord reports whether a letter is one of words and names.
func inWord(c byte) bool {
	return digit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

// tokenAt reports whether what stands there was replaced before.
func tokenAt(text string, s span) bool { return IsToken(text[s.start:s.end]) }

// claims are what names begin with, in lower case, that may say to be of a secret.
var claims = []string{"passw", "passphrase", "pwd", "private", "api", "access", "secret", "token", "kennwort", "credential"}

var assigned = regexp.MustCompile("(?i)^(passw(?:or[dt]|d)|passphrase|pwd|kennwort|secret|token|credentials?|(?:api|access|private)[ _\\-]?key)[\"'`*]{0,3}" +
	"(?:[ \t]{0,3}(:=|=|:)[ \t]{0,3}|[ \t](is|ist|lautet):?[ \t])[*]{0,2}(?:\"([^\"\\n]+)\"|'([^'\\n]+)'|`([^`\\n]+)`|([^\\s\"'`,;|]+))")

// findAssigned appends what is assigned to a password, a token or a key that stands at a
// place, or said to be one, and returns where the search for such goes on.
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
	group, quoted := 7, false
	for g := 4; g < 7; g++ {
		if at[2*g] >= 0 {
			group, quoted = g, true
		}
	}
	s := span{at[2*group], at[2*group+1]}
	if !quoted {
		s.end = s.start + len(strings.TrimRight(text[s.start:s.end], ".!?)*"))
	}
	claim := claim{key: strings.ToLower(text[at[2]:at[3]]), value: text[s.start:s.end], quoted: quoted, last: lineEnds(text, s.end)}
	if at[4] >= 0 {
		claim.sign = text[at[4]:at[5]]
	}
	if !tokenAt(text, s) && claim.secret() {
		if !quoted {
			s.end = ended(text, s.start, at[1])
		}
		found = append(found, s)
	}
	return found, at[1]
}

// ended returns where a secret ends of which what stands up to end may be part: a full
// stop behind it is not, nor is what closes a bracket or stars that were opened shortly
// before, on its line. Any other mark may be.
func ended(text string, start, end int) int {
	for end > start {
		switch c := text[end-1]; {
		case c == '.', c == ')' && bracketed(lineBefore(text, start)), c == '*' && starred(lineBefore(text, start)):
			end--
		default:
			return end
		}
	}
	return end
}

// backward is how far back is looked for what opened a bracket or stars: every secret of
// a long line may ask for it.
const backward = 256

// lineBefore returns what stands on the line before a place, from not too far back.
func lineBefore(text string, at int) string {
	before := text[max(0, at-backward):at]
	return before[strings.LastIndexByte(before, '\n')+1:]
}

func bracketed(before string) bool { return strings.Count(before, "(") > strings.Count(before, ")") }

// starred reports whether stars were opened and not closed: every run of them does either.
func starred(before string) bool {
	runs := strings.FieldsFunc(before, func(c rune) bool { return c != '*' })
	return len(runs)%2 == 1
}

// lineEnds reports whether nothing but punctuation stands before the end of the line.
func lineEnds(text string, at int) bool {
	rest := strings.TrimLeft(text[at:], ".!?)*\"'` \t\r")
	return rest == "" || rest[0] == '\n'
}

// claim is a text that says to be a secret.
type claim struct {
	key    string // in lower case
	sign   string // between key and value; empty: a word such as "is"
	value  string
	quoted bool
	last   bool // it ends the line
}

// secret tells a secret from what is only said about one, as in "token: the next word",
// and from what stands in the place of one, as in password=$PASSWORD.
func (c claim) secret() bool {
	if strings.Contains(c.value, closing) { // of what stands beside tokens, and of what poses as one
		bare, _ := Undisguised(c.value)
		c.value = strings.TrimSpace(tokens.ReplaceAllString(bare, ""))
	}
	mixed := strings.ContainsAny(c.value, "0123456789") || strings.Trim(c.value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZäöüÄÖÜß-_.") != ""
	password := c.password()
	switch {
	case len(c.value) < 4 || strings.ContainsAny(c.value[:1], "$<{%*([&") || isPlaceholder(c.value):
		return false
	case !c.quoted && (strings.Contains(c.value, "(") || !password && strings.Contains(c.value, "[") || c.named()):
		return false
	case strings.HasSuffix(c.sign, "="), c.quoted && password:
		return true
	case c.sign == "":
		return len(c.value) >= 6 && strings.ContainsAny(c.value, "0123456789") && (c.last || password)
	case password:
		return mixed || c.last
	}
	least := 8
	if strings.HasPrefix(c.key, "api") { // which is the name of nothing else
		least = 6
	}
	return mixed && len(c.value) >= least || len(c.value) >= 16
}

// aName is a name in a program, of which the last word tells what it holds, such as
// request.api_key or PrivateKey. A password may look like one that has no dot.
var aName = regexp.MustCompile(`(?i)^(?:[a-z_][a-z0-9_]*\.)*[a-z0-9_]*(?:key|token|secret|password|passwd|pwd|credentials?)$`)

// named reports whether the value is the name of one.
func (c claim) named() bool {
	return aName.MatchString(c.value) && (!c.password() || strings.Contains(c.value, "."))
}

// password reports whether the text says to be a password.
func (c claim) password() bool {
	return c.key[0] == 'p' && !strings.HasPrefix(c.key, "private") || c.key == "kennwort"
}

// isPlaceholder reports whether a word stands in the place of a value, or says where the
// value is kept.
func isPlaceholder(word string) bool {
	switch strings.ToLower(word) {
	case "none", "null", "true", "false", "string", "required", "optional", "input", "empty", "unset", "undefined", "expired", "invalid", "missing", "changeme", "redacted",
		"1password", "bitwarden", "keepass", "keepassxc", "lastpass", "dashlane", "keychain":
		return true
	}
	return false
}
