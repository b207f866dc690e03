package formats_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/memory"
)

const (
	umpRecord = `{"ump":"0.1","id":"urn:ump:a","kind":"semantic","body":{"text":"a"},"scope":{"owner":"did:key:z6Mk"},"time":{"created":"2025-01-01T00:00:00Z"}}`
	graphLine = `{"type":"entity","name":"Ada","entityType":"person","observations":["plays chess"]}`
	note      = "---\nname: tabs\ntype: feedback\n---\nUse tabs.\n"
	list      = "```\n[2025-03-01] - Plays chess.\n[unknown] - Has a cat.\n```\n"
)

// A note of basic-memory.
const linked = "---\ntitle: Ada\npermalink: ada\n---\n- [fact] Plays chess\n- knows [[Eve]]\n"

func file(name, text string) codec.Source {
	return codec.Source{Name: name, File: strings.NewReader(text), Size: int64(len(text))}
}

func folder(files ...string) codec.Source {
	tree := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		tree[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return codec.Source{Name: "folder", Tree: tree}
}

// An empty bundle, and a bundle of one chunk as lines.
const (
	bundle      = `{"format":"aimem-bundle","version":"1","producer":"p","chunks":[],"edges":[],"entities":[],"chunk_entities":[]}`
	bundleLines = `{"format":"aimem-bundle","version":"1","producer":"p"}` + "\n" + `{"_kind":"chunk","id":"urn:aimem:p:1","content":"a"}` + "\n"
)

// An export without any memory.
const export = `{"engram_version":"0.1","issued_at":"2026-01-01T00:00:00Z","identity":{"display_name":"a","timezone":"UTC"},"beliefs":[]}`

func TestDetect(t *testing.T) {
	umpMarkdown := "---\nump: \"0.1\"\nid: \"urn:ump:a\"\nkind: \"semantic\"\n---\n\na\n"
	for name, test := range map[string]struct {
		src  codec.Source
		want string
	}{
		"UMP, one record":                   {file("x", umpRecord), "ump"},
		"UMP, a list":                       {file("x", "["+umpRecord+"]"), "ump"},
		"UMP, lines":                        {file("x", umpRecord+"\n"+umpRecord), "ump"},
		"UMP named like something":          {file("memory.jsonl", umpRecord), "ump"},
		"UMP Markdown":                      {file("x", umpMarkdown), "ump-md"},
		"UMP Markdown like rules":           {file("CLAUDE.md", umpMarkdown), "ump-md"},
		"a folder of UMP Markdown":          {folder("a.ump.md", umpMarkdown), "ump-md"},
		"AIMEM bundle":                      {file("x", bundle), "aimem"},
		"AIMEM bundle named like UMP":       {file("x.ump.json", bundle), "aimem"},
		"AIMEM bundle, format last":         {file("x", `{"chunks":[`+umpRecord+`],"version":"1","format":"aimem-bundle"}`), "aimem"},
		"AIMEM bundle, legacy":              {file("x.json", strings.Replace(bundle, "aimem-bundle", "memoryai-bundle", 1)), "aimem"},
		"AIMEM lines":                       {file("x.ndjson", bundleLines), "aimem"},
		"AIMEM lines named like a graph":    {file("memory.jsonl", bundleLines), "aimem"},
		"Engram export":                     {file("x", export), "engram"},
		"Engram export named like UMP":      {file("x.ump.json", export), "engram"},
		"Engram export, version last":       {file("x", `{"beliefs":[],"identity":{},"engram_version":"0.1"}`), "engram"},
		"AICF":                              {file("x", "1|@AICF_VERSION\n2|version=3.1\n3|\n"), "aicf"},
		"a section that AICF does not know": {file("notes", "@VOICE_NOTES:one\ntext=the pump hums\n"), "aicf"},
		"one with a number":                 {file("notes", "1|@VOICE_NOTES\n2|text=the pump hums\n"), "aicf"},
		"AICF by its name alone":            {file("a.AICF", "# Log\n\nthe pump hums\n"), "aicf"},
		"an agent file by its name alone":   {file("a.af", "broken"), "letta"},
		"AICF named like UMP":               {file("x.ump.json", "@CONVERSATION:a\nmessages=1\n"), "aicf"},
		"AICF 1.0 named like a graph":       {file("memory.json", `{"conversations":[],"decisions":[]}`), "aicf"},
		"MCP graph":                         {file("x", graphLine), "mcpmemory"},
		"MCP graph named like UMP":          {file("x.ump.json", graphLine), "mcpmemory"},
		"MCP graph in one object":           {file("x", `{"entities":[{"name":"a","entityType":"t","observations":[]}],"relations":[]}`), "mcpmemory"},
		"ChatGPT":                           {file("x", `[{"title":"a","mapping":{}}]`), "chatgpt"},
		"ChatGPT memories":                  {file("x", `[{"content":"a","enabled":true,"created_at":"2026-01-01T00:00:00Z"}]`), "chatgpt"},
		"Claude.ai":                         {file("conversations.json", `[{"uuid":"a","chat_messages":[]}]`), "claudeai"},
		"Claude.ai project":                 {folder("projects/a.json", `{"uuid":"a","prompt_template":""}`), "claudeai"},
		"DeepSeek":                          {file("conversations.json", `[{"id":"a","title":"b","inserted_at":"2025-02-01T10:00:00+08:00","mapping":{}}]`), "deepseek"},
		"Gemini":                            {folder("Apps mit Gemini/Aktivität.json", `[{"header":"Gemini-Apps","time":"2026-01-01T00:00:00Z"}]`), "gemini"},
		"MIF":                               {file("x", `{"mif_version":"2.0","memories":[{"id":"a","content":"b"}]}`), "mif"},
		"a dump of Graphiti":                {file("x", `{"nodes":[],"edges":[],"episodes":[]}`), "graphiti"},
		"facts of Zep":                      {file("x", `[{"uuid":"a","fact":"b","source_node_uuid":"c","target_node_uuid":"d"}]`), "graphiti"},
		"episodes of Zep":                   {file("x", `{"episodes":[{"uuid":"a","content":"b","role_type":"user"}]}`), "graphiti"},
		"memory of a session of Zep":        {file("x", `{"relevant_facts":[{"uuid":"a","fact":"b"}],"messages":[]}`), "graphiti"},
		"sessions of Zep":                   {file("x", `{"sessions":[{"uuid":"a","session_id":"b","user_id":"c","project_uuid":"d"}]}`), "graphiti"},
		"episodes for Zep":                  {file("x", `{"user_id":"b","episodes":[{"type":"text","data":"a"}]}`), "zep"},
		"no episodes for Zep":               {file("x", `{"episodes":[]}`), "zep"},
		"an agent file":                     {file("x", `{"agents":[{"id":"agent-0","block_ids":[]}],"blocks":[]}`), "letta"},
		"an agent file in a string":         {file("x", `"{\"agents\":[{\"id\":\"agent-0\",\"block_ids\":[]}],\"blocks\":[]}"`), "letta"},
		"a pasted list":                     {file("x", list), "paste"},
		"a pasted list of a mark":           {file("x.txt", "```\n[2025-03-01] - <!-- satchel:begin -->\n[unknown] - Has a cat.\n  <!-- satchel:begin -->\n  <!-- satchel:end -->\n```\n"), "paste"},
		"a block of another name":           {file("q.dat", "# App\n<!-- satchel:begin -->\n- \"Use tabs\"\n<!-- satchel:end -->\n"), "claudecode"},
		"a pasted list like rules":          {file("CLAUDE.md", list), "paste"},
		"a list of what is known":           {file("x.md", "Here is what I remember about you:\n- You live in Leipzig.\n"), "paste"},
		"sentences about somebody":          {file("x.md", "- You live in Leipzig.\n- Your cat is Minka.\n- You play chess.\n"), "paste"},
		"rules that address you":            {file("CLAUDE.md", "- Your job is to test.\n- You write Go.\n- You use tabs.\n"), "claudecode"},
		"a Claude Code note":                {file("x", note), "claudecode"},
		"rules":                             {file("CLAUDE.md", "- Use tabs\n"), "claudecode"},
		"a memory folder":                   {folder("MEMORY.md", "", "a.md", note), "claudecode"},
		"a vault of Obsidian":               {folder(".obsidian/app.json", "{}", "CLAUDE.md", "- Use tabs\n", "a.md", note), "obsidian"},
		"a note of Obsidian":                {file("x.md", "Met [[Ada]]. ^b1\n"), "obsidian"},
		"rules that link":                   {file("CLAUDE.md", "- See [[Ada]]. ^b1\n"), "claudecode"},
		"a folder of basic-memory":          {folder("a.md", linked), "basicmemory"},
		"the same in a vault":               {folder(".obsidian/app.json", "{}", "a.md", linked), "basicmemory"},
		"one such note in a vault":          {folder(".obsidian/app.json", "{}", "a.md", linked, "b.md", "x", "c.md", "x"), "obsidian"},
		"a note of basic-memory":            {file("x", linked), "basicmemory"},
		"a repository with its rules":       {folder("AGENTS.md", "- Use tabs\n", "main.go", "x"), "claudecode"},
		"rules of Cursor":                   {folder(".cursor/rules/a.mdc", "- Use tabs\n", "main.go", "x"), "cursor"},
		"rules of Windsurf":                 {folder(".windsurfrules", "- Use tabs\n", "main.go", "x"), "windsurf"},
		"instructions for Copilot":          {folder(".github/copilot-instructions.md", "- Use tabs\n", "main.go", "x"), "copilot"},
		"a memory bank":                     {folder("memory-bank/projectbrief.md", "# Shop\n", "main.go", "x"), "cline"},
		"a vault with a memory bank":        {folder(".obsidian/app.json", "{}", "memory-bank/projectbrief.md", "# Shop\n"), "obsidian"},
		"a memory folder beside rules":      {folder("MEMORY.md", "", "a.md", note, ".cursorrules", "x"), "claudecode"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := formats.Detect(test.src)
			if err != nil || got.Name != test.want {
				t.Errorf("got %q, %v; want %q", got.Name, err, test.want)
			}
		})
	}
}

