package operate

import (
	"encoding/json"
	"slices"

	"github.com/satchel-memory/satchel/internal/cli"
)

// host is a program that starts MCP servers, and the files it reads them from.
type host struct {
	Name    string
	Title   string
	aliases []string // other names that people type
	calls   []string // names that the host gives itself over MCP, where they differ from Name
	// programs are the names under which the host lies in a folder of $PATH.
	programs []string
	// traces are folders that the host makes when it is installed or first started.
	traces []place
	// settings are the files that may list the user's servers, the usual one first.
	settings []place
	// local is the file for one project, below its folder; "" if there is none.
	local string
	// syntax is how the settings are written.
	syntax syntax
	// section is the member that holds the servers: an object that names each, or, for
	// syntaxList, a list of them.
	section string
	// entry writes the server as this host reads it.
	entry func(serverCommand) []setting
	// preamble is what a new settings file must say before its servers.
	preamble string
	// notes is the file of standing instructions; nil if the host has none.
	notes place
	// hooks is the file that lists the host's commands for the start of a session; nil if
	// there is none.
	hooks place
	// timeout is how long a hook may run, in the host's unit.
	timeout int
	// after is what the user still has to do.
	after string
	// afterHook is what the user still has to do for the hook.
	afterHook string
}

// ownNames are the names that the host gives itself over MCP, besides Name.
func (h host) ownNames() []string { return append([]string{h.Title}, h.calls...) }

// syntax is how a settings file is written.
type syntax int

const (
	syntaxJSON syntax = iota // with comments and trailing commas
	syntaxTOML
	syntaxYAML // an object of servers
	syntaxList // YAML with a list of servers, each with its name
)

// serverCommand is the command that starts satchel for a host.
type serverCommand struct {
	program string
	args    []string
}

// Hosts are the hosts that connect knows, in the order they are shown.
func Hosts() []host {
	return []host{
		{
			Name: "claude-code", Title: "Claude Code", programs: []string{"claude"}, traces: []place{inFolder("CLAUDE_CONFIG_DIR", ".claude", "")},
			settings: []place{inFolder("CLAUDE_CONFIG_DIR", "", ".claude.json")}, local: ".mcp.json",
			section: "mcpServers", entry: typedEntry,
			notes: inFolder("CLAUDE_CONFIG_DIR", ".claude", "CLAUDE.md"),
			hooks: inFolder("CLAUDE_CONFIG_DIR", ".claude", "settings.json"), timeout: 10,
			after: "Start a new session of Claude Code; /mcp shows the server.",
		},
		{
			Name: "claude-desktop", Title: "Claude Desktop", calls: []string{"claude-ai"}, traces: []place{inAppData("Claude")},
			settings: []place{inAppData("Claude/claude_desktop_config.json")},
			section:  "mcpServers", entry: plainEntry,
			after: "Quit Claude Desktop wholly and start it again.",
		},
		{
			Name: "cursor", Title: "Cursor", calls: []string{"cursor-vscode", "cursor-agent"}, programs: []string{"cursor", "cursor-agent"}, traces: []place{inHome(".cursor"), inAppData("Cursor")},
			settings: []place{inHome(".cursor/mcp.json")}, local: ".cursor/mcp.json",
			section: "mcpServers", entry: plainEntry,
			after: "Cursor's settings, MCP, show the server; switch it on there if it is off.",
		},
		{
			Name: "codex", Title: "Codex", calls: []string{"codex-mcp-client"}, aliases: []string{"codex-cli"}, programs: []string{"codex"}, traces: []place{inFolder("CODEX_HOME", ".codex", "")},
			settings: []place{inFolder("CODEX_HOME", ".codex", "config.toml")},
			syntax:   syntaxTOML, section: "mcp_servers", entry: plainEntry,
			notes: inFolder("CODEX_HOME", ".codex", "AGENTS.md"),
			hooks: inFolder("CODEX_HOME", ".codex", "hooks.json"), timeout: 10,
			after:     "Start a new session of Codex; /mcp shows the server.",
			afterHook: "Codex runs the hook once you trust it: /hooks lists it for review.",
		},
		{
			Name: "vscode", Title: "VS Code", calls: []string{"Visual Studio Code", "Visual Studio Code - Insiders", "copilot-cli"}, aliases: []string{"copilot", "code"}, programs: []string{"code"}, traces: []place{inAppData("Code")},
			settings: []place{inAppData("Code/User/mcp.json")}, local: ".vscode/mcp.json",
			section: "servers", entry: typedEntry,
			after: "In VS Code run \"MCP: List Servers\" and start satchel.",
		},
		{
			Name: "gemini", Title: "Gemini CLI", calls: []string{"gemini-cli-mcp-client", "gemini-cli"}, aliases: []string{"gemini-cli"}, programs: []string{"gemini"}, traces: []place{inHome(".gemini")},
			settings: []place{inHome(".gemini/settings.json")}, local: ".gemini/settings.json",
			section: "mcpServers", entry: plainEntry,
			notes: inHome(".gemini/GEMINI.md"),
			hooks: inHome(".gemini/settings.json"), timeout: 10_000,
			after: "Start a new session of Gemini CLI; /mcp shows the server.\n" +
				"Gemini CLI starts servers and hooks in folders that you trust alone: answer its question there, or type /permissions.",
		},
		{
			Name: "windsurf", Title: "Windsurf", calls: []string{"windsurf-client"}, programs: []string{"windsurf"}, traces: []place{inHome(".codeium/windsurf"), inAppData("Windsurf")},
			settings: []place{inHome(".codeium/windsurf/mcp_config.json")},
			section:  "mcpServers", entry: plainEntry,
			after: "In Windsurf open the MCP servers of Cascade and refresh the list.",
		},
		{
			Name: "opencode", Title: "OpenCode", programs: []string{"opencode"}, traces: []place{inConfig("opencode", ""), inHome(".local/share/opencode")},
			settings: []place{inConfig("opencode/opencode.json", ""), inConfig("opencode/opencode.jsonc", "")}, local: "opencode.json",
			section: "mcp", entry: openCodeEntry,
			notes: inConfig("opencode/AGENTS.md", ""),
			after: "Start OpenCode again; opencode mcp list shows the server.",
		},
		{
			Name: "zed", Title: "Zed", programs: []string{"zed", "zeditor"}, traces: []place{inConfig("zed", "Zed")},
			settings: []place{inConfig("zed/settings.json", "Zed/settings.json")}, local: ".zed/settings.json",
			section: "context_servers", entry: plainEntry,
			after: "Zed starts the server at once; its settings, AI, MCP Servers, show it.",
		},
		{
			Name: "cline", Title: "Cline", programs: []string{"cline"},
			traces: []place{inHome(".cline"), inAppData("Code/User/globalStorage/saoudrizwan.claude-dev")},
			settings: []place{inHome(".cline/data/settings/cline_mcp_settings.json"),
				inAppData("Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json")},
			section: "mcpServers", entry: plainEntry,
			after: "In Cline open MCP Servers, Configure; the server is listed there.",
		},
		{
			Name: "continue", Title: "Continue", calls: []string{"continue-client"}, programs: []string{"cn"}, traces: []place{inHome(".continue")},
			settings: []place{inHome(".continue/config.yaml")},
			syntax:   syntaxList, section: "mcpServers", entry: plainEntry,
			preamble: "name: Local Config\nversion: 1.0.0\nschema: v1\n",
			after:    "Continue reads the file at once; its tools are there in agent mode.",
		},
		{
			Name: "goose", Title: "Goose", programs: []string{"goose"}, traces: []place{inConfig("goose", "Block/goose/config")},
			settings: []place{inConfig("goose/config.yaml", "Block/goose/config/config.yaml")},
			syntax:   syntaxYAML, section: "extensions", entry: gooseEntry,
			after: "Start a new session of Goose; its extensions list satchel.",
		},
		{
			Name: "jetbrains", Title: "JetBrains Junie", calls: []string{"junie"}, aliases: []string{"junie", "intellij", "ai-assistant"}, programs: []string{"junie", "idea", "pycharm", "webstorm", "goland"},
			traces: []place{inHome(".junie"), inAppData("JetBrains")}, settings: []place{inHome(".junie/mcp/mcp.json")}, local: ".junie/mcp/mcp.json",
			section: "mcpServers", entry: plainEntry,
			after: "In the IDE, Settings, Tools, Junie, MCP Settings list the server.\n" +
				"AI Assistant has a list of its own: Settings, Tools, AI Assistant, MCP, Add; paste the entry of satchel connect jetbrains --print.",
		},
		{
			Name: "lm-studio", Title: "LM Studio", calls: []string{"lmstudio"}, programs: []string{"lms"}, traces: []place{inLMStudio("")},
			settings: []place{inLMStudio("mcp.json")},
			section:  "mcpServers", entry: plainEntry,
			after: "In LM Studio switch mcp/satchel on beside the chat.",
		},
	}
}

