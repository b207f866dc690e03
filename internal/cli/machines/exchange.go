package machines

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/filelock"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/folder"
	"github.com/satchel-memory/satchel/internal/replica/peer"
	"github.com/satchel-memory/satchel/internal/replica/place"
	"github.com/satchel-memory/satchel/internal/vault/replicate"
	"github.com/satchel-memory/satchel/memory"
)

// errTurn: another program of this machine syncs just now.
var errTurn = errors.New("another program syncs this machine just now")

// turn takes the right to sync this machine; closing it gives it back. Without wait it fails
// with [errTurn] if another program has it.
func (f *fleet) turn(ctx context.Context, wait bool) (io.Closer, error) {
	lock, err := os.OpenFile(filepath.Join(f.Dir, "syncing.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		free, err := filelock.Try(lock)
		switch {
		case err != nil:
			return nil, errors.Join(err, lock.Close())
		case free:
			return lock, nil
		case !wait:
			return nil, errors.Join(errTurn, lock.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), lock.Close())
		case <-time.After(time.Second / 10):
		}
	}
}

// outcome is what an exchange with one remote did.
type outcome struct {
	Remote    string    `json:"remote"`
	Added     int       `json:"added"`
	Changed   int       `json:"changed"`
	Erased    int       `json:"erased"`
	Other     int       `json:"other,omitempty"` // beside memories
	Conflicts int       `json:"conflicts"`
	Sent      int       `json:"sent,omitempty"`  // items, to a Satchel
	Read      int64     `json:"read,omitempty"`  // bytes, of a folder
	Wrote     int64     `json:"wrote,omitempty"` // bytes, to a folder
	Cleared   int       `json:"cleared,omitempty"`
	Waiting   bool      `json:"waiting,omitempty"` // this machine asks to take part
	Asking    []string  `json:"asking,omitempty"`
	Troubles  []trouble `json:"troubles,omitempty"`
	Error     string    `json:"error,omitempty"`

	err error
}

// trouble is something in a folder that is not as it should be.
type trouble struct {
	Fault   string `json:"fault"`
	Machine string `json:"machine,omitempty"`
	File    string `json:"file,omitempty"`
	Detail  string `json:"detail"`
}

// exchange meets the others in a remote once, and remembers how it went.
func (f *fleet) exchange(ctx context.Context, r remote, show bool) (out outcome) {
	out.Remote = r.Name
	before, err := replicate.LogsCut(ctx, f.Vault, f.Owner)
	if err != nil {
		out.err, out.Error = err, cli.Describe(err)
		return out
	}
	if isPeer(r.Address) {
		err = f.exchangePeer(ctx, &r, &out, show)
	} else {
		err = f.exchangeFolder(ctx, r, &out, show)
	}
	if err != nil {
		out.err, out.Error = err, cli.Describe(err)
	}
	f.cutLogs(ctx, before, &out)
	if ctx.Err() != nil {
		return out
	}
	now := f.app.Now().UTC().Truncate(time.Second)
	noted := changeState(f.Home, f.Owner, func(s *ownerState) error {
		if err == nil && !isPeer(r.Address) { // an erasure has to reach it, and names it until then
			s.addOnce(r)
		}
		if known, ok := s.remote(r.Address); ok {
			known.Tried, known.Machine, known.Failed = now, r.Machine, out.Error
			if known.Fails++; err == nil {
				known.Met, known.Fails = now, 0
			}
		}
		return nil
	})
	if noted != nil {
		f.app.Detail("how the exchange went could not be noted: %s", cli.Describe(noted))
	}
	return out
}

// cutLogs tells of machines whose audit log was found cut since before.
func (f *fleet) cutLogs(ctx context.Context, before map[memory.DID]time.Time, out *outcome) {
	now, err := replicate.LogsCut(ctx, f.Vault, f.Owner)
	if err != nil {
		return // it is kept, and doctor tells of it
	}
	all, err := f.memory.Machines(ctx)
	for _, m := range all {
		if err == nil && !now[m.ID].Equal(before[m.ID]) {
			out.Troubles = append(out.Troubles, trouble{string(replica.ErrLogCut), m.Name, "", replica.ErrLogCut.Error()})
		}
	}
}

func (f *fleet) exchangePeer(ctx context.Context, r *remote, out *outcome, show bool) error {
	side, err := f.side()
	if err != nil {
		return err
	}
	client, err := (&cli.Server{CA: r.CA}).Client()
	if err != nil {
		return err
	}
	if client.Transport == nil {
		client.Transport = http.DefaultTransport
	}
	c := peer.Client{Side: side, URL: r.Address, HTTP: client, Machine: r.Machine}
	if show {
		progress := f.app.ProgressIn("exchanged", "items")
		defer progress.End()
		c.Progress = func(p peer.Report) { progress.Reached(p.Added + p.Changed + p.Other + p.Sent) }
	}
	report, err := c.Sync(ctx)
	out.joined(report.Joined)
	out.Sent, r.Machine = report.Sent, c.Machine
	refused := &peer.Refusal{}
	if errors.As(err, &refused) && refused.Fault == replica.ErrUnknown {
		out.Waiting = true
	}
	unreached := &net.OpError{}
	if errors.As(err, &unreached) {
		err = fmt.Errorf("nobody answers there; is satchel serve running? (%w)", unreached)
	}
	return err
}

