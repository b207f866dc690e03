package service

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/operate"
	"github.com/satchel-memory/satchel/internal/startup"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/text/pattern"
)

// Cmd is the command satchel service.
type Cmd struct {
	Install   InstallCmd   `cmd:"" help:"Let satchel serve run whenever you are logged in, and start it."`
	Status    StatusCmd    `cmd:"" help:"Show whether it runs, where, since when, and its log."`
	Start     StartCmd     `cmd:"" help:"Start it."`
	Stop      StopCmd      `cmd:"" help:"Stop it until you start it or log in again."`
	Upgrade   UpgradeCmd   `cmd:"" help:"Let it run this release: after a backup, and back again if the release does not answer."`
	Uninstall UninstallCmd `cmd:"" help:"Stop it and take it out of the system. Your memory stays."`
	Run       RunCmd       `cmd:"" hidden:"" help:"Be the service."`
}

// Name chooses a service.
type Name struct {
	Name string `default:"satchel" help:"The name of the service. A second store needs a second name. Default: satchel." placeholder:"NAME"`
}

// service is a service of this user.
type service struct {
	app     *cli.App
	name    string
	dir     string
	manager startup.Manager
	rec     record
	known   bool // there is a record
}

// in is a path in the folder of the service.
func (s *service) in(name string) string { return filepath.Join(s.dir, name) }

// validName matches the names of services.
var validName = pattern.New(`^[a-z0-9][a-z0-9-]{0,39}$`)

// open finds a service by its name. It need not be installed.
func (n Name) open(a *cli.App) (*service, error) {
	if !validName.MatchString(n.Name) {
		return nil, cli.Usagef("%s is no name of a service: take letters a-z, digits and hyphens, 40 at the most", cli.Clean(n.Name))
	}
	home, err := a.UserHome()
	if err != nil {
		return nil, err
	}
	dir, err := a.PlainFolder("satchel-service")
	if err != nil {
		return nil, err
	}
	s := &service{app: a, name: n.Name, dir: filepath.Join(dir, n.Name)}
	config := a.Env("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) {
		config = ""
	}
	system := startup.System{OS: runtime.GOOS, Home: home, Config: config, UID: os.Getuid(), Folder: s.dir}
	if s.manager, err = system.Manager(); err != nil {
		return nil, err
	}
	return s, s.read()
}

// installed is open for a service that has a record.
func (n Name) installed(a *cli.App) (*service, error) {
	s, err := n.open(a)
	if err == nil && !s.known {
		err = cli.Refusedf("there is no service %s; satchel service install makes it", s.name)
	}
	return s, err
}

// passed are the variables that a service gets from the environment of its installation.
// They are names of files, and no secrets.
func passed() []string {
	return []string{"SATCHEL_PASSPHRASE_FILE", "PGPASSFILE", "PGSERVICEFILE", "SSL_CERT_FILE", "SSL_CERT_DIR"}
}

// plan describes the service that runs this program over the store of the command line.
func (s *service) plan(h cli.Home, conf cli.Config, flags []string) (record, error) {
	program, err := operate.OwnPath()
	if err != nil {
		return record{}, err
	}
	r := record{Program: program, Release: cli.Release(), Store: h.Dir, Flags: flags, Installed: s.app.Now().UTC()}
	if h.InDatabase() {
		if cli.HasPassword(h.URL) {
			return r, cli.Refusedf("the URL of the database has a password in it, and the settings of a service are no place for one: leave it out, and keep it in ~/.pgpass, " +
				"in the file that $PGPASSFILE names, or in one that the URL names with ?passfile=FILE")
		}
		r.Store, r.Home = h.URL, h.Dir
	}
	if r.Sum, err = sumOf(program); err != nil {
		return r, err
	}
	if _, err := address(flags, conf.Port); err != nil {
		return r, err
	}
	for _, name := range passed() {
		if value := s.app.Env(name); value != "" {
			if value, err = filepath.Abs(value); err != nil {
				return r, err
			}
			r.Env = append(r.Env, name+"="+value)
		}
	}
	return r, s.opens(h, conf)
}

// opens refuses a sealed key whose passphrase a service does not find.
func (s *service) opens(h cli.Home, conf cli.Config) error {
	sources := append([]cli.PassphraseSource{cli.KeyringPassphrase(conf.Owner)}, s.app.EnvironmentPassphrases()[:1]...)
	_, _, err := cli.UnlockWith(h.Key(cli.OwnerKey), sources)
	if errors.Is(err, keys.ErrSealed) {
		return cli.Refusedf("the owner's key is sealed, and a service has nobody to ask: keep its passphrase in the system's keyring, " +
			"or in a file of yours that SATCHEL_PASSPHRASE_FILE names, and install again; a passphrase itself is never written into a service")
	}
	return err
}

// address returns where a server with these flags answers.
func address(flags []string, port int) (string, error) {
	var serve operate.ServeCmd
	if err := cli.Flags(&serve, flags); err != nil {
		return "", err
	}
	return serve.Address(port)
}

// job is what the system is told to run.
func (s *service) job(r record) startup.Job {
	return startup.Job{Name: s.name, About: "Satchel: your memory, for assistants and your browser", Program: r.Program, Args: r.args(), Env: r.Env}
}

// homeOf is the home folder of a record's store.
func (r record) homeOf() cli.Home {
	if r.Home != "" {
		return cli.Home{Dir: r.Home, URL: r.Store}
	}
	return cli.Home{Dir: r.Store}
}

// on returns the surroundings of a command for the store of a service.
func (s *service) on(r record) *cli.App {
	a := *s.app
	a.Store, a.HomeDir, a.Owner = r.Store, r.Home, ""
	return &a
}
