package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostWords is how long README.md may be.
const mostWords = 900

// TestReadmeIsShort counts the words of README.md.
func TestReadmeIsShort(t *testing.T) {
	t.Parallel()
	if n := len(strings.Fields(strings.Join(linesOf(t, "README.md"), "\n"))); n > mostWords {
		t.Errorf("README.md has %d words, more than %d", n, mostWords)
	}
}

// TestReadmeNamesMake finds the two commands by which a clone shows that it works.
func TestReadmeNamesMake(t *testing.T) {
	t.Parallel()
	text := strings.Join(linesOf(t, "README.md"), "\n")
	for _, want := range []string{"\nmake demo ", "\nmake test "} {
		if !strings.Contains(text, want) {
			t.Errorf("README.md does not name %q", strings.TrimSpace(want))
		}
	}
}

// TestReadmeCreditsEngram finds whose standard Engram is, and where it is.
func TestReadmeCreditsEngram(t *testing.T) {
	t.Parallel()
	_, section, _ := strings.Cut(strings.Join(linesOf(t, "README.md"), "\n"), "## Specifications\n")
	t.Run("ENGRAM-6-1 the documentation links to the specification", func(t *testing.T) {
		if !strings.Contains(section, "https://engramspec.org") {
			t.Errorf("no link: %s", section)
		}
	})
	t.Run("ENGRAM-7-5 the specification is credited", func(t *testing.T) {
		for _, want := range []string{"Engram Standard v0.1", "Ashish (8mem)", "CC BY 4.0", "https://creativecommons.org/licenses/by/4.0/"} {
			if !strings.Contains(section, want) {
				t.Errorf("no %q: %s", want, section)
			}
		}
	})
}

var (
	markdownLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	markdownHeading = regexp.MustCompile(`^#+ (.+)$`)
	codeSpan        = regexp.MustCompile("`[^`]*`")
)

var namedTest = regexp.MustCompile(`([a-z][a-z0-9/]*) (Test[A-Za-z0-9]+)`)

// TestThreatsAreTried finds each test that docs/threats.md names, in its package.
func TestThreatsAreTried(t *testing.T) {
	t.Parallel()
	named := namedTest.FindAllStringSubmatch(strings.Join(linesOf(t, "docs/threats.md"), "\n"), -1)
	if len(named) < 50 {
		t.Errorf("docs/threats.md names %d tests", len(named))
	}
	for _, name := range named {
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(name[1]), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(text), "\nfunc "+name[2]+"(t *testing.T)")
		}) {
			t.Errorf("docs/threats.md: %s has no test %s", name[1], name[2])
		}
	}
}

// TestLinks follows every relative link of the documents, and its anchor.
func TestLinks(t *testing.T) {
	t.Parallel()
	followed := 0
	for _, path := range append(documentPaths(t), "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md") {
		for _, to := range linksOf(t, path) {
			if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
				continue
			}
			followed++
			file, anchor, _ := strings.Cut(to, "#")
			target := path
			if file != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(path), filepath.FromSlash(file)))
			}
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(target))); err != nil {
				t.Errorf("%s: the link %s leads nowhere", path, to)
			} else if anchor != "" && !anchors(t, target)[anchor] {
				t.Errorf("%s: %s has no heading for the link %s", path, target, to)
			}
		}
	}
	if followed < 50 {
		t.Errorf("only %d links were followed", followed)
	}
}

// TestReadmeListsPages finds a link to every page of docs in README.md, but for pages
// in folders of their own and those that are written by a test.
func TestReadmeListsPages(t *testing.T) {
	t.Parallel()
	text := strings.Join(linesOf(t, "README.md"), "\n")
	for _, path := range documentPaths(t)[1:] {
		if strings.Count(path, "/") == 1 && path != "docs/aaif-members.md" && !strings.Contains(text, "]("+path+")") {
			t.Errorf("README.md does not lead to %s", path)
		}
	}
}

// linksOf returns the targets of the links of a document, but for those in code.
func linksOf(t *testing.T, path string) (targets []string) {
	t.Helper()
	within := false
	for _, line := range linesOf(t, path) {
		if strings.HasPrefix(line, "```") {
			within = !within
		}
		if within {
			continue
		}
		for _, m := range markdownLink.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, ""), -1) {
			targets = append(targets, m[1])
		}
	}
	return targets
}

// anchors returns the names by which a host of Markdown leads to the headings of a
// document.
func anchors(t *testing.T, path string) map[string]bool {
	t.Helper()
	names, within := map[string]bool{}, false
	for _, line := range linesOf(t, path) {
		if strings.HasPrefix(line, "```") {
			within = !within
		}
		if m := markdownHeading.FindStringSubmatch(line); m != nil && !within {
			name := strings.ReplaceAll(strings.ToLower(m[1]), " ", "-")
			names[regexp.MustCompile(`[^\p{L}\p{N}_-]`).ReplaceAllString(name, "")] = true
		}
	}
	return names
}
