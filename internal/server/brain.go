package server

import (
	"context"
	"net/http"
	"os"
	"path"
	"time"

	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/aimem/aimemhttp"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
)

// Bundles say how a server exchanges bundles (AIMEM 3). They are served where the
// backend is an [aimem.Backend].
type Bundles struct {
	Producer string // Producer Namespace of this server's exports
	// Key signs exports, and is published; the zero key: they are not signed.
	Key keys.Private
	// Earlier are keys that signed this server's exports before; what they signed is
	// its own still.
	Earlier []aimem.Key
	Policy  aimem.Policy // what signatures have to be; empty: one that is there is verified
	Max     int64        // bytes of a bundle; 0: 512 MiB
	// Folder holds bodies while they are checked, in files without a name; empty:
	// the system's for such things.
	Folder string
}

// maxImports is how many bundles are taken in at once for the owner whose server it
// is, and how many for all other owners together. Of another owner it is one.
const maxImports = 4

// queueTime is how long an import waits for its place, its body unread.
const queueTime = 20 * time.Second

// aimemOver returns the profile over a backend that offers it, nil over others.
func aimemOver(o Options) *aimemhttp.Handler {
	b, ok := o.Backend.(aimem.Backend)
	if !ok {
		return nil
	}
	settings := aimemhttp.Options{
		BaseOptions: o.door(authenticate),
		Producer:    o.Bundles.Producer, Release: o.Release, Policy: o.Bundles.Policy,
		Spool: o.spool, MaxBundle: o.Bundles.Max, Patience: o.ReadTimeout,
		Exporting: exportsOf(o.Owner), Importing: importsOf(o.Owner),
	}
	if key := o.Bundles.Key; !key.IsZero() {
		public := aimem.PublicKey(key)
		settings.Sign = func(p aimem.Payload) ([]byte, error) { return aimem.Sign(key, p) }
		settings.Own = func() []aimem.Key { return append([]aimem.Key{public}, o.Bundles.Earlier...) }
		settings.PublicKey = o.publishedKey(public)
	}
	return aimemhttp.New(b, settings)
}

// publishedKey returns what publishes a key.
func (o Options) publishedKey(k aimem.Key) func() []byte {
	encoded, err := aimem.EncodeKey(k)
	if err != nil {
		o.Log.Error("the key of the producer cannot be published", "error", err)
	}
	return func() []byte { return encoded }
}

// spool makes room for a body in a file that only this process has, and that has
// no name where the system allows it: not even a crash leaves a copy.
func (o Options) spool() (codec.Spool, error) {
	f, err := os.CreateTemp(o.Bundles.Folder, ".bundle-*") // 0600
	if err != nil {
		return nil, &memory.Error{Kind: memory.Internal, Op: "import", Message: "there is no room for a bundle here; the log says why", Err: err}
	}
	if os.Remove(f.Name()) != nil {
		return named{f}, nil
	}
	return f, nil
}

// named is a spool that keeps its name until it is closed.
type named struct{ *os.File }

// Close removes the file.
func (n named) Close() error {
	err := n.File.Close()
	if gone := os.Remove(n.Name()); err == nil {
		err = gone
	}
	return err
}

// importsOf returns what finds a place for an import, and waits for one. Other
// owners take none from the one whose server it is.
func importsOf(home memory.DID) func(context.Context, memory.DID) (leave func(), ok bool) {
	own, others := newRoom(maxImports, maxImports), newRoom(maxImports, 1)
	return func(ctx context.Context, owner memory.DID) (func(), bool) {
		if owner == home {
			return own.await(ctx, string(owner), own.each)
		}
		return others.await(ctx, string(owner), others.each)
	}
}

// await takes a place as soon as there is one, within queueTime.
func (o *room) await(ctx context.Context, name string, each int) (leave func(), ok bool) {
	ctx, done := context.WithTimeout(ctx, queueTime)
	defer done()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		if leave, ok = o.take(name, each); ok {
			return leave, true
		}
		select {
		case <-ctx.Done():
			return nil, false
		case <-again.C:
		}
	}
}

// refuse answers with an error in the way of the protocol that a path belongs to.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	switch at := path.Clean(r.URL.Path); {
	case ofBundles(at):
		aimemhttp.WriteError(w, err)
	case ofEngram(at):
		engramhttp.WriteError(w, err)
	case ofAgents(at):
		aaifhttp.WriteError(w, r, err)
	default:
		umphttp.WriteError(w, err)
	}
}
