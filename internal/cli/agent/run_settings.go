package agent

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
	"github.com/satchel-memory/satchel/internal/cli/otel"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/run/remote"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

// The names in the folder run of a home, which holds what its owner has set up for runs:
//
//	models.json   the operator table: providers, their regions, models, prices
//	tools.json    functions, MCP servers, secrets, and which agent may use which tool
//	rules.json    what constraints mean, so that no model has to be asked
//	telemetry.json   the collectors to which definitions may have traces sent
//	context/      the files that definitions may read as context
//	openapi/      descriptions of OpenAPI
//	copies/       what lies at addresses that definitions name, by host and path
//	keys/         a file for each provider with its key
//
// All are optional.
const (
	runFolder   = "run"
	modelsFile  = "models.json"
	toolsFile   = "tools.json"
	rulesFile   = "rules.json"
	tracesFile  = "telemetry.json"
	contextDir  = "context"
	openAPIDir  = "openapi"
	copiesDir   = "copies"
	runKeyDir   = "keys"
	mostOfRules = 1 << 20
)

// RunFiles name tables instead of those in the home folder.
type RunFiles struct {
	Models string `help:"The table of models. Default: run/models.json in the store's folder; without it the providers are asked that definitions name." placeholder:"FILE"`
	Tools  string `help:"The table of tools. Default: run/tools.json in the store's folder." placeholder:"FILE"`
	Rules  string `help:"The table of rules for constraints. Default: run/rules.json in the store's folder." placeholder:"FILE"`
}

// runPath returns a path in the folder of settings for runs.
func runPath(h cli.Home, name ...string) string {
	return filepath.Join(append([]string{h.Dir, runFolder}, name...)...)
}

// RunSettings reads what the owner of a home has set up for runs. A table that is not
// there is empty; one that cannot be read is an error that names it.
func RunSettings(o *cli.Session, a *cli.App, f RunFiles) (host.Settings, error) {
	s, err := runTables(o, a, f)
	if err != nil {
		return host.Settings{}, err
	}
	s.Env = func(name string) (string, bool) {
		value := a.Env(name)
		return value, value != ""
	}
	if dir := runPath(o.Home, contextDir); cli.Exists(dir) {
		s.Files = ownFolder(dir)
	}
	if dir := runPath(o.Home, copiesDir); cli.Exists(dir) {
		s.Copies = ownFolder(dir)
	}
	if dir := runPath(o.Home, openAPIDir); cli.Exists(dir) {
		s.Folder = dir
	}
	s.Keys = runKeys{home: o.Home, owner: o.Config.Owner, env: a.Env, models: s.Models}
	s.Rules, err = runRules(o.Home, f.Rules)
	return s, err
}

// runTables reads the owner's tables of models, tools and collectors. It leaves out rules,
// folders and keys, which only a run needs.
func runTables(o *cli.Session, a *cli.App, f RunFiles) (s host.Settings, err error) {
	models, found, err := runTable(a, o.Home, "--models", f.Models, modelsFile)
	if err == nil && found {
		s.Models, err = route.ReadOperator(models)
		err = agentdoc.InFile("--models", orPath(f.Models, o.Home, modelsFile), err)
	}
	s.DefaultProviders = !found
	if err != nil {
		return host.Settings{}, err
	}
	tools, found, err := runTable(a, o.Home, "--tools", f.Tools, toolsFile)
	if err == nil && found {
		s.Tools, err = tool.ReadOperator(tools)
		err = agentdoc.InFile("--tools", orPath(f.Tools, o.Home, toolsFile), err)
	}
	if err == nil {
		s.Collectors, err = runCollectors(a, o.Home)
	}
	s.Exports = otel.Traces(a)
	return s, err
}

func orPath(named string, h cli.Home, name string) string {
	if named != "" {
		return named
	}
	return runPath(h, name)
}

// runTable reads a table, if it is there. One that a flag names has to be.
func runTable(a *cli.App, h cli.Home, flag, named, name string) (v canon.Value, found bool, err error) {
	path := orPath(named, h, name)
	if named == "" && !cli.Exists(path) {
		return canon.Value{}, false, nil
	}
	v, err = agentdoc.TreeFor(a, flag, path)
	return v, true, err
}

// runCollectors reads the table of collectors, if it is there.
func runCollectors(a *cli.App, h cli.Home) ([]host.Collector, error) {
	v, found, err := runTable(a, h, tracesFile, "", tracesFile)
	if err != nil || !found {
		return nil, err
	}
	all, err := host.ReadCollectors(v)
	return all, agentdoc.InFile(tracesFile, runPath(h, tracesFile), err)
}

func runRules(h cli.Home, named string) ([]policy.Rule, error) {
	path := orPath(named, h, rulesFile)
	if named == "" && !cli.Exists(path) {
		return nil, nil
	}
	raw, err := cli.ReadBounded(path, mostOfRules)
	if err != nil {
		return nil, agentdoc.InFile("--rules", path, err)
	}
	rules, err := policy.ReadRules(raw)
	return rules, agentdoc.InFile("--rules", path, err)
}

// ownFolder is a folder with files of the owner that runs read. It follows no link out of it.
type ownFolder string

// Open opens a file of the folder.
func (dir ownFolder) Open(name string) (fs.File, error) {
	root, err := os.OpenRoot(string(dir))
	if err != nil {
		return nil, err
	}
	defer root.Close() // the file stays open
	return root.FS().Open(name)
}

// running tells the keeper of agents what runs have here.
func running(s host.Settings) func(*agents.Options) {
	return func(o *agents.Options) {
		o.Running, o.Functions = s.Offer(), nil
		for _, f := range s.Tools.Functions {
			o.Functions = append(o.Functions, f.Name)
		}
		o.Hooks = nil
		for _, hook := range s.Tools.Hooks {
			o.Hooks = append(o.Hooks, hook.Name)
		}
		o.Cards = nil
		for _, one := range s.Tools.Agents {
			o.Cards = append(o.Cards, one.Card)
		}
	}
}

// Running returns the function Fresh of [agents.Options]: it reads the owner's tables at each call.
func Running(o *cli.Session, a *cli.App) func(*agents.Options) error {
	return func(options *agents.Options) error {
		s, err := runTables(o, a, RunFiles{})
		if err == nil {
			running(s)(options)
		}
		return err
	}
}

// Elsewhere returns what gives tasks to agents on other platforms: those that the owner's table
// of tools lists, as it is when a task is given.
func Elsewhere(o *cli.Session, a *cli.App) host.Remote {
	return elsewhere(a, func() (host.Settings, error) { return RunSettings(o, a, RunFiles{}) })
}

func elsewhere(a *cli.App, settings func() (host.Settings, error)) host.Remote {
	return remote.New(remote.Options{Now: a.Now, Settings: func() (tool.Operator, func(string) (string, bool), error) {
		s, err := settings()
		return s.Tools, s.Env, err
	}})
}
