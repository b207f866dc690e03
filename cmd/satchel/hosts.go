package main

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/satchel-memory/satchel/internal/project"
)

// host is a program that starts MCP servers and the files it is told of them in.
type host struct {
	name  string
	title string
	// settings is the file in which the person's servers are listed.
	settings func(*app) (string, error)
	// local is the file for one project, below its folder; "" if there is none.
	local string
	// section is the member that holds the servers.
	section string
	toml    bool
	// kind says that an entry names its transport: "type": "stdio".
	kind bool
	// notes is the file of standing instructions; nil if the host has none.
	notes func(*app) (string, error)
	// after is what remains to be done.
	after string
}

// hostNames lists the hosts in the order they are shown.
const hostNames = "claude-code,claude-desktop,cursor,codex,vscode,gemini"

func hosts() []host {
	return []host{claudeCode(), claudeDesktop(), cursor(), codex(), vsCode(), geminiCLI()}
}

func claudeCode() host {
	return host{
		name: "claude-code", title: "Claude Code", section: "mcpServers", kind: true, local: ".mcp.json",
		settings: func(a *app) (string, error) {
			if dir := a.env("CLAUDE_CONFIG_DIR"); dir != "" {
				return filepath.Join(dir, ".claude.json"), nil
			}
			return a.below(".claude.json")
		},
		notes: func(a *app) (string, error) {
			if dir := a.env("CLAUDE_CONFIG_DIR"); dir != "" {
				return filepath.Join(dir, "CLAUDE.md"), nil
			}
			return a.below(".claude", "CLAUDE.md")
		},
		after: "Start a new session of Claude Code; /mcp shows the server.",
	}
}

func claudeDesktop() host {
	return host{
		name: "claude-desktop", title: "Claude Desktop", section: "mcpServers",
		settings: func(a *app) (string, error) { return a.appData("Claude", "claude_desktop_config.json") },
		after:    "Quit Claude Desktop wholly and start it again.",
	}
}

func cursor() host {
	return host{
		name: "cursor", title: "Cursor", section: "mcpServers", local: ".cursor/mcp.json",
		settings: func(a *app) (string, error) { return a.below(".cursor", "mcp.json") },
		after:    "Cursor's settings, MCP, show the server; switch it on there if it is off.",
	}
}

func codex() host {
	return host{
		name: "codex", title: "Codex", section: "mcp_servers", toml: true,
		settings: func(a *app) (string, error) { return a.codex("config.toml") },
		notes:    func(a *app) (string, error) { return a.codex("AGENTS.md") },
		after:    "Start a new session of Codex; /mcp shows the server.",
	}
}

func vsCode() host {
	return host{
		name: "vscode", title: "VS Code", section: "servers", kind: true, local: ".vscode/mcp.json",
		settings: func(a *app) (string, error) { return a.appData("Code", "User", "mcp.json") },
		after:    "In VS Code run \"MCP: List Servers\" and start satchel.",
	}
}

func geminiCLI() host {
	return host{
		name: "gemini", title: "Gemini CLI", section: "mcpServers", local: ".gemini/settings.json",
		settings: func(a *app) (string, error) { return a.below(".gemini", "settings.json") },
		notes:    func(a *app) (string, error) { return a.below(".gemini", "GEMINI.md") },
		after:    "Start a new session of Gemini CLI; /mcp shows the server.",
	}
}

func hostNamed(name string) (host, bool) {
	for _, h := range hosts() {
		if h.name == name {
			return h, true
		}
	}
	return host{}, false
}

// path is where the entry sits in the settings.
func (h host) path() []string { return []string{h.section, serverName} }

// file returns the settings to edit, the project's if local is asked for.
func (h host) file(a *app, local bool) (string, error) {
	if !local {
		return h.settings(a)
	}
	if h.local == "" {
		return "", usagef("%s has no settings file for a project", h.title)
	}
	here, err := project.Of(".")
	if err != nil {
		return "", err
	}
	file := filepath.Join(here.Root, filepath.FromSlash(h.local))
	return file, inside(here.Root, file)
}

// inside refuses a file that links lead out of a project's folder, which may come
// from anybody.
func inside(root, file string) error {
	for at := file; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err != nil && !exists(at) {
			continue // it is to be made: what it is made in decides
		}
		if err != nil || real != root && !strings.HasPrefix(real, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator)) {
			return refusedf("%s leads out of the project %s; nothing was changed", at, root)
		}
		return nil
	}
}

// below names a file in the person's home.
func (a *app) below(parts ...string) (string, error) {
	dir, err := a.userHome()
	return filepath.Join(append([]string{dir}, parts...)...), err
}

// appData names a file where programs with windows keep their settings.
func (a *app) appData(parts ...string) (string, error) {
	switch runtime.GOOS {
	case "windows":
		if dir := a.env("APPDATA"); dir != "" {
			return filepath.Join(append([]string{dir}, parts...)...), nil
		}
		return a.below(append([]string{"AppData", "Roaming"}, parts...)...)
	case "darwin":
		return a.below(append([]string{"Library", "Application Support"}, parts...)...)
	}
	if dir := a.env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(append([]string{dir}, parts...)...), nil
	}
	return a.below(append([]string{".config"}, parts...)...)
}

func (a *app) codex(name string) (string, error) {
	if dir := a.env("CODEX_HOME"); dir != "" {
		return filepath.Join(dir, name), nil
	}
	return a.below(".codex", name)
}
