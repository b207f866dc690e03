package agent

import (
	"cmp"
	"crypto/rand"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/trace"
	"github.com/satchel-memory/satchel/keys"
)

type agentMigrateCmd struct {
	State     string   `arg:"" help:"A run in the store, by its id or the first characters of it: it stops here. Or a checkpoint: a file, - for standard input, or its id in the store; its run must be paused."`
	To        string   `help:"The platform that continues the run, such as https://agents.example, or its URL for checkpoints." placeholder:"URL"`
	Stream    bool     `help:"With --to: send a stream instead of one document."`
	CA        string   `name:"ca" help:"With --to: a file of certificates to trust, beside those of this machine." placeholder:"FILE"`
	Output    string   `short:"o" help:"Write the checkpoint and its token to a file, which only you can read. The token is valid for 15 minutes. Needs --plain." placeholder:"FILE"`
	Plain     bool     `help:"With -o: write the conversation, the memory and the token in the clear. Protect the file otherwise, such as by an encrypted disk or scp."`
	Again     bool     `help:"Send the checkpoint even if another platform already has it."`
	Reissue   bool     `help:"Issue another token for a checkpoint that has one, such as after the first expired."`
	Audience  string   `help:"The name of the receiving platform. Default: the name in its manifest. Required with -o." placeholder:"NAME"`
	Key       string   `help:"Sign the token with this key file. Default: the key that signs bundles." placeholder:"FILE"`
	As        string   `help:"The name that the receiver trusts the key under. Default: the name that your bundles carry." placeholder:"NAME"`
	Principal string   `help:"The person whose run it is, by a name that the receiver knows too. Only a salted hash is sent. Default: your DID." placeholder:"NAME"`
	Memory    []string `help:"Send this memory of the store too, by id. May be repeated. Private memories stay." placeholder:"ID"`

	agentdoc.OverFlags
	policyFlags
	agentdoc.CheckFlags
}

// Run sends a checkpoint to another platform (AAIF-8.2-1 to AAIF-8.2-3).
func (c *agentMigrateCmd) Run(a *cli.App) error {
	if err := c.fit(a); err != nil {
		return err
	}
	j, err := c.Checker(a)
	if err != nil {
		return err
	}
	return withEngine(a, cli.Signing, engineFlags{}, func(e *engine) error {
		m := migration{cmd: c, app: a, opened: e.opened, service: e.keeper, engine: e}
		if m.run, err = m.runNamed(); err != nil {
			return err
		}
		if m.run != "" {
			return m.moveRun(j)
		}
		if err := m.read(e.keeper, j); err != nil {
			return agentdoc.Refused(a, err, c.State+" does not leave")
		}
		if err := m.find(); err != nil {
			return m.tellRefusal(err)
		}
		return m.leave()
	})
}

// leave gives the checkpoint a token, and sends it.
func (m *migration) leave() error {
	a, c := m.app, m.cmd
	if err := m.issue(); err != nil {
		return agentdoc.Refused(a, err, c.State+" does not leave")
	}
	if err := c.MayGiveWay(a, c.Output, m.state); err != nil {
		return err
	}
	if err := m.service.Leaving(a.Ctx, m.opened.Caller(), m.state, c.way(), agents.Token{ID: m.token, For: m.to, Expires: m.expires, Again: c.Again}); err != nil {
		return agentdoc.Refused(a, err, c.State+" does not leave")
	}
	if err := m.noteIssued(); err != nil {
		return err
	}
	return m.send()
}

// way returns the audit log's word for the way out.
func (c *agentMigrateCmd) way() agents.Way {
	switch {
	case c.To == "":
		return agents.ToFile
	case c.Stream:
		return agents.Handoff
	}
	return agents.Migrate
}

