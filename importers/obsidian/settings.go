package obsidian

import (
	"path"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/markdown"
	"github.com/satchel-memory/satchel/text/pattern"
)

// settings is the folder of a vault's settings.
const settings = ".obsidian"

// leave says which notes of a vault are not read: templates, by the settings or by the name
// of their folder.
func leave(src codec.Source) func(name string) string {
	folders := []string{"Templates", "templates"}
	for file, member := range map[string]string{
		"templates.json": "folder", "plugins/templater-obsidian/data.json": "templates_folder",
	} {
		if folder := setting(src, file, member); folder != "" {
			folders = append(folders, folder)
		}
	}
	return func(name string) string {
		for _, folder := range folders {
			if strings.HasPrefix(name, path.Clean(folder)+"/") {
				return lossTemplate
			}
		}
		return ""
	}
}

// setting returns a text from a file of settings; empty: there is none.
func setting(src codec.Source, file, member string) string {
	raw, _, err := markdown.Bytes(src, settings+"/"+file, codec.HeadSize)
	if err != nil {
		return ""
	}
	v, err := canon.Parse(raw, canon.Options{Inexact: true})
	if err != nil {
		return ""
	}
	return strings.Trim(v.Get(member).Text(), "/")
}

// day returns the day of a note, by its name or by its name and folders: 2026-01-02.md,
// 2026-01-02 Friday.md, 20260102.md, 2026/01/02.md.
func day(path string) (time.Time, bool) {
	path = strings.TrimSuffix(path, ".md")
	for _, pattern := range dayNames {
		if m := pattern.FindStringSubmatch(path); m != nil {
			at, err := time.Parse(time.DateOnly, m[1]+"-"+m[2]+"-"+m[3])
			return at, err == nil
		}
	}
	return time.Time{}, false
}

var dayNames = [...]*pattern.Pattern{
	pattern.New(`(?:^|/)(\d{4})-(\d{2})-(\d{2})(?:[ _][^/]*)?$`),
	pattern.New(`(?:^|/)(\d{4})(\d{2})(\d{2})$`),
	pattern.New(`(?:^|/)(\d{4})/(\d{2})/(\d{2})$`),
}

// title returns the title of a note: the name of its file, or its day if that is only the
// number of the day.
func title(file string) string {
	name := strings.TrimSuffix(path.Base(file), ".md")
	if at, ok := day(file); ok && len(name) == 2 {
		return at.Format(time.DateOnly)
	}
	return name
}
