package startup

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// The bounds of the last words of a service.
const (
	saidLines = 6
	saidBytes = 8 << 10
)

// logFile is the file with the output of the service.
func (s System) logFile() string { return filepath.Join(s.Folder, LogName) }

// tail returns the last lines of that file.
func (s System) tail() []string {
	f, err := os.Open(s.logFile())
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(io.NewSectionReader(f, max(info.Size()-saidBytes, 0), saidBytes))
	if err != nil {
		return nil
	}
	return lastLines(string(text))
}

// lastLines returns the last lines of a text that say something.
func lastLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(len(lines)-saidLines, 0):]
}