func TestNotDetected(t *testing.T) {
	for name, src := range map[string]codec.Source{
		"prose":               file("notes.txt", "Dear Ada,\nI remember.\n"),
		"a mention":           file("notes.txt", "@ADA: call back\n"),
		"a file of rules":     file("notes.txt", "@docs/style.md\n"),
		"other mappings":      file("x.json", `{"mapping":{"properties":{}}}`),
		"other activities":    folder("Search/MyActivity.json", `[{"header":"Search","title":"Searched for Gemini","time":"2026-01-01T00:00:00Z","products":["Search"]}]`),
		"a bank of something": folder("memory-bank/a.md", "x"),
		"a page of something": file("x.html", "<html><body class=\"mdl-x\">Gemini Apps</body></html>"),
		"a folder of notes":   folder("a.md", "---\ntitle: x\n---\nSee [[b]].\n", "docs/b.md", "- [fact] x\n"),
		"Markdown":            file("README.md", "# App\n\n- Use tabs\n"),
		"JSON of its own":     file("package.json", `{"name":"app","version":"1.0.0"}`),
		"a broken list":       file("x.json", `[{"a":1},`),
		"bytes":               file("x.bin", "\x00\x01\xff"),
		"a folder of code":    folder("main.go", "x", "README.md", "x"),
		"a file of no reader": {Name: "x", File: failing{}, Size: 10},
		"neither":             {Name: "x"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := formats.Detect(src)
			if err == nil {
				t.Fatalf("claimed by %s", got.Name)
			}
			listsNames(t, err)
		})
	}
}

