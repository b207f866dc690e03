package agent

import (
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/memory"
)

// runsOf calls do with the runs of an agent, or of all agents if id is empty, newest first,
// until do returns false.
func runsOf(a *cli.App, o *cli.Session, h *host.Host, id string, do func(runstore.Run) bool) error {
	const page = 200
	var after runstore.Place
	for {
		list, err := h.List(a.Ctx, o.Caller(), id, after, page)
		if err != nil {
			return err
		}
		for _, r := range list {
			if !do(r) {
				return nil
			}
			after = r.Place()
		}
		if len(list) < page {
			return nil
		}
	}
}

// runID returns the id of the run that an argument means: its id, or the beginning of it.
func runID(a *cli.App, o *cli.Session, h *host.Host, arg string) (string, error) {
	beginning := strings.ToLower(arg)
	if len(beginning) < cli.LeastPrefix {
		return "", tooShort(arg)
	}
	var ids []string
	err := runsOf(a, o, h, "", func(r runstore.Run) bool {
		if strings.HasPrefix(r.ID, beginning) {
			ids = append(ids, r.ID)
		}
		return len(ids) <= cli.MostShown
	})
	if err != nil {
		return "", err
	}
	return onlyID(ids, arg, "run", "satchel agent runs")
}

// isNotKept reports whether an argument means nothing that is kept.
func isNotKept(err error) bool { return memory.KindOf(err) == memory.NotFound }

// nothingKept says that an argument means neither of two things.
func nothingKept(arg, one, other string) error {
	return notKept(nil, fmt.Sprintf("%s is neither %s nor %s that is kept here; satchel agent list, runs and states show what is", cli.OneLine(arg, 80), one, other))
}

// resumeLine is the command that goes on with a run, with what it was started with.
func resumeLine(id string, flags []string) string {
	line := "satchel agent resume " + shellWord(id)
	for _, f := range flags {
		line += " " + shellWord(f)
	}
	return line
}

// shellWord quotes a word of a command line, unless it needs no quotes.
func shellWord(text string) string {
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.:/@=", r))
	}) {
		return text
	}
	return "'" + strings.ReplaceAll(cli.Clean(text), "'", `'\''`) + "'"
}
