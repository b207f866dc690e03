package distill

import (
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/text/conversation"
	"github.com/satchel-memory/satchel/text/pattern"
)

// notSaid is the required reason of a decision without one.
const notSaid = "no reason given"

// entry makes an entry of a statement. Its trailing parts state its kind, its author,
// its time and its turns.
func (g *gather) entry(s statement) aicf.Entry {
	first := g.turns[s.turns[0]]
	extra := []aicf.Field{{Key: "by", Raw: string(first.Author)}}
	if !first.At.IsZero() {
		extra = append(extra, aicf.Field{Key: "at", Raw: first.At.UTC().Format(time.RFC3339)})
	}
	ids := make([]string, len(s.turns))
	for i, at := range s.turns {
		ids[i] = safe(g.turns[at].ID, at)
	}
	extra = append(extra, aicf.Field{Key: "src", Raw: strings.Join(ids, ",")})
	if s.kind == Decision {
		rationale := s.rationale
		if rationale == "" {
			rationale = notSaid
		}
		return &aicf.Decision{Text: s.text, Impact: priority(s), Confidence: s.confidence, Rationale: rationale, Extra: extra}
	}
	return &aicf.Insight{
		Text: s.text, Category: category(s.text), Priority: priority(s), Confidence: s.confidence, MemoryType: memoryType(s.kind),
		Extra: append([]aicf.Field{{Key: "kind", Raw: string(s.kind)}}, extra...),
	}
}

var unsafeInID = pattern.New(`[^A-Za-z0-9_.:\-]+`)

// safe returns the id of a turn in a form that fits in a list, or its position if it
// has no id.
func safe(id string, at int) string {
	if id = strings.Trim(unsafeInID.ReplaceAllString(id, "_"), "_"); id == "" {
		return "turn_" + strconv.Itoa(at+1)
	}
	return strings.ReplaceAll(id, "->", "-_")
}

func memoryType(k Kind) aicf.Word {
	switch k {
	case Instruction:
		return aicf.Procedural
	case Open:
		return aicf.Episodic
	}
	return "" // semantic
}

var grave = pattern.New(`(?i)\b(?:allerg\w*|diabet\w*|asthma|pregnant|schwanger|must|never|niemals|nie|critical|deadline|security|compliance|legal|gdpr|dsgvo)\b`)

// priority returns the weight of a statement: demands and harmful matters weigh most.
func priority(s statement) aicf.Word {
	switch {
	case s.kind == Instruction || s.kind == Decision || grave.MatchString(s.text):
		return aicf.High
	case s.confidence == aicf.Low:
		return aicf.Low
	}
	return aicf.Medium
}

// categoryWords are the words of each category, in this order.
var categoryWords = []struct {
	category aicf.Word
	words    *pattern.Pattern
}{
	{"SECURITY", pattern.New(`(?i)\b(?:auth\w*|oauth\w*|password\w*|encrypt\w*|tls|security|secrets?|tokens?|gdpr|dsgvo|verschlüssel\w*)\b`)},
	{"PERFORMANCE", pattern.New(`(?i)\b(?:latency|throughput|performance|cach(?:e|es|ing)|load|qps|rps|p9[59])\b`)},
	{"DATA", pattern.New(`(?i)\b(?:data|database\w*|datenbank\w*|postgres\w*|mysql|sqlite|mongo\w*|schema\w*|tables?|sql|backups?|csv|parquet)\b`)},
	{"ARCHITECTURE", pattern.New(`(?i)\b(?:architecture|microservices?|monolith\w*|service|services|queue|kafka|event\w*|kubernetes|api|apis|backend|frontend|infrastructure|cloud|aws|gcp|azure)\b`)},
	{"IMPLEMENTATION", pattern.New(`(?i)\b(?:code|library|framework|function\w*|tests?|testing|deploy\w*|compil\w*|typescript|javascript|python|golang|go|rust|java|react|vue|svelte|django|rails|npm|pnpm|yarn|bun|docker|git|ci|editor|vim|tabs|linter)\b`)},
	{"STRATEGY", pattern.New(`(?i)\b(?:budget|deadline|roadmap|launch\w*|release\w*|market\w*|customers?|clients?|kunden?|pricing|revenue|hiring|team)\b`)},
}

func category(text string) aicf.Word {
	for _, c := range categoryWords {
		if c.words.MatchString(text) {
			return c.category
		}
	}
	return "GENERAL"
}

// mostSteps limits the flow of a conversation.
const mostSteps = 24

// flow returns the statements step by step, without repetitions. If there are none,
// it returns questions and answers.
func (g *gather) flow() []string {
	steps := g.steps(false)
	if len(steps) == 0 {
		steps = g.steps(true)
	}
	if len(steps) > mostSteps {
		steps = append(steps[:mostSteps-1], "and_so_on")
	}
	return steps
}

// steps returns the steps of turns; turns without a statement only if silent is set.
func (g *gather) steps(silent bool) []string {
	made := map[int]Kind{}
	for _, s := range g.found {
		for _, at := range s.turns {
			if made[at] == "" || s.kind == Decision {
				made[at] = s.kind
			}
		}
	}
	var steps []string
	for i, t := range g.turns {
		if t.Author != conversation.User && t.Author != conversation.Assistant || made[i] == "" && !silent {
			continue
		}
		if step := string(t.Author) + "_" + step(t, made[i]); len(steps) == 0 || steps[len(steps)-1] != step {
			steps = append(steps, step)
		}
	}
	return steps
}

func step(t conversation.Turn, made Kind) string {
	switch {
	case made == Open:
		return "open_end"
	case t.Author == conversation.Assistant && made == Decision:
		return "proposal"
	case made != "":
		return string(made)
	case t.Author == conversation.Assistant:
		return "answer"
	case strings.Contains(t.Text, "?"):
		return "question"
	}
	return "request"
}

var request = pattern.New(`(?i)\?$|\b(?:need|help|want|would like|please|can you|could you|how|what|why|brauche|möchte|kannst|könntest|bitte|hilfe|hilf)\b`)

// actions returns the purpose of the conversation: the user's first request, or first
// words.
func (g *gather) actions() string {
	first := ""
	for _, t := range g.turns {
		if t.Author != conversation.User {
			continue
		}
		for _, line := range speech(t.Text) {
			for _, s := range split(line) {
				switch {
				case words(s) < 4 || len(s) > longSentence:
				case request.MatchString(s):
					return s
				case first == "":
					first = s
				}
			}
		}
	}
	if first == "" {
		return "no request in words"
	}
	return first
}
