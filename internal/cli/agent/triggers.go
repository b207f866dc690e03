package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/trigger"
)

// The files of triggers in the folder run of a home. Only the owner can read them.
//
//	triggers.json  the triggers that are on
//	webhooks/      a file for each agent, with the secret of its webhooks
//	watched/       a file for each agent and folder that it watches, with what was seen there
const (
	triggersFile = "triggers.json"
	webhooksDir  = "webhooks"
	watchedDir   = "watched"
	mostWatched  = 64 << 20
)

type agentTriggersCmd struct {
	Agent  string   `arg:"" help:"The agent's id in the store, or its first characters."`
	On     bool     `xor:"do" help:"Let the triggers that the definition has now start the agent."`
	Off    bool     `xor:"do" help:"Switch all of its triggers off."`
	Secret bool     `xor:"do" help:"Make a new secret for the agent's webhooks and print it. The earlier one is no longer valid."`
	Folder []string `help:"With --on: a folder to watch. Its changes start an agent that has a trigger of type file_change. May be repeated." placeholder:"DIR" type:"path"`
}

// triggersOut is what an agent is started by, for JSON.
type triggersOut struct {
	AgentID  string       `json:"agent_id"`
	Triggers []triggerOut `json:"triggers"`
	Folders  []string     `json:"folders"`
	Secret   string       `json:"secret,omitempty"`
}

type triggerOut struct {
	Type    string `json:"type"`
	Trigger string `json:"trigger"`
	On      bool   `json:"on"`
}

// Run shows the triggers of an agent, or switches them on or off (AAIF-4-20).
func (c *agentTriggersCmd) Run(a *cli.App) error {
	if len(c.Folder) > 0 && !c.On {
		return cli.Usagef("--folder goes with --on")
	}
	return withKeeper(a, cli.Reading, func(o *cli.Session, s *agents.Service) error {
		k, err := agentKept(a, o, s, c.Agent, 0)
		if err != nil {
			return err
		}
		d := aaif.ReadDefinition(k.Document)
		var all []trigger.Switch
		var secret string
		switch {
		case c.On || c.Off:
			err = cli.InTurn(runPath(o.Home, triggersFile), func() error {
				all, secret, err = c.change(a, o.Home, k.AgentID, d)
				return err
			})
		case c.Secret:
			secret, err = newHookSecret(o.Home, k.AgentID)
		}
		if err == nil && all == nil {
			all, err = triggersOn(a, o.Home)
		}
		if err != nil {
			return err
		}
		return c.tell(a, k.AgentID, d, all, secret)
	})
}

// change switches the triggers of an agent on or off. It returns all that are on then, and the
// secret of its webhooks where it had none.
func (c *agentTriggersCmd) change(a *cli.App, h cli.Home, id string, d aaif.Definition) (all []trigger.Switch, secret string, err error) {
	all, err = triggersOn(a, h)
	if err != nil {
		return nil, "", err
	}
	all = slices.DeleteFunc(all, func(one trigger.Switch) bool { return one.Agent == id })
	if c.On {
		one, made, err := c.switchOn(a, h, id, d)
		if err != nil {
			return nil, "", err
		}
		all, secret = append(all, one), made
	}
	return all, secret, putRunFile(runPath(h, triggersFile), agentdoc.JSON(trigger.Write(all)))
}

// switchOn returns the switch of an agent, and the secret of its webhooks where it had none.
func (c *agentTriggersCmd) switchOn(a *cli.App, h cli.Home, id string, d aaif.Definition) (s trigger.Switch, secret string, err error) {
	s = trigger.Switch{Agent: id, Since: a.Now()}
	types := map[string]bool{}
	for _, t := range d.Agent.Events.Triggers {
		types[t.Type] = true
		s.Triggers = append(s.Triggers, trigger.Digest(t))
	}
	if len(s.Triggers) == 0 {
		return s, "", cli.Refusedf("the definition of the agent has no triggers")
	}
	for _, folder := range c.Folder {
		info, err := os.Stat(folder)
		if err == nil && !info.IsDir() {
			err = errors.New("it is no folder")
		}
		if err == nil {
			folder, err = filepath.Abs(folder)
		}
		if err != nil {
			return s, "", cli.Usagef("--folder: %w", err)
		}
		s.Folders = append(s.Folders, folder)
	}
	switch {
	case types[trigger.FileChange] && len(s.Folders) == 0:
		return s, "", cli.Usagef("the agent has a trigger of type file_change: say for which folder, with --folder DIR")
	case !types[trigger.FileChange] && len(s.Folders) > 0:
		return s, "", cli.Usagef("the agent has no trigger of type file_change: leave --folder out")
	}
	if types[trigger.Webhook] && !cli.Exists(hookSecretPath(h, id)) {
		secret, err = newHookSecret(h, id)
	}
	return s, secret, err
}

