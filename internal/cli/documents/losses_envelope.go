package documents

import (
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
)

// enveloped lists the members that surround the text of every record in this store,
// and that foreign formats often lack. It has the members and their names for people.
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

// envelopeOf returns the name of the envelope member that a loss is about. It returns
// "" for a loss of the text, or one with a reason of its own. A single sentence
// reports all losses of envelopes to people.
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

// tellEnvelopes reports in a sentence for each format which parts of the envelopes it
// does not keep.
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
