package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// addressed matches an address and the checksum in the line behind it.
var addressed = regexp.MustCompile(`url "([^"]+)"\s+sha256 "([0-9a-f]{64})"`)

// TestFormula lets Ruby read the formula, and compares its checksums with the archives.
func TestFormula(t *testing.T) {
	r := tiny(t)
	found := addressed.FindAllStringSubmatch(string(read(t, r, "satchel.rb")), -1)
	if len(found) != 4 {
		t.Fatalf("%d archives", len(found))
	}
	for _, m := range found {
		if name, ok := strings.CutPrefix(m[1], r.address("")); !ok || m[2] != sumOfBytes(read(t, r, name)) {
			t.Errorf("%s %s", m[1], m[2])
		}
	}
	need(t, "ruby")
	if said := command(t, "ruby", "-wc", filepath.Join(r.out, "satchel.rb")); !strings.Contains(said, "Syntax OK") {
		t.Error(said)
	}
	// A stand-in for Homebrew reads what the formula says on each platform.
	said := command(t, "ruby", "-e", homebrew, filepath.Join(r.out, "satchel.rb"))
	for _, p := range platforms[:4] {
		name := r.asset(p, ".tar.gz")
		if want := p.String() + " " + r.address(name) + " " + sumOfBytes(read(t, r, name)) + "\n"; !strings.Contains(said, want) {
			t.Errorf("%s is not in:\n%s", want, said)
		}
	}
}

// homebrew loads a formula as Homebrew does on each platform, with the words that ours uses.
const homebrew = `
class Formula
  class << self
    attr_accessor :os, :arch
    %w[desc homepage version license test].each { |word| define_method(word) { |*given, &block| } }
    def url(address) = @@url = address
    def sha256(sum) = puts("#{Formula.os}_#{Formula.arch} #{@@url} #{sum}")
    def on_macos = Formula.os == "darwin" && yield
    def on_linux = Formula.os == "linux" && yield
    def on_arm = Formula.arch == "arm64" && yield
    def on_intel = Formula.arch == "amd64" && yield
  end
end
%w[darwin linux].product(%w[amd64 arm64]).each do |os, arch|
  Formula.os, Formula.arch = os, arch
  load ARGV[0]
end
`

// TestScoop compares the manifest with the archives that it names.
func TestScoop(t *testing.T) {
	r := tiny(t)
	var m struct {
		Version, Homepage, License, Bin string
		Architecture                    map[string]struct {
			URL, Hash string
			Folder    string `json:"extract_dir"`
		}
		Autoupdate struct {
			Architecture map[string]struct{ URL string }
			Hash         struct{ URL string }
		}
	}
	if err := json.Unmarshal(read(t, r, "satchel.json"), &m); err != nil {
		t.Fatal(err)
	}
	if m.Version != r.version || m.Homepage == "" || m.License != "Apache-2.0" || len(m.Architecture) != 2 {
		t.Errorf("%+v", m)
	}
	for name, file := range m.Architecture {
		asset, ok := strings.CutPrefix(file.URL, r.address(""))
		data := read(t, r, asset)
		if !ok || file.Hash != sumOfBytes(data) || len(unzip(t, data)[file.Folder+"/"+m.Bin]) == 0 {
			t.Errorf("%s: %+v", name, file)
		}
		if next := strings.ReplaceAll(m.Autoupdate.Architecture[name].URL, "$version", r.version); next != file.URL {
			t.Errorf("%s: %s, want %s", name, next, file.URL)
		}
	}
}

// TestTags refuses no version that a tag may have, in any package.
func TestTags(t *testing.T) {
	for _, stamp := range []string{"v2.0.0-rc.1", "59390077-dirty"} {
		r := tiny(t)
		r.version, r.stamp = packageVersion(stamp), stamp
		r.out = filepath.Join(t.TempDir(), "out")
		for _, step := range []func() error{r.archives, r.linuxPackages, r.formula} {
			if err := step(); err != nil {
				t.Errorf("%s: %v", stamp, err)
			}
		}
		if !bytes.Contains(read(t, r, "satchel.rb"), []byte(`version "`+r.version+`"`)) {
			t.Errorf("%s: the formula has another version", stamp)
		}
	}
}