// tell shows what starts the agent.
func (c *agentTriggersCmd) tell(a *cli.App, id string, d aaif.Definition, all []trigger.Switch, secret string) error {
	out := triggersOut{AgentID: id, Triggers: []triggerOut{}, Folders: []string{}, Secret: secret}
	var on trigger.Switch
	if i := slices.IndexFunc(all, func(one trigger.Switch) bool { return one.Agent == id }); i >= 0 {
		on = all[i]
		out.Folders = cli.OrEmpty(on.Folders)
	}
	for _, t := range d.Agent.Events.Triggers {
		out.Triggers = append(out.Triggers, triggerOut{t.Type, trigger.Describe(t), slices.Contains(on.Triggers, trigger.Digest(t))})
	}
	if a.JSON {
		return a.Emit(out)
	}
	for _, t := range out.Triggers {
		a.Print("%-4s%s", map[bool]string{true: "on", false: "off"}[t.On], cli.OneLine(t.Trigger, 200))
	}
	for _, folder := range out.Folders {
		a.Print("watches %s", cli.Clean(folder))
	}
	if secret != "" {
		a.Print("secret %s", secret)
		a.Warn("this secret signs the agent's webhooks; it is shown once, and kept in the folder run/%s of the store", webhooksDir)
	}
	if len(out.Triggers) == 0 {
		a.Say("the definition of the agent has no triggers")
	} else if c.On {
		a.Say("a satchel serve on this store starts the agent from now on")
	}
	return nil
}

// triggersOn reads which triggers are on.
func triggersOn(a *cli.App, h cli.Home) ([]trigger.Switch, error) {
	v, found, err := runTable(a, h, "triggers", "", triggersFile)
	if err != nil || !found {
		return nil, err
	}
	all, err := trigger.Read(v)
	return all, agentdoc.InFile("triggers", runPath(h, triggersFile), err)
}

// fileNameOf is a name of a file for what may be named by any text.
func fileNameOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

func hookSecretPath(h cli.Home, agent string) string {
	return runPath(h, webhooksDir, fileNameOf(agent))
}

func newHookSecret(h cli.Home, agent string) (string, error) {
	secret := trigger.NewSecret()
	return secret, putRunFile(hookSecretPath(h, agent), []byte(secret+"\n"))
}

// RunTriggers returns what a server needs to start agents by their triggers.
func RunTriggers(o *cli.Session, a *cli.App) host.Triggers {
	watched := func(agent, folder string) string {
		return runPath(o.Home, watchedDir, fileNameOf(agent, folder)+".json")
	}
	return host.Triggers{
		On:     func() ([]trigger.Switch, error) { return triggersOn(a, o.Home) },
		Secret: func(agent string) (string, error) { return secretIn(hookSecretPath(o.Home, agent)) },
		Load: func(agent, folder string) (f host.WatchedFolder, err error) {
			raw, err := cli.ReadBounded(watched(agent, folder), mostWatched)
			if errors.Is(err, fs.ErrNotExist) {
				return f, nil
			}
			if err == nil {
				err = json.Unmarshal(raw, &f)
			}
			return f, err
		},
		Save: func(agent, folder string, f host.WatchedFolder) error {
			raw, err := json.Marshal(f)
			if err != nil {
				return err
			}
			return putRunFile(watched(agent, folder), raw)
		},
	}
}

// secretIn reads a secret that only its owner can read, "" if there is none.
func secretIn(path string) (string, error) {
	raw, err := ownFile(path, "others can read the secret in %s: chmod 600 it, and make another one with satchel agent triggers --secret if somebody may have read it")
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(raw)), err
}