func (out *outcome) joined(j replica.Joined) {
	out.Added, out.Changed, out.Erased, out.Other, out.Conflicts = j.Added, j.Changed, j.Erased, j.Other, j.Conflicts
}

func (f *fleet) exchangeFolder(ctx context.Context, r remote, out *outcome, show bool) error {
	storage, done, err := openStorage(r)
	if err != nil {
		return err
	}
	defer done()
	owner, err := replicate.KeyOf(ctx, f.Vault, f.Caller())
	if err != nil {
		return err
	}
	known, err := readState(f.Home)
	if err != nil {
		return err
	}
	o := folder.Options{
		Name: r.known(), Storage: storage, Memory: f.memory, Remotes: f.memory, Owner: f.Owner, Secret: owner.Secret(folder.SecretPurpose),
		Key: f.machine.Key, Identity: f.machine.Identity, Random: rand.Reader, Now: f.app.Now, Unknown: known.of(f.Owner).Unknown,
	}
	if show {
		progress := f.app.ProgressIn("read", "bytes")
		defer progress.End()
		o.Progress = func(done, _ int64) { progress.Reached(int(done)) }
	}
	result, err := folder.Sync(ctx, o)
	out.joined(result.Joined)
	out.Read, out.Wrote, out.Cleared, out.Waiting = result.BytesRead, result.BytesWritten, result.Cleared, result.Waiting
	for _, m := range result.Requests {
		f.asked(m)
		out.Asking = append(out.Asking, m.Name)
	}
	for _, t := range result.Troubles {
		out.Troubles = append(out.Troubles, trouble{string(t.Fault), t.Name, t.File, t.Detail})
	}
	return err
}

// isStorage reports whether a scheme is that of a storage.
func isStorage(scheme string) bool {
	switch scheme {
	case "webdav+https", "webdav+http", "s3+https", "s3+http":
		return true
	}
	return false
}

// openStorage opens where packs lie.
func openStorage(r remote) (s folder.Storage, done func(), err error) {
	done = func() {}
	scheme, _, isURL := strings.Cut(r.Address, "://")
	if !isURL {
		local, err := place.OpenLocal(r.Address)
		if err != nil {
			return nil, done, err
		}
		return local, func() { _ = local.Close() }, nil // it was synced file by file
	}
	password, err := passwordIn(r.Password)
	if err != nil {
		return nil, done, err
	}
	kind, plain, _ := strings.Cut(scheme, "+")
	u, err := url.Parse(r.Address)
	if err != nil {
		return nil, done, place.ErrAddress
	}
	u.Scheme = plain
	if kind == "webdav" {
		s, err = place.OpenWebDAV(u.String(), r.User, password)
		return s, done, err
	}
	bucket, prefix, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	u.Path = ""
	s, err = place.OpenS3(place.S3Options{Address: u.String(), Region: r.Region, Bucket: bucket, Prefix: prefix, KeyID: r.User, Secret: password})
	return s, done, err
}

// passwordIn reads the first line of a file; no file: no password.
func passwordIn(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	data, err := cli.ReadBounded(path, cli.MaxSmall)
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	in := bufio.NewScanner(strings.NewReader(string(data)))
	in.Scan()
	return strings.TrimSuffix(in.Text(), "\r"), in.Err()
}

// say tells a person what an exchange did.
func (out outcome) say(a *cli.App) {
	name := cli.Clean(out.Remote)
	switch {
	case out.Waiting:
		a.Warn("%s: this machine has asked to take part. On one that does: satchel sync, then satchel devices accept. Then sync here again", name)
		return
	case out.err != nil:
		a.Warn("%s: %s", name, out.Error)
	}
	if out.err == nil {
		a.Print("%s: %s", name, out.inWords())
	}
	if out.Conflicts > 0 {
		a.Warn("%s revised apart; both versions stay until you decide: satchel corrections list", cli.Plural(out.Conflicts, "memory was", "memories were"))
	}
	for _, m := range out.Asking {
		a.Warn("%s asks to take part; if it is yours: satchel devices accept %s", cli.Clean(m), cli.Clean(m))
	}
	for _, t := range out.Troubles {
		about := t.File
		if about == "" {
			about = t.Machine
		}
		a.Warn("%s: %s: %s", name, cli.Clean(t.Fault), cli.OneLine(t.Detail+" ("+about+")", 400))
	}
}

// inWords says what came and what went.
func (out outcome) inWords() string {
	var parts []string
	for _, p := range []struct {
		n         int
		one, more string
	}{
		{out.Added, "memory new here", "memories new here"},
		{out.Changed, "memory changed here", "memories changed here"},
		{out.Erased, "memory erased here", "memories erased here"},
		{out.Other, "other thing updated", "other things updated"},
		{out.Sent, "thing sent", "things sent"},
		{out.Cleared, "pack cleared", "packs cleared"},
	} {
		if p.n > 0 {
			parts = append(parts, cli.Plural(p.n, p.one, p.more))
		}
	}
	if len(parts) == 0 && out.Wrote > 0 {
		return "wrote what the others do not have yet"
	}
	if len(parts) == 0 {
		return "nothing new"
	}
	return strings.Join(parts, ", ")
}