// The refusal of a file that may be Markdown says how to import it.
func TestMarkdownIsTold(t *testing.T) {
	for text, want := range map[string]bool{"# App\n\n- Use tabs\n": true, `{"a":1}`: false, "\x00\x01": false, "<html>": false} {
		_, err := formats.Detect(file("x", text))
		if err == nil || strings.Contains(err.Error(), "--from claudecode reads Markdown as rules") != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestNothingToDetect(t *testing.T) {
	for name, src := range map[string]codec.Source{
		"an empty file":                file("memory.jsonl", ""),
		"an empty file named like UMP": file("x.ump.json", ""),
		"an empty folder":              folder(),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := formats.Detect(src)
			if memory.KindOf(err) != memory.Unsupported || !strings.Contains(err.Error(), "is an empty f") {
				t.Errorf("got %q, %v", got.Name, err)
			}
		})
	}
}

type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, errors.New("the disk is broken") }

var _ io.ReaderAt = failing{}

// listsNames checks that a refusal lists the formats.
func listsNames(t *testing.T, err error) {
	t.Helper()
	if memory.KindOf(err) != memory.Unsupported {
		t.Errorf("kind is %s", memory.KindOf(err))
	}
	for _, f := range formats.All() {
		if !strings.Contains(err.Error(), f.Name) {
			t.Errorf("%q does not name %s", err, f.Name)
		}
	}
}

