package beliefs

import (
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/memories"
)

type beliefAddCmd struct {
	Key         string          `arg:"" help:"The subject in one word, such as email_style."`
	Value       string          `arg:"" help:"The value. - reads standard input."`
	Category    engram.Category `required:"" help:"One of communication, work_style, decision_making, relationships, projects, values, learning, health, financial, custom." placeholder:"C"`
	CategoryExt bool            `help:"Allow a category of your own."`
	Confidence  float64         `default:"1" help:"How certain it is: above 0, at most 1." placeholder:"N"`
	Tag         []string        `help:"A tag. May be repeated." placeholder:"T"`
	Stale       *int            `name:"stale-after-days" help:"Doubt the belief after this many days without confirmation." placeholder:"N"`
	ValueType   string          `enum:",string,boolean,number,enum" default:"" help:"The type of the value for programs: string, boolean, number or enum." placeholder:"T"`
	cli.SecretFlag
	Resolve bool `help:"If another belief contradicts it, the new one holds."`
}

// Run states a belief in the owner's name. If it contradicts another belief, the command
// says so and the statement waits, unless --resolve is set.
func (c *beliefAddCmd) Run(a *cli.App) error {
	b, err := c.belief(a)
	if err != nil {
		return err
	}
	return a.With(cli.Writing, func(o *cli.Session) error {
		done, err := o.Beliefs().Believe(a.Ctx, c.Owner(o), b, c.Resolve)
		if err != nil {
			return err
		}
		if done.Contradicts != nil {
			return contradicted(a, done)
		}
		if done.Unchanged {
			a.Say("this was believed already, and is confirmed now")
		}
		if engram.IsImperative(done.Belief.Text) {
			a.Say("if assistants must keep to this without exception, it is a rule: satchel constraint add")
		}
		return stands(a, done.Belief)
	})
}

func (c *beliefAddCmd) belief(a *cli.App) (engram.Belief, error) {
	value, err := a.Text(c.Value, memories.MaxText)
	if err == nil {
		err = checkCategory(c.Category, c.CategoryExt)
	}
	if err == nil && !(c.Confidence > 0 && c.Confidence <= 1) {
		err = cli.Usagef("--confidence is above 0 and at most 1")
	}
	texts := []*string{&c.Key, &value}
	for i := range c.Tag {
		texts = append(texts, &c.Tag[i])
	}
	c.Mask(a, texts...)
	return engram.Belief{
		Category: c.Category, Key: c.Key, Text: value, ValueType: c.ValueType, Confidence: c.Confidence,
		Source: engram.UserStated, StaleAfter: c.Stale, Tags: c.Tag,
	}, err
}

// contradicted reports the contradicting belief, and how to decide. The command ends with
// 4: the statement does not hold.
func contradicted(a *cli.App, done engram.StatementResult) error {
	k := done.Contradicts
	if a.JSON {
		if err := a.Emit(map[string]any{"belief": wired(done.Belief.Wire()), "contradicts": wired(k.Wire())}); err != nil {
			return err
		}
		return cli.Silent(cli.ExitRefused)
	}
	a.Warn("%s says otherwise: %s", cli.OneLine(done.Belief.Key, 60), cli.OneLine(done.Belief.Text, 0))
	a.Warn("It stays as it is, and what you said waits as correction %s:\n"+
		"  satchel corrections confirm %[1]s   # the new value holds\n"+
		"  satchel corrections reject %[1]s    # the old one does\n"+
		"--resolve decides for the new value at once.", cli.ShortPartID(k.ID))
	return cli.Silent(cli.ExitRefused)
}
