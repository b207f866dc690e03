package memories

import (
	"context"
	"io"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/project"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// hookPatience is how long the start of a session may wait for a brief.
const hookPatience = 3 * time.Second

// sessionContext is the output of a hook at the start of a session, for Claude Code, Codex
// and Gemini CLI.
type sessionContext struct {
	Output struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

// hook prints a brief for a host's new session. It prints nothing if there is no store,
// memory or key, and never fails: the session matters more.
func (c *BriefCmd) hook(a *cli.App) error {
	go func() { _, _ = io.Copy(io.Discard, a.In) }() // the host may wait until somebody reads its input
	at, err := a.Home()
	if err != nil || at.InDatabase() {
		return nil // a session must not wait for a network
	}
	ctx, stop := context.WithTimeout(a.Ctx, hookPatience)
	defer stop()
	quick := *a
	quick.Ctx, quick.Err = ctx, io.Discard
	texts := make(chan string, 1)
	go func() { texts <- c.sessionText(&quick) }()
	select {
	case text := <-texts:
		if text == "" {
			return nil
		}
		var out sessionContext
		out.Output.Event, out.Output.Context = "SessionStart", text
		return a.Emit(out)
	case <-ctx.Done():
		return nil
	}
}

// sessionText is the brief for the current folder's project, framed as data; empty if there
// is none.
func (c *BriefCmd) sessionText(a *cli.App) string {
	name := c.Project
	if c.Here {
		if found, err := project.Of("."); err == nil {
			name = found.Name
		}
	}
	var text string
	err := a.With(cli.Reading, func(o *cli.Session) error {
		assistant := memory.Caller{Owner: o.Owner, Role: memory.Agent, Agent: hookHost(a)}
		if err := o.Assistants().AdmitHost(a.Ctx, assistant); err != nil {
			return err
		}
		brief, err := o.Brief(a.Ctx, assistant, vault.BriefQuery{Project: name, Budget: c.Budget})
		if err == nil && len(brief.Sections) > 0 {
			text = brief.Text
		}
		return err
	})
	if err != nil {
		return ""
	}
	return text
}

// hookHost returns the host that runs this hook, by the folder that it tells its hooks;
// empty: one that does not.
func hookHost(a *cli.App) string {
	for _, known := range [][2]string{{"GEMINI_PROJECT_DIR", "gemini"}, {"CLAUDE_PROJECT_DIR", "claude-code"}} { // Gemini CLI sets both
		if a.Env(known[0]) != "" {
			return known[1]
		}
	}
	return ""
}
