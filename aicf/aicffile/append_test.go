package aicffile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestAppend(t *testing.T) {
	add := func(t *testing.T, path string, text string) Result {
		t.Helper()
		r, err := Append(path, Options{}, insight(text))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	put := func(t *testing.T, path, content string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("AICF-LINE-7 numbers go on from the last", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "x.aicf")
		if r := add(t, path, "one"); !r.Created {
			t.Error("nobody said that it was made")
		}
		before, _ := os.ReadFile(path)
		add(t, path, "two")
		after, _ := os.ReadFile(path)
		last := bytes.Count(before, []byte("\n"))
		if !bytes.HasPrefix(after[len(before):], fmt.Appendf(nil, "%d|@INSIGHTS", last+1)) {
			t.Errorf("goes on with %q", after[len(before):])
		}
		insights(t, path)
	})
	t.Run("AICF-LINE-11 an append that was cut off anywhere is mended by the next", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "x.aicf")
		add(t, path, "one")
		whole, _ := os.ReadFile(path)
		add(t, path, "two was cut off")
		full, _ := os.ReadFile(path)
		for cut := len(whole); cut < len(full); cut++ {
			put(t, path, string(full[:cut]))
			r := add(t, path, "three")
			texts := insights(t, path)
			if texts[0] != "one" || texts[len(texts)-1] != "three" {
				t.Fatalf("cut at %d: %q", cut, texts)
			}
			torn, _ := os.ReadFile(path + tornSuffix)
			line := full[bytes.LastIndexByte(full[:cut], '\n')+1 : cut]
			if bytes.HasSuffix(line, []byte("|")) && bytes.Count(line, []byte("|")) == 1 {
				line = nil // a separator
			}
			if int(r.Torn) != len(line) || !bytes.Equal(torn, line) {
				t.Fatalf("cut at %d: %q was kept, want %q", cut, torn, line)
			}
			_ = os.Remove(path + tornSuffix)
		}
	})
	t.Run("AICF-FILE-4 a packed file gets a member more, also after one that was cut off", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "x.aicf.gz")
		add(t, path, "one")
		add(t, path, "two")
		whole, _ := os.ReadFile(path)
		if texts := insights(t, path); !slices.Equal(texts, []string{"one", "two"}) {
			t.Fatalf("%q", texts)
		}
		add(t, path, "three")
		full, _ := os.ReadFile(path)
		if !bytes.HasPrefix(full, whole) {
			t.Error("what was there before has changed")
		}
		for _, cut := range []int{len(whole) + 1, len(whole) + 12, len(full) - 9, len(full) - 1} {
			put(t, path, string(full[:cut]))
			r := add(t, path, "four")
			if texts := insights(t, path); !slices.Equal(texts, []string{"one", "two", "four"}) || int(r.Torn) != cut-len(whole) {
				t.Errorf("cut at %d: %q, %d bytes torn", cut, texts, r.Torn)
			}
			_ = os.Remove(path + tornSuffix)
		}
	})
	t.Run("AICF-SAFE-3 a file that is not valid is not appended to without force", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "x.aicf")
		broken := "1|@AICF_VERSION\n2|version=3.1\n3|\n4|@bad name\n5|x=1\n6|\n"
		put(t, path, broken)
		_, err := Append(path, Options{}, insight("one"))
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "line 4") {
			t.Errorf("got %v", err)
		}
		if now, _ := os.ReadFile(path); string(now) != broken {
			t.Error("it was changed")
		}
		o := Options{}
		o.Force = true
		if _, err := Append(path, o, insight("one")); err != nil {
			t.Error(err)
		}
	})
	t.Run("AICF-WRITE-5 one process may append at several places at once", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "x.aicf")
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				for j := range 10 {
					if _, err := Append(path, Options{Wait: time.Minute}, insight(fmt.Sprint(i, " ", j))); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if n := len(insights(t, path)); n != 80 {
			t.Errorf("%d insights, want 80", n)
		}
		if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	t.Run("AICF-WRITE-6 half a section of an append that was killed is taken back", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "x.aicf")
		add(t, path, "one")
		whole, _ := os.ReadFile(path)
		half := fmt.Sprintf("%d|@CONVERSATION:half\n", bytes.Count(whole, []byte("\n"))+1)
		put(t, path, string(whole)+half)
		host, err := os.Hostname()
		if err != nil {
			t.Fatal(err)
		}
		dead := fmt.Sprintf("%d %s 2027-01-01T00:00:00Z %d\n", deadProcess(t), host, len(whole))
		put(t, path+suffix, dead)
		r := add(t, path, "two")
		if torn, _ := os.ReadFile(path + tornSuffix); string(torn) != half || r.TornTo != path+tornSuffix {
			t.Errorf("%q was kept at %q", torn, r.TornTo)
		}
		if texts := insights(t, path); !slices.Equal(texts, []string{"one", "two"}) {
			t.Errorf("%q", texts)
		}
	})
	t.Run("what cannot be said in the format changes nothing", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "x.aicf")
		add(t, path, "one")
		before, _ := os.ReadFile(path)
		if _, err := Append(path, Options{}, insight("two"), insight("nul \x00")); err == nil {
			t.Error("it was taken")
		}
		if now, _ := os.ReadFile(path); !bytes.Equal(now, before) {
			t.Error("it was changed")
		}
	})
	t.Run("AICF-FILE-5 a packed file that is larger than the limit is refused", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "x.aicf.gz")
		bomb, err := pack(bytes.Repeat([]byte("1|@WORK:w\n"), 1<<20))
		if err != nil {
			t.Fatal(err)
		}
		put(t, path, string(bomb))
		o := Options{}
		o.Limits.File = 1 << 20
		if _, err := Read(path, o); err == nil || !strings.Contains(err.Error(), "exceeds maximum size") {
			t.Errorf("read: %v", err)
		}
		if _, err := Append(path, o, insight("one")); err == nil || !strings.Contains(err.Error(), "exceeds maximum size") {
			t.Errorf("append: %v", err)
		}
	})
}

func TestLog(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.aicf")
	o := Options{Log: filepath.Join(dir, "access.log"), Now: func() time.Time { return time.Unix(1_800_000_000, 0) }}
	if _, err := Append(path, o, insight("a secret that no log has")); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path, o); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(filepath.Join(dir, "nothing.aicf"), o); err == nil {
		t.Error("there is no such file")
	}
	log, err := os.ReadFile(o.Log)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"time":"2027-01-15T08:00:00Z","op":"append","file":"` + path + `","result":"ok"}
{"time":"2027-01-15T08:00:00Z","op":"read","file":"` + path + `","result":"ok"}
{"time":"2027-01-15T08:00:00Z","op":"read","file":"` + filepath.Join(dir, "nothing.aicf") + `","result":"failed"}
`
	if string(log) != want {
		t.Errorf("AICF-ACC-3:\n%s", log)
	}
}
