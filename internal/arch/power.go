package arch

import "slices"

// Power is a set of things a package may touch besides its arguments. A package
// without any is pure: same input, same output.
type Power uint

// The powers.
const (
	Clock   Power = 1 << iota // reads the time, or waits
	Random                    // draws random numbers
	Files                     // opens files
	Net                       // speaks to a network
	SQL                       // speaks to a database
	Logs                      // writes a log
	Exec                      // starts other programs
	Process                   // reads flags and the environment, uses the standard streams, ends the program
	Testing                   // is a suite of tests kept as a package
	Tree                      // parses Go source
)

// sign is what gives the use of a power away: an import or, with names, certain
// names of that package.
type sign struct {
	Power  Power
	Import string
	Names  []string // none: the import itself
	Advice string   // what to do instead
}

func signs() []sign {
	return []sign{
		{Clock, "time", []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"},
			"take a Now func() time.Time"},
		{Random, "crypto/rand", nil, "take an io.Reader"},
		{Random, "math/rand", nil, "take an io.Reader"},
		{Random, "math/rand/v2", nil, "take an io.Reader"},
		{Files, "os", nil, "take an io.Reader, an io.Writer or an fs.FS"},
		{Files, "os/user", nil, "take what is needed as an argument"},
		{Files, "io/ioutil", nil, "take an io.Reader"},
		{Files, "syscall", nil, "leave it to a package that may"},
		{Files, "path/filepath", []string{"Abs", "EvalSymlinks", "Glob", "Walk", "WalkDir"}, "take an fs.FS"},
		{Net, "net", nil, "leave it to a binding"},
		{Net, "net/http", nil, "leave it to a binding"},
		{Net, "net/http/httptest", nil, "keep it in a test"},
		{Net, "net/rpc", nil, "leave it to a binding"},
		{Net, "net/smtp", nil, "leave it to a binding"},
		{SQL, "database/sql", nil, "leave it to a store"},
		{SQL, "database/sql/driver", nil, "leave it to a store"},
		{Logs, "log", nil, "return an error"},
		{Logs, "log/slog", []string{"Debug", "DebugContext", "Info", "InfoContext", "Warn", "WarnContext", "Error", "ErrorContext", "Log", "LogAttrs",
			"Default", "SetDefault", "New", "With", "Logger", "NewTextHandler", "NewJSONHandler"}, "return an error"},
		{Exec, "os/exec", nil, "leave it to cmd"},
		{Process, "flag", nil, "take an option struct"},
		{Process, "os/signal", nil, "take a context"},
		{Process, "os", []string{"Args", "Getenv", "LookupEnv", "Environ", "ExpandEnv", "Setenv", "Unsetenv", "Exit", "Stdin", "Stdout", "Stderr"},
			"take it as an option; cmd reads flags and environment"},
		{Process, "fmt", []string{"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"}, "take an io.Writer"},
		{Testing, "testing", nil, "keep it in a test"},
		{Testing, "testing/fstest", nil, "keep it in a test"},
		{Tree, "go/parser", nil, "leave it to internal/arch"},
	}
}

// uses reports whether the sign speaks of the import itself or of that name in it.
func (s sign) uses(path, name string) bool {
	if s.Import != path {
		return false
	}
	if name == "" {
		return s.Names == nil
	}
	return slices.Contains(s.Names, name)
}
