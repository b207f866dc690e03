package source_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/source"
)

// raw makes a zip archive of headers that may say anything, each before the given data. It
// fills in missing members of the headers of uncompressed files.
func raw(t *testing.T, heads ...rawEntry) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range heads {
		h := e.FileHeader
		if h.CompressedSize64 == 0 {
			h.CompressedSize64 = uint64(len(e.data))
		}
		if h.UncompressedSize64 == 0 {
			h.UncompressedSize64 = uint64(len(e.data))
		}
		if h.CRC32 == 0 {
			h.CRC32 = crc32.ChecksumIEEE([]byte(e.data))
		}
		part, err := w.CreateRaw(&h)
		if err == nil {
			_, err = part.Write([]byte(e.data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

type rawEntry struct {
	zip.FileHeader
	data string
}

// special makes the header of an entry that is not a file.
func special(name string, mode fs.FileMode) zip.FileHeader {
	h := zip.FileHeader{Name: name}
	h.SetMode(mode)
	return h
}

// upon makes an archive whose second file overlaps its first.
func upon(t *testing.T) string {
	t.Helper()
	data := []byte(raw(t, rawEntry{zip.FileHeader{Name: "a"}, "text"}, rawEntry{zip.FileHeader{Name: "b"}, "text"}))
	const place = 42 // offset of the file's place, in its entry of the list
	second := bytes.LastIndex(data, []byte("PK\x01\x02"))
	copy(data[second+place:], make([]byte, 4))
	return string(data)
}

func TestHostileArchives(t *testing.T) {
	named := func(name string) string {
		return raw(t, rawEntry{zip.FileHeader{Name: name}, "text"}, rawEntry{zip.FileHeader{Name: "other"}, "text"})
	}
	one := func(h zip.FileHeader) string {
		return raw(t, rawEntry{zip.FileHeader{Name: "fine"}, "text"}, rawEntry{h, "text"})
	}
	inTar := func(kind byte, name string) string {
		return tarred(t, tar.Header{Typeflag: kind, Name: name, Linkname: "fine"})
	}
	file := func(name string) tar.Header { return tar.Header{Typeflag: tar.TypeReg, Name: name, Size: 1} }
	zeros := strings.Repeat("\x00", 17<<20)
	bomb := zipped(t, map[string]string{"a": zeros + "1"})
	many := map[string]string{}
	for i := range 12 {
		many[fmt.Sprintf("f%d", i)] = ""
	}
	whole := zipped(t, map[string]string{"a": strings.Repeat("text ", 1000) + "."})
	for name, test := range map[string]struct{ rule, entry, data string }{
		"climbs":                      {"ARCHIVE-2", "../x", named("../x")},
		"climbs from within":          {"ARCHIVE-2", "a/../../x", named("a/../../x")},
		"climbs and comes back":       {"ARCHIVE-2", "a/../x", named("a/../x")},
		"climbs with backslashes":     {"ARCHIVE-2", "../x", named(`..\x`)},
		"climbs after a backslash":    {"ARCHIVE-2", "a/../x", named(`a\..\x`)},
		"absolute with backslashes":   {"ARCHIVE-2", "//host/x", named(`\\host\x`)},
		"a drive with backslashes":    {"ARCHIVE-2", "C:/x", named(`C:\x`)},
		"both separators":             {"ARCHIVE-2", `a\x`, raw(t, rawEntry{zip.FileHeader{Name: `a\x`}, "text"}, rawEntry{zip.FileHeader{Name: "b/x"}, "text"})},
		"twice, once as a folder":     {"ARCHIVE-4", "fine", one(zip.FileHeader{Name: `fine\x`})},
		"absolute":                    {"ARCHIVE-2", "/etc/x", named("/etc/x")},
		"of another drive":            {"ARCHIVE-2", "C:/x", named("C:/x")},
		"no name":                     {"ARCHIVE-2", "", named("")},
		"a name with a null":          {"ARCHIVE-2", "a\x00b", named("a\x00b")},
		"a long name":                 {"ARCHIVE-2", "n", named(strings.Repeat("n", 5000))},
		"tar climbs":                  {"ARCHIVE-2", "../x", tarred(t, file("../x"))},
		"tar absolute":                {"ARCHIVE-2", "/x", tarred(t, file("/x"))},
		"a link":                      {"ARCHIVE-3", "l", one(special("l", fs.ModeSymlink))},
		"a device":                    {"ARCHIVE-3", "d", one(special("d", fs.ModeDevice))},
		"a pipe":                      {"ARCHIVE-3", "p", one(special("p", fs.ModeNamedPipe))},
		"a folder with content":       {"ARCHIVE-3", "d", one(special("d", fs.ModeDir))},
		"tar link":                    {"ARCHIVE-3", "l", inTar(tar.TypeSymlink, "l")},
		"tar hard link":               {"ARCHIVE-3", "l", inTar(tar.TypeLink, "l")},
		"tar device":                  {"ARCHIVE-3", "d", inTar(tar.TypeBlock, "d")},
		"tar pipe":                    {"ARCHIVE-3", "p", inTar(tar.TypeFifo, "p")},
		"twice":                       {"ARCHIVE-4", "fine", one(zip.FileHeader{Name: "fine"})},
		"twice, spelled otherwise":    {"ARCHIVE-4", "fine", one(zip.FileHeader{Name: "./fine"})},
		"a file as folder":            {"ARCHIVE-4", "fine", one(zip.FileHeader{Name: "fine/x"})},
		"tar twice":                   {"ARCHIVE-4", "a", tarred(t, file("a"), file("a"))},
		"many files":                  {"ARCHIVE-5", "", zipped(t, many)},
		"many folders":                {"ARCHIVE-5", "", zipped(t, map[string]string{strings.Repeat("d/", 12) + "f": ""})},
		"a list without end":          {"ARCHIVE-5", "", raw(t, repeated(25_000)...)},
		"more bytes than the limit":   {"ARCHIVE-6", "b", zipped(t, map[string]string{"a": zeros[:50_001], "b": zeros[:50_001]})},
		"more behind gzip":            {"ARCHIVE-6", "", gzipped(t, zeros[:100_000])},
		"a bomb":                      {"ARCHIVE-7", "a", bomb},
		"a bomb behind gzip":          {"ARCHIVE-7", "", gzipped(t, zeros)},
		"a bomb in a part":            {"ARCHIVE-7", "p.zip/a", zipped(t, map[string]string{"p.zip": bomb, "b": ""})},
		"encrypted":                   {"ARCHIVE-8", "e", one(zip.FileHeader{Name: "e", Flags: 1})},
		"packed otherwise":            {"ARCHIVE-8", "e", one(zip.FileHeader{Name: "e", Method: 12})},
		"upon each other":             {"ARCHIVE-9", "b", upon(t)},
		"a wrong sum":                 {"ARCHIVE-1", "e", one(zip.FileHeader{Name: "e", CRC32: 1})},
		"longer than it says":         {"ARCHIVE-1", "a", strings.ReplaceAll(whole, "\x89\x13\x00\x00", "\x88\x13\x00\x00")},
		"shorter than it says":        {"ARCHIVE-1", "e", one(zip.FileHeader{Name: "e", UncompressedSize64: 100})},
		"no such stream":              {"ARCHIVE-1", "e", one(zip.FileHeader{Name: "e", Method: zip.Deflate})},
		"cut off":                     {"ARCHIVE-1", "", whole[:len(whole)-30]},
		"only a beginning":            {"ARCHIVE-1", "", "PK\x03\x04"},
		"gzip cut off":                {"ARCHIVE-1", "", gzipped(t, "text")[:20]},
		"gzip and more":               {"ARCHIVE-1", "", gzipped(t, "text") + "more"},
		"tar cut off":                 {"ARCHIVE-1", "a", tarred(t, file("a"))[:512]},
		"tar damaged":                 {"ARCHIVE-1", "a", strings.Replace(tarred(t, file("a"), file("b")), "b\x00", "c\x00", 1)},
		"an archive compressed again": {"ARCHIVE-10", "", gzipped(t, whole)},
		"three deep":                  {"ARCHIVE-10", "p.zip/q", zipped(t, map[string]string{"p.zip": zipped(t, map[string]string{"q": whole})})},
		"three deep, compressed":      {"ARCHIVE-10", "p.zip/q.gz", zipped(t, map[string]string{"p.zip": zipped(t, map[string]string{"q.gz": gzipped(t, whole)})})},
		"compressed twice":            {"ARCHIVE-10", "q.gz", zipped(t, map[string]string{"q.gz": gzipped(t, gzipped(t, "text"))})},
		"a bomb that is compressed":   {"ARCHIVE-7", "q", zipped(t, map[string]string{"q": gzipped(t, zeros)})},
		"a part compressed again":     {"ARCHIVE-10", "q", zipped(t, map[string]string{"q": gzipped(t, whole)})},
		"no place for a part":         {"ARCHIVE-10", "p.zip", zipped(t, map[string]string{"a": "1", "p": "", "p.zip": zipped(t, map[string]string{"a": "2"})})},
		"a part that climbs":          {"ARCHIVE-2", "p.zip/../x", zipped(t, map[string]string{"b": "", "p.zip": named("../x")})},
		"a part that is damaged":      {"ARCHIVE-1", "p.zip", zipped(t, map[string]string{"b": "", "p.zip": "PK\x03\x04"})},
	} {
		t.Run(test.rule+" "+name, func(t *testing.T) {
			temp := t.TempDir()
			limits := codec.Limits{Document: 40 << 20}
			if test.rule == "ARCHIVE-5" {
				limits.Files = 10
			}
			if test.rule == "ARCHIVE-6" {
				limits.Document = 60_000
			}
			_, err := source.Open("-", source.Options{Stdin: strings.NewReader(test.data), Temp: temp, Limits: limits})
			refusal, ok := errors.AsType[*codec.ParseError](err)
			if !ok || refusal.Rule != test.rule {
				t.Fatalf("got %v", err)
			}
			if got := refusal.File; got != test.entry && (test.entry != "n" || !strings.HasPrefix(got, "nnn") || len(got) > 300) {
				t.Errorf("names %q", got)
			}
			empty(t, temp)
		})
	}
}

// repeated is a list of n files.
func repeated(n int) []rawEntry {
	all := make([]rawEntry, n)
	for i := range all {
		all[i].Name = fmt.Sprintf("f%d", i)
	}
	return all
}

// FuzzArchive opens anything: it is refused, or is a file or folder that can be read
// completely.
func FuzzArchive(f *testing.F) {
	for _, seed := range []string{"PK\x03\x04", "PK\x05\x06" + strings.Repeat("\x00", 18), "\x1f\x8b\x08", strings.Repeat("a", 257) + "ustar"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		opt := source.Options{Stdin: bytes.NewReader(data), Temp: t.TempDir(), Limits: codec.Limits{Document: 1 << 20, Files: 100}}
		in, err := source.Open("-", opt)
		if err != nil {
			return
		}
		defer in.Close()
		if in.Tree != nil {
			contents(t, in.Tree)
			return
		}
		content(t, in.Source)
	})
}
