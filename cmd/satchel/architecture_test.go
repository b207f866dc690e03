package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What ARCHITECTURE names is there: a file without a folder lies in one that was
// named before it in the same step.
func TestArchitectureNamesFiles(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	data, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, walks, _ := strings.Cut(string(data), "followed\n")
	named := 0
	for _, step := range regexp.MustCompile(`(?m)^\d\. `).Split(walks, -1) {
		var folders []string
		for _, m := range regexp.MustCompile("`([a-z/]+/)?([a-z_]+\\.go)`|`([a-z]+/[a-z/]+)`").FindAllStringSubmatch(step, -1) {
			if folder := m[1] + m[3]; folder != "" {
				folders = append(folders, folder)
			}
			if m[2] == "" {
				continue
			}
			named++
			if !slices.ContainsFunc(folders, func(folder string) bool {
				_, err := os.Stat(filepath.Join(root, filepath.FromSlash(folder), m[2]))
				return err == nil
			}) {
				t.Errorf("there is no %s in %v", m[2], folders)
			}
		}
	}
	if named < 20 {
		t.Errorf("only %d files are named", named)
	}
}
