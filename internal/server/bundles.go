package server

import (
	"net/http"
	"os"
	"path"

	"github.com/satchel-memory/satchel/aaif/a2ahttp"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/aimem/aimemhttp"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
)

// Bundles say how a server exchanges bundles (AIMEM 3). It serves them if the backend is an
// [aimem.Backend].
type Bundles struct {
	Producer string // Producer Namespace of this server's exports
	// Key signs exports, and the server publishes it. With the zero key exports are
	// unsigned.
	Key keys.Private
	// Earlier are keys that signed this server's earlier exports; those exports still count
	// as its own.
	Earlier []aimem.Key
	Policy  aimem.Policy // which signatures a bundle needs; empty: the server verifies a signature if there is one
	Max     int64        // bytes of a bundle; 0: 512 MiB
	// Folder holds bodies during checks, in files without a name; empty: the system's
	// folder for temporary files.
	Folder string
}

// newBundleHandler returns the AIMEM binding, or nil if the backend has no bundles.
func newBundleHandler(o Options) *aimemhttp.Handler {
	b, ok := o.Backend.(aimem.Backend)
	if !ok {
		return nil
	}
	settings := aimemhttp.Options{
		BaseOptions: o.baseOptions(authenticate),
		Producer:    o.Bundles.Producer, Release: o.Release, Policy: o.Bundles.Policy,
		Spool: o.spool, MaxBundle: o.Bundles.Max, Patience: o.ReadTimeout,
		Exporting: o.exports.take, Importing: newOwnerTurns(o.Owner, maxImports).wait,
	}
	if key := o.Bundles.Key; !key.IsZero() {
		public := aimem.PublicKey(key)
		settings.Sign = func(p aimem.Payload) ([]byte, error) { return aimem.Sign(key, p) }
		settings.Own = func() []aimem.Key { return append([]aimem.Key{public}, o.Bundles.Earlier...) }
		settings.PublicKey = o.keyDocument(public)
	}
	return aimemhttp.New(b, settings)
}

// keyDocument returns a function that publishes a key.
func (o Options) keyDocument(k aimem.Key) func() []byte {
	encoded, err := aimem.EncodeKey(k)
	if err != nil {
		o.Log.Error("the key of the producer cannot be published", "error", err)
	}
	return func() []byte { return encoded }
}

// spool makes room for a body in a file that only this process can read. Where the system
// allows it the file has no name, so that even a crash leaves no copy.
func (o Options) spool() (codec.Spool, error) {
	f, err := os.CreateTemp(o.Bundles.Folder, ".bundle-*") // 0600
	if err != nil {
		return nil, &memory.Error{Kind: memory.Internal, Op: "import", Message: "there is no room for a bundle here; the log says why", Err: err}
	}
	if os.Remove(f.Name()) != nil {
		return namedSpool{f}, nil
	}
	return f, nil
}

// namedSpool is a spool whose file keeps its name until Close.
type namedSpool struct{ *os.File }

// Close removes the file.
func (n namedSpool) Close() error {
	err := n.File.Close()
	if gone := os.Remove(n.Name()); err == nil {
		err = gone
	}
	return err
}

// refuse answers with an error in the form of the protocol that the path belongs to.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	switch at := path.Clean(r.URL.Path); {
	case isBundlePath(at):
		aimemhttp.WriteError(w, err)
	case isEngramPath(at):
		engramhttp.WriteError(w, err)
	case a2ahttp.Has(at):
		a2ahttp.WriteError(w, err)
	case isAgentPath(at):
		aaifhttp.WriteError(w, r, err)
	case pages.Has(at):
		pages.WriteError(w, r, err)
	default:
		umphttp.WriteError(w, err)
	}
}
