package documents

import (
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
)

// enveloped is what every record of this store has around what somebody said, and
// formats of others often have not: the members, and what people call them.
func enveloped() []struct {
	word    string
	members []string
} {
	return []struct {
		word    string
		members []string
	}{
		{"ids", []string{"/ump", "/id"}},
		{"signatures", []string{"/integrity"}},
		{"owners", []string{"/scope/owner", "/scope/visibility"}},
		{"times", []string{"/time/created", "/time/observed", "/time/valid_from"}},
		{"provenance", []string{"/provenance"}},
		{"status", []string{"/lifecycle"}},
		{"consent", []string{"/consent"}},
	}
}

// envelopeOf returns in a word what a loss of something from around a record is of, and
// "" for a loss of what somebody said, or one that has a reason of its own. People are
// told of the former in one sentence.
func envelopeOf(g lossGroup) string {
	if g.Direction != OnWriting || g.Reason != codec.NoPlace {
		return ""
	}
	for _, around := range enveloped() {
		for _, member := range around.members {
			if g.Pointer == member || strings.HasPrefix(g.Pointer, member+"/") {
				return around.word
			}
		}
	}
	return ""
}

// tellEnvelopes tells in a sentence for each format what it does not keep of the
// envelopes.
func tellEnvelopes(a *cli.App, groups []lossGroup) {
	lost := map[string]map[string]bool{}
	var order []string
	for _, g := range groups {
		word := envelopeOf(g)
		if word == "" {
			continue
		}
		if lost[g.Format] == nil {
			lost[g.Format] = map[string]bool{}
			order = append(order, g.Format)
		}
		lost[g.Format][word] = true
	}
	for _, format := range order {
		var words []string
		for _, around := range enveloped() {
			if lost[format][around.word] {
				words = append(words, around.word)
			}
		}
		a.Say("%s does not keep all that is around memories: %s (--report FILE lists it)", format, strings.Join(words, ", "))
	}
}
