package cli

import (
	"cmp"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
)

// remoteHome is the name of the home folder of a database in the system's data folder.
const remoteHome = "satchel-postgres"

// IsDatabase reports whether a store is named by the URL of a PostgreSQL database.
func IsDatabase(at string) bool {
	return strings.HasPrefix(at, "postgres://") || strings.HasPrefix(at, "postgresql://")
}

// keyword matches the other form in which PostgreSQL's programs accept a database.
var keyword = pattern.New(`(?i)(?:^|\s)(?:host|hostaddr|port|user|password|passfile|dbname|service|sslmode|sslpassword)\s*=`)

// refuseKeywords refuses a database in that form, which would pass for a folder. The error
// does not repeat it: it may hold a password.
func refuseKeywords(at string) error {
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

// Home finds the store: --store, $SATCHEL_STORE, or a folder in the system's data folder.
func (a *App) Home() (Home, error) {
	at := cmp.Or(a.Store, a.Env("SATCHEL_STORE"))
	if IsDatabase(at) {
		return a.HomeOf(at)
	}
	if err := refuseKeywords(at); err != nil {
		return Home{}, err
	}
	if scheme, _, ok := strings.Cut(at, "://"); ok {
		return Home{}, Usagef("a %s:// store is not offered; name a folder, or a database as postgres://USER@HOST/DATABASE", Clean(scheme))
	}
	if a.HomeDir != "" {
		return Home{}, Usagef("--home goes with a store in a database: name that too, as --store postgres://USER@HOST/DATABASE")
	}
	dir, err := a.folder(at, "satchel")
	return Home{Dir: dir, SealCost: a.SealCost}, err
}

// HomeOf finds the home folder of a store in a database: --home, $SATCHEL_HOME, or a folder
// in the system's data folder.
func (a *App) HomeOf(url string) (Home, error) {
	dir, err := a.folder(cmp.Or(a.HomeDir, a.Env("SATCHEL_HOME")), remoteHome)
	return Home{Dir: dir, URL: url, SealCost: a.SealCost}, err
}

// folder returns the path of a folder, by default in the system's data folder.
func (a *App) folder(named, otherwise string) (string, error) {
	if named != "" {
		return filepath.Abs(named)
	}
	if dir := a.Env("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, otherwise), nil
	}
	return a.PlainFolder(otherwise)
}

// passwordInURL matches passwords in the URL of a database. It matches rather too much than
// too little, because people do not always escape passwords as URLs need it.
var passwordInURL = []*pattern.Pattern{
	pattern.New(`(postgres(?:ql)?://[^:@/?\s]*):\S*@`),
	pattern.New(`((?i)[?&](?:ssl)?password=)[^&\s"]*`),
}

// HidePasswords removes the passwords from the database URLs in a text.
func HidePasswords(text string) string {
	text = passwordInURL[0].ReplaceAllString(text, "$1@")
	return passwordInURL[1].ReplaceAllString(text, "${1}")
}

// HasPassword reports whether the URL of a database holds a password.
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

// WithoutPassword is a database's name for people and in results.
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
