package formats_test

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing/fstest"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// tiny is a document of many small records in one format.
type tiny struct {
	file       string // name of the file; "": a folder of notes
	ending     string // of the names of notes; "": .md
	under      string // the folder of the notes; "": that of the document
	head, tail string
	sep        string
	good       string // one record; # stands for its number
	bad        string // a record that breaks a rule; "": the format has none
	most       int    // a document holds no more records than this; 0: a million
	room       uint64 // MiB that a document of that many records may take; 0: 40, and 160 bytes a record
}

const tinyActivity = `{"header":"Gemini Apps","title":"Prompted #","time":"2026-05-01T10:05:00Z","products":["Gemini Apps"],"activityControls":["Gemini Apps Activity"],"safeHtmlItem":[{"html":"A."}]}`

// tinyDocuments has an entry for each format.
var tinyDocuments = map[string]tiny{
	"ump":     {file: "x.ndjson", sep: "\n", bad: `{}`},
	"ump-md":  {ending: ".ump.md", most: 100_000, room: 100, good: "---\nump: \"0.1\"\nid: \"urn:ump:x#\"\nkind: \"semantic\"\nscope: {\"owner\":\"me\",\"visibility\":\"private\"}\ntime: {\"created\":\"2026-06-04T10:00:00Z\"}\nprovenance: {\"actor\":\"me\",\"actor_kind\":\"user\",\"method\":\"x\"}\n---\n\nn#\n", bad: "---\nump: \"0.1\"\n---\n"},
	"aimem":   {most: 500_000, file: "x.aimem", bad: `{"_kind":"chunk"}`},
	"engram":  {file: "x.engram.json", head: `{"engram_version":"0.1","issued_at":"2026-02-01T00:00:00Z","subject":{"id":"550e8400-e29b-41d4-a716-446655440000"},"identity":{"display_name":"A","timezone":"UTC"},"evolution":[],"corrections":[],"beliefs":[`, sep: ",", tail: "]}", good: `{"id":"b#","category":"custom","key":"k#","value":"n#","confidence":0.9,"source":"user_stated","status":"active","created_at":"2026-01-01T00:00:00Z"}`, bad: `{}`, most: 100_000, room: 600},
	"aicf":    {file: "x.aicf", head: "1|@AICF_VERSION\n2|version=3.1\n3|\n4|@INSIGHTS\n", sep: "\n", good: "5|@INSIGHTS n#|GENERAL|MEDIUM|MEDIUM|memory_type=semantic", room: 1600}, // it holds a section
	"chatgpt": {file: "conversations.json", head: "[", sep: ",", tail: "]", good: `{"title":"","mapping":{"a":{"message":{"id":"a","author":{"role":"user"},"content":{"parts":["n#"]}}}}}`, bad: "{}"},
	"claudeai": {
		file: "conversations.json", head: "[", sep: ",", tail: "]", bad: "{}",
		good: `{"uuid":"c#","chat_messages":[{"uuid":"a","sender":"human","text":"n#"}]}`,
	},
	"deepseek":         {file: "conversations.json", head: "[", sep: ",", tail: "]", good: `{"id":"c#","inserted_at":"2025-02-01T10:00:00+08:00","mapping":{"a":{"message":{"fragments":[{"type":"REQUEST","content":"n#"}]}}}}`, bad: "{}"},
	"gemini":           {room: 380, file: "MyActivity.json", head: "[", sep: ",", tail: "]", good: tinyActivity, bad: `{"header":"Gemini Apps","time":5}`},
	"mif":              {file: "x.mif.json", head: `{"mif_version":"2.0","memories":[`, sep: ",", tail: "]}", good: `{"id":"m#","content":"n#","created_at":"2026-02-03T10:00:00Z"}`, bad: "{}"},
	"graphiti":         {file: "graph.json", head: `{"edges":[`, sep: ",", tail: `],"nodes":[]}`, good: `{"uuid":"m#","source_node_uuid":"e","target_node_uuid":"n","fact":"n#","created_at":"2026-02-03T10:00:00Z"}`, bad: "{}"},
	"zep":              {file: "batch.json", head: `{"episodes":[`, sep: ",", tail: "]}", good: `{"data":"n#","type":"text","created_at":"2026-02-03T10:00:00Z","metadata":{"id":"m#"}}`, bad: "{}"},
	"letta":            {file: "a.af", head: `{"agents":[{"id":"agent-0","name":"J","messages":[]}],"created_at":"2026-02-03T10:00:00Z","blocks":[`, sep: ",", tail: "]}", good: `{"id":"b#","label":"l#","value":"n#"}`, bad: "{}", most: 10_000},
	"openmemory":       {file: "memories.json", head: `{"memories":[`, sep: ",", tail: "]}", good: `{"id":"m#","content":"n#","state":"active","created_at":"2025-06-02T00:00:00+00:00"}`, bad: "{}"},
	"mcpmemoryservice": {file: "x.json", head: `{"export_metadata":{},"memories":[`, sep: ",", tail: "]}", good: `{"content":"n#","content_hash":"h#","tags":[],"created_at":1692633601}`, bad: "{}"},
	"mcpmemory":        {file: "memory.jsonl", sep: "\n", good: `{"type":"entity","name":"e#","entityType":"t","observations":["n#"]}`, bad: "{}"},
	"engramgo":         {file: "x.json", head: `{"version":"0.1.0","exported_at":"2026-02-01 10:00:00","sessions":[],"prompts":null,"observations":[`, sep: ",", tail: "]}", good: `{"id":#,"type":"decision","content":"n#","created_at":"2026-02-01 09:30:00"}`, bad: "{}"},
	"mem0":             {file: "x.json", head: `{"results":[`, sep: ",", tail: "]}", good: `{"id":"m#","memory":"n#","created_at":"2026-06-04T10:00:00Z"}`, bad: "{}"},
	"pam":              {room: 320, file: "memory-store.json", head: `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"o"},"memories":[`, sep: ",", tail: "]}", bad: "{}"},
	"claudecode":       {file: "CLAUDE.md", head: "# Rules\n\n", sep: "\n", good: "- n#", most: 10_000},
	"cursor":           {ending: ".mdc", most: 100_000, room: 100, good: "---\nalwaysApply: true\n---\nn#\n"},
	"windsurf":         {most: 100_000, room: 100, good: "---\ntrigger: manual\n---\nn#\n"},
	"copilot":          {ending: ".instructions.md", most: 100_000, room: 100, good: "---\napplyTo: a\n---\nn#\n"},
	"cline":            {under: "memory-bank", most: 100_000, room: 100, good: "n#\n"},
	"basicmemory":      {most: 100_000, room: 100, good: "---\ntitle: n#\ntype: note\npermalink: p/n#\n---\n\n- [fact] n#\n"},
	"obsidian":         {most: 100_000, room: 100, good: "---\ntags: [a]\n---\n\nn#\n"},
	"paste":            {file: "memory.txt", sep: "\n", good: "[2026-01-01] - n#"},
}

