package redact

import (
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
)

// secretShape describes secrets of one shape: their beginning, in lower case, and the
// pattern from there. If the pattern has a group, the group is the secret.
type secretShape struct {
	begins  []string
	sets    []string // instead of texts: the letters allowed at each place of the beginning
	pattern *pattern.Pattern
	back    int                      // number of bytes before the characteristic part
	inside  bool                     // it may begin inside a word
	run     bool                     // if one match fails, none begins among the letters, digits and hyphens that follow
	behind  func(before string) bool // whether the command before it takes such secrets; nil: not needed
	holds   func(secret string) bool // distinguishes a secret from a text of the same shape; nil: all are secrets
}

func shape(expression string, begins ...string) secretShape {
	return secretShape{begins: begins, pattern: pattern.New(`^(?:` + expression + `)`)}
}

func insideWord(s secretShape) secretShape { s.inside = true; return s }

func inRuns(s secretShape) secretShape { s.run = true; return s }

// secretShapes are those of [vendorShapes], those of keys in files, and those that
// protocols and commands mark as secrets.
var secretShapes = append([]secretShape{
	insideWord(shape(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)`, "-----begin ")),
	shape(`sk-ant-[A-Za-z0-9_\-]{6,}|sk-(?:[a-z0-9]{2,10}-){0,4}[A-Za-z0-9_]{16,}[A-Za-z0-9_\-]*`, "sk-"),
	shape(`gh[pousr]_[A-Za-z0-9]{20,}`, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
	shape(`github_pat_[A-Za-z0-9_]{20,}`, "github_pat_"),
	shape(`(?:AKIA|ASIA)[0-9A-Z]{16}\b`, "akia", "asia"),
	shape(`AIza[A-Za-z0-9_\-]{35}`, "aiza"),
	shape(`ya29\.[A-Za-z0-9_\-]{20,}`, "ya29."),
	shape(`xox[a-z]-[A-Za-z0-9\-]{10,}|xapp-\d-[A-Za-z0-9\-]{20,}`, "xox", "xapp-"),
	shape(`hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/]{20,})`, "hooks.slack.com/"),
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
	// A recovery kit of package keys, which defines its letters.
	inSets(shape(`(?i)0[4-7][0-9A-HJKMNP-TV-Z]{3}(?:-[0-9A-HJKMNP-TV-Z]{5}){11}\b`), "0", "4567", kitLetters, kitLetters, kitLetters, "-"),
	shape(`(?i)AccountKey=([A-Za-z0-9+/]{40,}=*)`, "accountkey="),
	insideWord(shape(`:(AA[A-Za-z0-9_\-]{33})\b`, ":aa")),
	of("curl", shape(`(?:-u|--user)[ =]["']?[A-Za-z0-9._@\-]+:([^\s"']{4,})`, "-u ", "-u=", "--user ", "--user=")),
	that(isPassword, insideWord(shape(`://[^\s/:@]*:([^\s/@]+(?:@[^\s/@"'<>]+)*)@`, "://"))),
	insideWord(shape(`(?i)Private-Lines: *\d+\r?\n((?:[A-Za-z0-9+/=]{20,}\r?\n?)+)`, "private-lines:")), // PuTTY
	insideWord(shape(`\$(?:1|5|6|apr1)\$(?:rounds=\d+\$)?[A-Za-z0-9./]{1,16}\$[A-Za-z0-9./]{22,}`, "$1$", "$5$", "$6$", "$apr1$")),
	insideWord(shape(`\$2[aby]\$\d\d\$[A-Za-z0-9./]{53}|\$y\$[A-Za-z0-9./]+\$[A-Za-z0-9./]+\$[A-Za-z0-9./]{40,}`, "$2a$", "$2b$", "$2y$", "$y$")),
	insideWord(shape(`\$argon2(?:id|i|d)\$v=\d+\$[^\s$]+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]{20,}`, "$argon2")),
}, vendorShapes...)

// inSets gives a shape a beginning that is not a text: each place has a set of letters.
func inSets(s secretShape, sets ...string) secretShape { s.sets = sets; return s }

// back gives a shape the number of bytes before the characteristic part.
func back(n int, s secretShape) secretShape { s.inside, s.back = true, n; return s }

func that(holds func(string) bool, s secretShape) secretShape { s.holds = holds; return s }

// of gives a shape the command that takes such secrets.
func of(command string, s secretShape) secretShape {
	return behind(func(before string) bool { return strings.Contains(before, command) }, s)
}

// behind gives a shape a test of the line before the secret.
func behind(takes func(before string) bool, s secretShape) secretShape {
	s.inside, s.behind = true, takes
	return s
}

const hexLetters = "0123456789abcdef"

// kitLetters are the letters of recovery kits, in lower case.
const kitLetters = "0123456789abcdefghjkmnpqrstvwxyz"
