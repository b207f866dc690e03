package operate

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/project"
)

// place names a file or folder of a host on this machine.
type place func(*cli.App) (string, error)

// inHome is a path below the user's home folder.
func inHome(path string) place {
	return func(a *cli.App) (string, error) { return below(a, path) }
}

// inAppData is a path in the folder where desktop programs keep their settings.
func inAppData(path string) place {
	return func(a *cli.App) (string, error) { return appData(a, path) }
}

// inConfig is a path below ~/.config, or below $XDG_CONFIG_HOME. On Windows it is the path
// windows below the roaming application data.
func inConfig(path, windows string) place {
	return func(a *cli.App) (string, error) {
		if runtime.GOOS == "windows" && windows != "" {
			return appData(a, windows)
		}
		if dir := a.Env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
			return filepath.Join(dir, filepath.FromSlash(path)), nil
		}
		return below(a, ".config/"+path)
	}
}

// inFolder is a file in the folder that an environment variable names, else in a folder
// below the user's home.
func inFolder(variable, folder, file string) place {
	return func(a *cli.App) (string, error) {
		if dir := a.Env(variable); dir != "" {
			return filepath.Join(dir, file), nil
		}
		return below(a, folder+"/"+file)
	}
}

// inLMStudio is a file in the folder that LM Studio's own pointer names; older versions
// used another one.
func inLMStudio(file string) place {
	return func(a *cli.App) (string, error) {
		pointer, err := below(a, ".lmstudio-home-pointer")
		if err != nil {
			return "", err
		}
		data, err := cli.ReadBounded(pointer, cli.MaxSmall)
		if dir := strings.TrimSpace(string(data)); err == nil && filepath.IsAbs(dir) {
			return filepath.Join(dir, file), nil
		}
		return below(a, ".lmstudio/"+file)
	}
}

// below returns a path in the user's home; path has slashes.
func below(a *cli.App, path string) (string, error) {
	dir, err := a.UserHome()
	return filepath.Join(dir, filepath.FromSlash(path)), err
}

// appData returns a path in the folder where desktop programs keep their settings.
func appData(a *cli.App, path string) (string, error) {
	switch runtime.GOOS {
	case "windows":
		if dir := a.Env("APPDATA"); dir != "" {
			return filepath.Join(dir, filepath.FromSlash(path)), nil
		}
		return below(a, "AppData/Roaming/"+path)
	case "darwin":
		return below(a, "Library/Application Support/"+path)
	}
	if dir := a.Env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, filepath.FromSlash(path)), nil
	}
	return below(a, ".config/"+path)
}

// files are where the host may read its servers from, the usual place first.
func (h host) files(a *cli.App) ([]string, error) {
	var files []string
	for _, at := range h.settings {
		file, err := at(a)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// file is the settings file to edit: the project's if local is asked for, else the
// first that exists, else the first whose folder exists, else the usual place.
func (h host) file(a *cli.App, local bool) (string, error) {
	if local {
		return h.projectFile()
	}
	files, err := h.files(a)
	if err != nil {
		return "", err
	}
	for _, file := range files {
		if cli.Exists(file) {
			return file, nil
		}
	}
	for _, file := range files {
		if cli.Exists(filepath.Dir(file)) {
			return file, nil
		}
	}
	return files[0], nil
}

// projectFile is the host's settings file in the current project.
func (h host) projectFile() (string, error) {
	if h.local == "" {
		return "", cli.Usagef("%s has no settings file for a project", h.Title)
	}
	here, err := project.Of(".")
	if err != nil {
		return "", err
	}
	file := filepath.Join(here.Root, filepath.FromSlash(h.local))
	return file, inside(here.Root, file)
}

// inside refuses a file that links lead out of a project's folder: a stranger may have made
// the project.
func inside(root, file string) error {
	for at := file; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err != nil && !cli.Exists(at) {
			continue // it does not exist yet: its parent folder decides
		}
		if err != nil || real != root && !strings.HasPrefix(real, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator)) {
			return cli.Refusedf("%s leads out of the project %s; nothing was changed", at, root)
		}
		return nil
	}
}

// installed reports whether the host is on this machine: its program is on $PATH, or there
// is a folder that the host makes and satchel did not.
func (h host) installed(a *cli.App) bool {
	for _, program := range h.programs {
		if found(a.Env("PATH"), program) {
			return true
		}
	}
	made := madeFolders(a)
	for _, trace := range h.traces {
		at, err := trace(a)
		if err == nil && cli.Exists(at) && made[filepath.Clean(at)] == "" {
			return true
		}
	}
	return false
}

// found reports whether a program lies in a folder of $PATH.
func found(path, program string) bool {
	for _, dir := range filepath.SplitList(path) {
		for _, ending := range []string{"", ".exe", ".cmd"} {
			info, err := os.Stat(filepath.Join(dir, program+ending))
			if err == nil && !info.IsDir() && (runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0) {
				return true
			}
		}
	}
	return false
}