// written reports a format whose records carry hashes; Create makes its documents.
func (d tiny) written() bool { return d.good == "" }

// write makes a document of n records, bad ones if the format has some, in a file of dir.
func (d tiny) write(format codec.Format, dir string, n int, bad bool) (string, error) {
	path := filepath.Join(dir, strconv.Itoa(n)+"-"+strconv.FormatBool(bad), d.file)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err != nil {
		return "", err
	}
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	out := bufio.NewWriter(f)
	if d.written() && !bad {
		err = d.create(format, out, n)
	} else {
		d.fill(out, n, bad)
	}
	return path, cmp.Or(err, out.Flush(), f.Close())
}

// fill writes records of one kind.
func (d tiny) fill(out *bufio.Writer, n int, bad bool) {
	one := d.good
	if bad {
		one = d.bad
	}
	before, after, numbered := strings.Cut(one, "#")
	for i := range n {
		lead := d.sep
		if i == 0 {
			lead = d.head
		}
		_, _ = out.WriteString(lead) // Flush returns the error
		if numbered {
			_, _ = out.WriteString(before + strconv.Itoa(i) + strings.ReplaceAll(after, "#", strconv.Itoa(i)))
			continue
		}
		_, _ = out.WriteString(one)
	}
	_, _ = out.WriteString(d.tail)
}

