package pgtest

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

var (
	errMissing  = errors.New("PostgreSQL is not installed: neither the PATH nor /usr/lib/postgresql has initdb and postgres")
	errUnwanted = errors.New("SATCHEL_POSTGRES says that there is to be none")
)

// programs are the paths of what is needed to run a server.
type programs struct{ initdb, postgres string }

// findPrograms looks in the PATH and then where Debian keeps versions side by
// side, newest first. Where SATCHEL_POSTGRES is "none", it finds nothing.
func findPrograms() (programs, error) {
	if os.Getenv("SATCHEL_POSTGRES") == "none" {
		return programs{}, errUnwanted
	}
	folders, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return programs{}, err
	}
	slices.SortFunc(folders, func(a, b string) int { return cmp.Compare(version(b), version(a)) })
	for _, folder := range append([]string{""}, folders...) {
		initdb, err1 := exec.LookPath(filepath.Join(folder, "initdb"))
		postgres, err2 := exec.LookPath(filepath.Join(folder, "postgres"))
		if err1 == nil && err2 == nil {
			return programs{initdb: initdb, postgres: postgres}, nil
		}
	}
	return programs{}, errMissing
}

// version reads the version that a folder belongs to; 0: it says none.
func version(folder string) int {
	n, err := strconv.Atoi(filepath.Base(filepath.Dir(folder)))
	if err != nil {
		return 0
	}
	return n
}

// Available reports whether PostgreSQL is installed and wanted, so that one can be
// started.
func Available() bool {
	if s, err := runningServer(); s != nil || err != nil {
		return true
	}
	_, err := findPrograms()
	return err == nil
}
