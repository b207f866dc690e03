package operate

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	"github.com/zalando/go-keyring"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/embed"
	"github.com/satchel-memory/satchel/internal/modelhttp"
	"github.com/satchel-memory/satchel/internal/vault/meaning"
)

// EmbedCmd holds the commands for the search by meaning.
type EmbedCmd struct {
	Use      embedUseCmd      `cmd:"" help:"Find memories by meaning too, with vectors of a server that you name."`
	Status   embedStatusCmd   `cmd:"" help:"Show which server is used, and how many memories have vectors."`
	Backfill embedBackfillCmd `cmd:"" help:"Get the vectors of all memories that have none. A second run continues an interrupted one."`
	Off      embedOffCmd      `cmd:"" help:"Find memories by words alone, and remove the vectors."`
}

type embedUseCmd struct {
	URL     string `arg:"" help:"An OpenAI-compatible server, such as http://127.0.0.1:11434 for Ollama. It answers under /v1/embeddings."`
	Model   string `required:"" help:"The server's model for vectors." placeholder:"NAME"`
	KeyFile string `xor:"key" help:"The server's key is the first line of this file. The file is read when the key is needed." placeholder:"FILE"`
	Keyring bool   `xor:"key" help:"Ask for the server's key and keep it in the system's keyring."`
	All     bool   `help:"Send memories too that are not exportable, redacted or masked, or that have a retention."`
	Yes     bool   `short:"y" help:"Do not ask."`
}

// embedOut is the state for machines.
type embedOut struct {
	On      bool   `json:"on"`
	URL     string `json:"url,omitempty"`
	Model   string `json:"model,omitempty"`
	Since   string `json:"since,omitempty"`
	Dim     int    `json:"dim,omitempty"`
	All     bool   `json:"all"`
	Records int    `json:"records"` // active memories
	Vectors int    `json:"vectors"`
}

// Run chooses a server.
func (c *embedUseCmd) Run(a *cli.App) error {
	want := meaning.Settings{URL: c.URL, Model: c.Model, Keyring: c.Keyring, All: c.All}
	if _, err := embed.NewClient(c.URL, c.Model, "", 0); err != nil {
		return cli.Usagef("%w", err)
	}
	if c.KeyFile != "" {
		var err error
		if want.KeyFile, err = filepath.Abs(c.KeyFile); err != nil {
			return err
		}
	}
	if err := c.ask(a); err != nil {
		return err
	}
	return a.With(cli.Writing, func(o *cli.Session) error {
		if c.Keyring {
			key, err := c.key(a)
			if err != nil {
				return err
			}
			if err := keyring.Set(cli.KeyringService, cli.EmbedUser(o.Owner, c.URL), key); err != nil {
				return fmt.Errorf("the keyring does not take the key: %w; --key-file FILE names a file with it", err)
			}
		}
		if _, err := o.Meaning().Use(a.Ctx, o.Caller(), want); err != nil {
			return embedFailure(err)
		}
		return tellEmbed(a, o, "new memories get vectors while satchel serve or satchel mcp runs; satchel embed backfill gets those of the others")
	})
}

// ask says what leaves the machine, and asks whether it may.
func (c *embedUseCmd) ask(a *cli.App) error {
	stay := "Memories stay here that are not exportable, redacted or masked, or that have a retention."
	if c.All {
		stay = "That includes memories that are not exportable, redacted or masked, or that have a retention."
	}
	a.Say("From now on %s receives the text of your memories, up to 2,000 bytes of each, and every question that you or your assistants ask.\n"+
		"%s Secrets in questions are masked. Nothing goes to another server; satchel embed off ends it.", hostOf(c.URL), stay)
	switch {
	case c.Yes:
		return nil
	case !a.Interactive():
		return cli.Usagef("say --yes when there is no terminal to ask on")
	}
	yes, err := a.Confirm("Use it?")
	if err == nil && !yes {
		err = cli.Refusedf("nothing was changed")
	}
	return err
}

// key reads the server's key from the terminal or from standard input.
func (c *embedUseCmd) key(a *cli.App) (key string, err error) {
	if a.Interactive() {
		key, err = a.Secret("Key of " + hostOf(c.URL))
	} else {
		key, err = a.Line()
	}
	if err == nil && key == "" {
		err = cli.Usagef("the key is empty")
	}
	return key, err
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return cli.Clean(u.Host)
}