// create writes records by the format's own writer.
func (d tiny) create(format codec.Format, out io.Writer, n int) error {
	opt := pairOptions()
	opt.NDJSON = true
	w, err := format.Create(out, opt)
	if err != nil {
		return err
	}
	for i := range n {
		r, err := ump.Author(memory.Record{
			Version: "0.1", Kind: memory.Semantic, Body: memory.Body{Text: fmt.Sprint("n", i)},
			Scope: memory.Scope{Owner: opt.Owner, Visibility: memory.Private}, Time: memory.Times{Created: pairTime()},
			Provenance: &memory.Provenance{Actor: string(opt.Owner), ActorKind: memory.ByUser, Method: "x"},
		}, nil)
		if err == nil {
			err = w.Write(r)
		}
		if err != nil {
			return err
		}
	}
	return w.Close()
}

// notes is a folder of n notes, which are made on opening.
type notes struct {
	n      int
	text   string
	ending string
	under  string
}

// Open implements [fs.FS].
func (d notes) Open(name string) (fs.File, error) {
	one := fstest.MapFS{}
	if name == cmp.Or(d.under, ".") {
		return &listing{notes: d}, nil
	}
	name = strings.TrimPrefix(name, d.under+"/")
	i, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, "n"), d.ending))
	if err != nil || i >= d.n {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	one[name] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(d.text, "#", strconv.Itoa(i))), ModTime: time.Unix(1, 0)}
	return one.Open(name)
}

// listing is the opened folder.
type listing struct {
	notes
	at int
}

// Stat implements [fs.File].
func (l *listing) Stat() (fs.FileInfo, error) { return fstest.MapFS{}.Stat(".") }

// Read implements [fs.File].
func (l *listing) Read([]byte) (int, error) { return 0, errors.New("a folder") }

// Close implements [fs.File].
func (l *listing) Close() error { return nil }

// ReadDir implements [fs.ReadDirFile].
func (l *listing) ReadDir(n int) (entries []fs.DirEntry, err error) {
	for l.at < l.n && (n <= 0 || len(entries) < n) {
		entries = append(entries, entry{"n" + strconv.Itoa(l.at) + l.ending, l.notes})
		l.at++
	}
	if n > 0 && len(entries) == 0 {
		err = io.EOF
	}
	return entries, err
}

// entry is a note in a listing.
type entry struct {
	name string
	of   notes
}

// Name implements [fs.DirEntry].
func (e entry) Name() string { return e.name }

// IsDir implements [fs.DirEntry].
func (e entry) IsDir() bool { return false }

// Type implements [fs.DirEntry].
func (e entry) Type() fs.FileMode { return 0 }

// Info implements [fs.DirEntry].
func (e entry) Info() (fs.FileInfo, error) { return fs.Stat(e.of, e.name) }

// source opens the document to be read.
func (d tiny) source(path string, n int, bad bool) (codec.Source, func() error, error) {
	if d.file == "" {
		text := d.good
		if bad {
			text = d.bad
		}
		return codec.Source{Name: "notes", Tree: notes{n, text, cmp.Or(d.ending, ".md"), d.under}, Modified: pairTime()}, func() error { return nil }, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return codec.Source{}, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return codec.Source{}, nil, err
	}
	return codec.Source{Name: d.file, File: f, Size: info.Size(), Modified: pairTime()}, f.Close, nil
}
