package memories

import (
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
)

// warnAll reports what the program did differently from the caller's request.
func warnAll(a *cli.App, warnings []memory.Warning) {
	for _, w := range warnings {
		a.Warn("%s", cli.Clean(w.Message))
	}
}

// withWarnings adds warnings to an answer for machines, in the form of HTTP answers.
func withWarnings(answer map[string]any, warnings []memory.Warning) map[string]any {
	type told struct {
		Path    string `json:"path"`
		Message string `json:"message"`
	}
	list := make([]told, len(warnings))
	for i, w := range warnings {
		list[i] = told{w.Path, w.Message}
	}
	if len(list) > 0 {
		answer["warnings"] = list
	}
	return answer
}