// fit refuses contradictory flags, and addresses without TLS, before it reads or connects
// to anything (AAIF-12-11).
func (c *agentMigrateCmd) fit(a *cli.App) error {
	switch {
	case (c.To == "") == (c.Output == ""):
		return cli.Usagef("say where it goes: --to https://… for a platform, or -o FILE for a file that is brought there")
	case c.To == "" && (c.Stream || c.CA != ""):
		return cli.Usagef("--stream and --ca go with --to")
	case c.To == "" && c.Audience == "":
		return cli.Usagef("-o needs --audience: the name of the platform that the file is for, which its manifest says")
	case c.To == "" && !c.Plain:
		return cli.Refusedf("%s: a checkpoint leaves encrypted: --to sends it over TLS; --plain writes it all the same, in the clear and with its token, for a way that is protected otherwise [AAIF-12-11]", aaifhttp.TLSRequired)
	case c.To == "":
		return c.MayPut(a, c.Output, agentdoc.KindWords(aaif.StateKind))
	case c.Force || c.Plain:
		return cli.Usagef("--force and --plain go with -o")
	}
	u, err := url.Parse(c.To)
	switch {
	case err != nil || u.Hostname() == "" || u.User != nil:
		return cli.Usagef("--to takes an address such as https://agents.example")
	case u.Scheme != "https":
		return cli.Refusedf("%s: a checkpoint leaves over https only [AAIF-12-11]; write https://%s if the platform speaks TLS there", aaifhttp.TLSRequired, cli.Clean(u.Host))
	}
	return nil
}

// migration is a checkpoint on its way out.
type migration struct {
	cmd     *agentMigrateCmd
	app     *cli.App
	opened  *cli.Session
	service *agents.Service

	engine   *engine
	run      string // the id of the run that leaves; empty: it is a checkpoint
	mayBeOut bool   // nobody knows whether the run left

	before      aaif.Departure // where it went before
	noted       aaif.Departure // what was last read or noted of one that leaves from a file
	fromFile    string         // its id among the departures of files; empty: it is kept here
	original    canon.Value    // as it is here
	state       canon.Value    // as it leaves
	policy      aaif.PII
	done        privacy.Redaction
	memory      int    // number of memories added
	address     string // the destination
	origin      string // the origin of the address
	asked       string // the address of the latest request
	to          string // the receiver's name
	client      aaifhttp.Client
	mayHaveLeft atomic.Bool // part of it may have left
	token       string      // the token's id
	expires     time.Time
}

// read reads the checkpoint, and prepares it by the policy of its agent's definition.
func (m *migration) read(s *agents.Service, j agentdoc.Checker) error {
	d := aaif.Document{Kind: aaif.StateKind, Value: m.original}
	if m.run == "" {
		var err error
		if d, err = checkpoint(m.app, m.opened, s, m.cmd.State); err != nil {
			return err
		}
		m.original = d.Value
	}
	if err := m.checkElsewhere(); err != nil {
		return err
	}
	if err := m.checkMovable(); err != nil {
		return err
	}
	if wrong := agentdoc.Errors(j.CheckDeparture(d)); len(wrong) > 0 {
		return joinFindings(wrong)
	}
	definition, err := m.cmd.policy(m.app, m.opened, s, m.original)
	if err != nil {
		return err
	}
	m.policy, m.client.Head = definition.Agent.Compliance.PII, http.Header{}
	of := trace.Spans{Origin: trace.Origin{Parent: run.TraceOf(m.original)}, Header: definition.Agent.Telemetry.Header}
	trace.Tell(of.Within(m.app.Ctx), m.client.Head)
	with, err := m.addMemories(m.original)
	if err != nil {
		return err
	}
	m.state, m.done, err = privacy.Redact(with, privacy.RedactOptions{PII: m.policy, Secrets: environmentSecrets()})
	if err == nil && m.done.Seal && m.cmd.To == "" {
		err = sealRefusal("--to sends it over TLS")
	}
	if err != nil {
		return err
	}
	return joinFindings(agentdoc.Errors(j.Check(aaif.Document{Kind: aaif.StateKind, Value: m.state}, false)))
}

