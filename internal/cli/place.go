package cli

import (
	"cmp"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
)

// remoteHome is what the home folder of a store in a database is called in the
// data folder of the system.
const remoteHome = "satchel-postgres"

// IsDatabase reports whether a store is named by the URL of a PostgreSQL database.
func IsDatabase(at string) bool {
	return strings.HasPrefix(at, "postgres://") || strings.HasPrefix(at, "postgresql://")
}

// keyword is how PostgreSQL's own programs may be told of a database, beside a URL.
var keyword = regexp.MustCompile(`(?i)(?:^|\s)(?:host|hostaddr|port|user|password|passfile|dbname|service|sslmode|sslpassword)\s*=`)

// notMeant refuses what is meant for a database and would be taken for a folder. It
// does not repeat it: there may be a password in it.
func notMeant(at string) error {
	scheme, rest, _ := strings.Cut(at, ":")
	scheme = strings.ToLower(strings.TrimSpace(scheme))
	found := keyword.FindStringIndex(at)
	slash := strings.IndexByte(at, '/')
	switch {
	case (scheme == "postgres" || scheme == "postgresql") && rest != "",
		found != nil && (slash < 0 || found[0] < slash):
		return Usagef("this is not how a database is named here; name it as postgres://USER@HOST/DATABASE, or a folder as ./FOLDER")
	}
	return nil
}

// Home finds the store: --store, $SATCHEL_STORE, or the folder where programs of
// this system keep their data.
func (a *App) Home() (Home, error) {
	at := cmp.Or(a.Store, a.Env("SATCHEL_STORE"))
	if IsDatabase(at) {
		return a.HomeOf(at)
	}
	if err := notMeant(at); err != nil {
		return Home{}, err
	}
	if scheme, _, ok := strings.Cut(at, "://"); ok {
		return Home{}, Usagef("a %s:// store is not offered; name a folder, or a database as postgres://USER@HOST/DATABASE", Clean(scheme))
	}
	if a.HomeDir != "" {
		return Home{}, Usagef("--home goes with a store in a database: name that too, as --store postgres://USER@HOST/DATABASE")
	}
	dir, err := a.folder(at, "satchel")
	return Home{Dir: dir}, err
}

// HomeOf finds the home folder of a store in a database: --home, $SATCHEL_HOME, or
// one in the data folder of this system.
func (a *App) HomeOf(url string) (Home, error) {
	dir, err := a.folder(cmp.Or(a.HomeDir, a.Env("SATCHEL_HOME")), remoteHome)
	return Home{Dir: dir, URL: url}, err
}

// folder returns the path of a folder, which is in the data folder of this system
// where none is named.
func (a *App) folder(named, otherwise string) (string, error) {
	if named != "" {
		return filepath.Abs(named)
	}
	if dir := a.Env("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, otherwise), nil
	}
	return a.PlainFolder(otherwise)
}

// passwordInURL is where a URL of a database may say a password. It takes rather
// too much than too little: passwords are not always spelled as URLs want them.
var passwordInURL = []*regexp.Regexp{
	regexp.MustCompile(`(postgres(?:ql)?://[^:@/?\s]*):\S*@`),
	regexp.MustCompile(`((?i)[?&](?:ssl)?password=)[^&\s"]*`),
}

// HidePasswords takes the passwords out of the URLs of databases in a text.
func HidePasswords(text string) string {
	text = passwordInURL[0].ReplaceAllString(text, "$1@")
	return passwordInURL[1].ReplaceAllString(text, "${1}")
}

// HasPassword reports whether the URL of a database says a password.
func HasPassword(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return HidePasswords(raw) != raw
	}
	_, said := u.User.Password()
	return said || passwordInURL[1].MatchString(raw)
}

// isPassword reports whether a parameter of a URL is a password.
func isPassword(name string) bool { return strings.HasSuffix(strings.ToLower(name), "password") }

// WithoutPassword names a database to people and in results.
func WithoutPassword(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return HidePasswords(raw)
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	said := u.Query()
	for name := range said {
		if isPassword(name) {
			said.Del(name)
		}
	}
	if u.RawQuery != "" {
		u.RawQuery = said.Encode()
	}
	return HidePasswords(u.String())
}