// plainEntry names the program and its arguments.
func plainEntry(s serverCommand) []setting {
	return []setting{{"command", json.RawMessage(quoted(s.program))}, {"args", list(s.args)}}
}

// typedEntry names the transport as well.
func typedEntry(s serverCommand) []setting {
	return append([]setting{{"type", json.RawMessage(`"stdio"`)}}, plainEntry(s)...)
}

// openCodeEntry has the program and its arguments in one list.
func openCodeEntry(s serverCommand) []setting {
	return []setting{{"type", json.RawMessage(`"local"`)}, {"command", list(append([]string{s.program}, s.args...))}, {"enabled", json.RawMessage("true")}}
}

// gooseEntry is a Goose extension.
func gooseEntry(s serverCommand) []setting {
	return []setting{{"enabled", json.RawMessage("true")}, {"type", json.RawMessage(`"stdio"`)}, {"name", json.RawMessage(quoted(serverName))},
		{"description", json.RawMessage(`"Memory across sessions and programs"`)}, {"cmd", json.RawMessage(quoted(s.program))}, {"args", list(s.args)},
		{"envs", json.RawMessage("{}")}, {"timeout", json.RawMessage("300")}}
}

// hostNames lists the names of the hosts.
func hostNames() []string {
	var names []string
	for _, h := range Hosts() {
		names = append(names, h.Name)
	}
	return names
}

// hostNamed finds a host by its name or an alias.
func hostNamed(name string) (host, bool) {
	for _, h := range Hosts() {
		if slices.Contains(append(h.aliases, h.Name), cli.ClosestName(name, append(h.aliases, h.Name))) {
			return h, true
		}
	}
	return host{}, false
}

// path is where the entry sits in the settings.
func (h host) path() []string { return []string{h.section, serverName} }