// checkMovable refuses a checkpoint that was changed, whose run continues or has ended,
// or that has a token already (AAIF-8.2-1, AAIF-12-14).
func (m *migration) checkMovable() error {
	from := m.original.Get("provenance")
	if from.Has("checksum") {
		if err := aaif.VerifyChecksum(m.original); err != nil {
			return err
		}
	}
	switch status := aaif.ReadState(m.original).Status; {
	case status == aaif.Running:
		return cli.Refusedf("STATE_RUNNING: the run is under way: capture it once it is paused or migrating, so that it does not go on at two places [AAIF-8.2-1]")
	case status.Ended():
		return cli.Refusedf("STATE_ENDED: the run is %s, and there is nothing to go on with [AAIF-8.2-1]", status)
	case m.cmd.Reissue && !from.Has("migration_token"):
		return cli.Usagef("--reissue is for a checkpoint that has a token; this one has none")
	case !m.cmd.Reissue && from.Has("migration_token") && m.cmd.Output != "" && cli.Exists(m.cmd.State):
		return cli.Refusedf("it has a migration token already: with --reissue it is given another")
	}
	return nil
}

// find finds the destination and the name of its platform (AAIF-7-17).
func (m *migration) find() error {
	c := m.cmd
	m.to = c.Audience
	if c.To == "" {
		return nil
	}
	carrier, err := (&cli.Server{URL: c.To, CA: c.CA}).Client()
	if err != nil {
		return err
	}
	m.client = aaifhttp.Client{HTTP: carrier, Now: m.app.Now, Warn: func(text string) { m.app.Warn("%s", cli.Clean(text)) }}
	u, _ := url.Parse(c.To) // fit has checked it
	origin := url.URL{Scheme: u.Scheme, Host: u.Host}
	if m.address = c.To; u.Path == "" || u.Path == "/" || strings.TrimSuffix(u.Path, "/") == path.Dir(aaifhttp.StatesPath) {
		u.Path = aaifhttp.StatesPath
		if c.Stream {
			u.Path = aaifhttp.HandoffPath
		}
		m.address = u.String()
	}
	m.origin = origin.String()
	if m.asked = m.address; m.to != "" {
		return nil
	}
	m.asked = origin.String() + aaifhttp.ManifestPath
	manifest, err := m.client.FetchManifest(m.app.Ctx, origin.String())
	if err != nil {
		return err
	}
	m.to, m.asked = manifest.Platform.Name, m.address
	return m.checkName(m.origin, m.to)
}

// issue signs a token for the leaving checkpoint, and sets both with the checksum
// (AAIF-8.2-2, AAIF-8.2-8).
func (m *migration) issue() error {
	key, name, err := m.signer()
	if err != nil {
		return err
	}
	id, err := aaif.NewTokenID(rand.Reader)
	if err != nil {
		return err
	}
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return err
	}
	if m.state.Get("provenance").Type() != canon.TypeObject { // the token covers the leaving checkpoint, including the member for the token
		m.state = m.state.With("provenance", agentdoc.ObjectOf("source_platform", canon.String(name)))
	}
	now := m.app.Now()
	m.token = id
	m.expires = now.Add(aaif.TokenLifetime)
	token, err := aaif.IssueToken(aaif.Token{
		ID: id, Issuer: name, Audience: m.to, IssuedAt: now, Expires: m.expires,
		Principal: aaif.Principal(salt, cmp.Or(m.cmd.Principal, string(m.opened.Owner))),
	}.For(m.state), key, string(key.DID()))
	if err != nil {
		return err
	}
	m.state = aaif.WithToken(m.state, token)
	return nil
}

// signer returns the key that signs the token, and the name others know it by.
func (m *migration) signer() (keys.Private, string, error) {
	name := cmp.Or(m.cmd.As, m.opened.CurrentProducer().Name)
	if m.cmd.Key != "" {
		key, err := agentdoc.SigningKey(m.app, m.cmd.Key)
		return key, name, err
	}
	key, err := m.opened.ProducerKey()
	return key, name, err
}