// embedFailure says what to do about a server that gave no vectors.
func embedFailure(err error) error {
	refusal, refused := errors.AsType[*modelhttp.Refusal](err)
	switch {
	case refused && (refusal.Status == 401 || refusal.Status == 403):
		return cli.Refusedf("%w: it refuses the key; name it with --key-file or --keyring", err)
	case refused && (refusal.Status == 404 || refusal.Status == 400):
		return fmt.Errorf("%w: it knows no such model, or not this path", err)
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("the server does not answer; does it run?")
	}
	return fmt.Errorf("get vectors: %w", err)
}

// tellEmbed shows the state. next is what to do next.
func tellEmbed(a *cli.App, o *cli.Session, next string) error {
	now, on, err := o.Meaning().Status(a.Ctx, o.Caller())
	if err != nil {
		return err
	}
	if a.JSON {
		out := embedOut{On: on, URL: now.URL, Model: now.Model, Dim: now.Dim, All: now.All, Records: now.Records, Vectors: now.Vectors}
		if on {
			out.Since = cli.Stamp(now.Since)
		}
		return a.Emit(out)
	}
	if !on {
		a.Print("memories are found by words alone")
		a.Say("satchel embed use URL --model NAME finds them by meaning too")
		return nil
	}
	a.Print("%s of %s, %d numbers a vector, since %s", cli.Clean(now.Model), cli.Clean(now.URL), now.Dim, cli.Local(now.Since))
	a.Print("%d of %s have vectors", now.Vectors, cli.Plural(now.Records, "memory", "memories"))
	if next != "" {
		a.Say("%s", next)
	}
	return nil
}

type embedStatusCmd struct{}

// Run shows the state.
func (c *embedStatusCmd) Run(a *cli.App) error {
	return a.With(cli.Reading, func(o *cli.Session) error { return tellEmbed(a, o, "") })
}

type embedBackfillCmd struct{}

// backfillOut is the result for machines.
type backfillOut struct {
	Embedded int `json:"embedded"`
	Before   int `json:"before"`
	Withheld int `json:"withheld"`
	Refused  int `json:"refused"`
}

// Run gets the missing vectors.
func (c *embedBackfillCmd) Run(a *cli.App) error {
	return a.With(cli.Writing, func(o *cli.Session) error {
		now, on, err := o.Meaning().Current(a.Ctx, o.Caller())
		if err != nil {
			return err
		}
		if !on {
			return tellEmbed(a, o, "")
		}
		total, err := o.CountMemories(a.Ctx)
		if err != nil {
			return err
		}
		a.Detail("asking %s", hostOf(now.URL))
		shown := a.ProgressOf("considered", "memories", total)
		done, err := o.Meaning().Backfill(a.Ctx, o.Caller(), func(r meaning.Report) { shown.Reached(r.Considered()) })
		shown.End()
		if err != nil && a.Ctx.Err() == nil {
			err = fmt.Errorf("%w; %s got vectors, and a second run goes on from there", embedFailure(err), cli.Plural(done.Embedded, "memory", "memories"))
		}
		if err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(backfillOut(done))
		}
		a.Print("%s got vectors, %d had them", cli.Plural(done.Embedded, "memory", "memories"), done.Before)
		if done.Withheld > 0 {
			a.Say("%s not sent: not exportable, redacted, masked, with a retention, or another owner's", cli.Plural(done.Withheld, "memory was", "memories were"))
		}
		if done.Refused > 0 {
			a.Warn("the server refuses %s, perhaps as too long", cli.Plural(done.Refused, "memory", "memories"))
		}
		return nil
	})
}

type embedOffCmd struct {
	Keep bool `help:"Keep the vectors, for when the same model is used again."`
	Yes  bool `short:"y" help:"Do not ask."`
}

// Run ends the search by meaning.
func (c *embedOffCmd) Run(a *cli.App) error {
	switch {
	case c.Keep || c.Yes:
	case !a.Interactive():
		return cli.Usagef("say --yes to remove the vectors, or --keep")
	default:
		yes, err := a.Confirm("Remove the vectors of all memories?")
		if err != nil {
			return err
		}
		if !yes {
			return cli.Refusedf("nothing was changed; --keep keeps the vectors")
		}
	}
	return a.With(cli.Writing, func(o *cli.Session) error {
		now, on, err := o.Meaning().Current(a.Ctx, o.Caller())
		if err != nil {
			return err
		}
		if err := o.Meaning().Off(a.Ctx, o.Caller(), c.Keep); err != nil {
			return err
		}
		if on && now.Keyring {
			if err := keyring.Delete(cli.KeyringService, cli.EmbedUser(o.Owner, now.URL)); err != nil {
				a.Warn("the keyring still has the key of %s (%v)", hostOf(now.URL), err)
			}
		}
		return tellEmbed(a, o, "")
	})
}