func TestNamed(t *testing.T) {
	for _, want := range formats.All() {
		got, err := formats.ByName(want.Name)
		if err != nil || got.Name != want.Name {
			t.Errorf("%s: got %q, %v", want.Name, got.Name, err)
		}
	}
	for _, name := range []string{"", "UMP", "ump ", "chess"} {
		if got, err := formats.ByName(name); err == nil {
			t.Errorf("%q gives %s", name, got.Name)
		} else {
			listsNames(t, err)
		}
	}
}

func TestEveryFormatIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range formats.All() {
		if f.Name == "" || f.Title == "" || seen[f.Name] {
			t.Errorf("%q (%q) has no name or title, or another one's", f.Name, f.Title)
		}
		seen[f.Name] = true
		if f.Detect == nil || f.Open == nil || f.Validate == nil {
			t.Errorf("%s lacks a function every format has", f.Name)
		}
		for i, ext := range f.Extensions {
			if !strings.HasPrefix(ext, ".") || i > 0 && len(ext) > len(f.Extensions[i-1]) {
				t.Errorf("%s: extension %q has no dot, or is longer than the one before", f.Name, ext)
			}
		}
	}
}

func TestShared(t *testing.T) {
	root := os.Getenv("SATCHEL_SHARED")
	if root == "" {
		t.Skip("skipped: SATCHEL_SHARED not set")
	}
	for path, want := range map[string]string{
		"data/formats/mcp-server-memory/memory.jsonl":                                 "mcpmemory",
		"data/formats/paste-import/claude-import-memory.txt":                          "paste",
		"data/formats/claude-code/.claude/projects/-home-sam-proj/memory/use-pnpm.md": "claudecode",
		"data/formats/claude-code/.claude/projects/-home-sam-proj/memory":             "claudecode",
		"data/formats/claude-code":                                                    "claudecode",
		"specs/vectors/engram-appendix-a.json":                                        "engram",
		"data/formats/chatgpt/memory.json":                                            "chatgpt",
		"data/formats/obsidian/vault":                                                 "obsidian",
		"data/formats/letta-af/loop.af":                                               "letta",
		"data/formats/pam":                                                            "",
		"data/formats/pam/importer-mappings.md":                                       "",
		"data/formats/pam/spec.md":                                                    "",
		"data/formats/pam/portable-ai-memory.schema.json":                             "",
		"data/formats/mif-v2/mif-v2.schema.json":                                      "",
		"data/formats/basic-memory/notes/Package Manager.md":                          "basicmemory",
		"data/formats/graphiti-zep/graph.json":                                        "graphiti",
		"data/formats/mem0/get_all.json":                                              "mem0",
		"data/formats/chatgpt":                                                        "chatgpt",
		"data/formats/chatgpt/conversations.json":                                     "chatgpt",
		"data/formats/claude-ai":                                                      "claudeai",
		"data/formats/claude-ai/projects.json":                                        "claudeai",
		"data/formats/claude-ai/memories/acct-1.json":                                 "claudeai",
		"data/formats/gemini-takeout":                                                 "gemini",
		"data/formats/gemini-takeout/My Activity/Gemini Apps":                         "gemini",
		"data/formats/gemini-takeout/My Activity/Gemini Apps/MyActivity.json":         "gemini",
		"data/formats/claude-ai/memories.json":                                        "claudeai",
		"data/formats/pam/example-memory-store.json":                                  "pam",
		"data/formats/openmemory-mem0":                                                "openmemory",
		"data/formats/mif-v2/full.mif.json":                                           "mif",
		"data/formats/openmemory-mem0/memories.json":                                  "openmemory",
		"data/formats/engram-go/engram-export.json":                                   "engramgo",
		"data/formats/engram-go/sync":                                                 "engramgo",
		"data/formats/mcp-memory-service/memory_export_template.json":                 "mcpmemoryservice",
	} {
		full := root + "/" + path
		src := codec.Source{Name: path[strings.LastIndexByte(path, '/')+1:], Tree: os.DirFS(full)}
		if info, err := os.Stat(full); err != nil {
			t.Fatal(err)
		} else if !info.IsDir() {
			data, err := os.ReadFile(full)
			if err != nil {
				t.Fatal(err)
			}
			src = file(src.Name, string(data))
		}
		if got, _ := formats.Detect(src); got.Name != want {
			t.Errorf("%s: got %q, want %q", path, got.Name, want)
		}
	}
}
