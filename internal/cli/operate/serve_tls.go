package operate

import (
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/access"
	"github.com/satchel-memory/satchel/internal/cli"
)

const (
	// reloadEvery is the least time between two looks at a certificate's files.
	reloadEvery = 2 * time.Second
)

// certificate is a certificate and its key in two files. It reads them again after a
// change, as when somebody renews the certificate. It is safe for concurrent use.
type certificate struct {
	cert, key string
	now       func() time.Time
	log       *slog.Logger

	mu     sync.Mutex
	pair   *tls.Certificate
	looked time.Time
	stamps [2]fileStamp // of the files when they were last read, well or not
}

// fileStamp tells whether a file has changed.
type fileStamp struct {
	changed time.Time
	size    int64
}

// openCertificate reads a certificate and its key.
func openCertificate(cert, key string, now func() time.Time, log *slog.Logger) (*certificate, error) {
	c := &certificate{cert: cert, key: key, now: now, log: log, looked: now()}
	if err := c.read(c.look()); err != nil {
		return nil, err
	}
	if end := c.pair.Leaf.NotAfter; end.Before(now()) {
		log.Warn("the certificate has expired: clients will refuse it until it is renewed", "expired", end)
	}
	return c, nil
}

// forConnection returns the present certificate. If files are unreadable, or do not belong
// together because only one was renewed, the old certificate stays in use.
func (c *certificate) forConnection(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); now.Sub(c.looked) >= reloadEvery {
		c.looked = now
		if stamps := c.look(); stamps != c.stamps {
			if err := c.read(stamps); err != nil {
				c.log.Error("the certificate cannot be renewed: the one before stays in use", "error", err)
			}
		}
	}
	return c.pair, nil
}

func (c *certificate) look() (stamps [2]fileStamp) {
	for i, path := range []string{c.cert, c.key} {
		if info, err := os.Stat(path); err == nil {
			stamps[i] = fileStamp{info.ModTime(), info.Size()}
		}
	}
	return stamps
}

func (c *certificate) read(stamps [2]fileStamp) error {
	c.stamps = stamps
	info, err := os.Stat(c.key)
	if err != nil {
		return cli.Unreadable("--tls-key", c.key, err)
	}
	if access.OpenToOthers(c.key, info) {
		return cli.Refusedf("others may read the key %s; chmod 600 it, and replace it if somebody may have", cli.Clean(c.key))
	}
	key, err := cli.ReadBounded(c.key, cli.MaxSmall)
	if err != nil {
		return cli.Unreadable("--tls-key", c.key, err)
	}
	chain, err := cli.ReadBounded(c.cert, cli.MaxChain)
	if err != nil {
		return cli.Unreadable("--tls-cert", c.cert, err)
	}
	pair, err := tls.X509KeyPair(chain, key)
	if err != nil {
		return c.mismatch(chain, key, err)
	}
	c.pair = &pair
	return nil
}

// mismatch says which of the files is wrong.
func (c *certificate) mismatch(chain, key []byte, err error) error {
	cert, private := holds(chain, "CERTIFICATE"), holds(key, "PRIVATE KEY")
	switch {
	case !cert && !private && holds(chain, "PRIVATE KEY") && holds(key, "CERTIFICATE"):
		return fmt.Errorf("--tls-cert %s holds a key and --tls-key %s a certificate: swap them", cli.Clean(c.cert), cli.Clean(c.key))
	case !cert:
		return fmt.Errorf("--tls-cert %s holds no certificate in PEM", cli.Clean(c.cert))
	case !private:
		return fmt.Errorf("--tls-key %s holds no private key in PEM", cli.Clean(c.key))
	}
	return fmt.Errorf("%s and %s are not a certificate and its key: %w", cli.Clean(c.cert), cli.Clean(c.key), err)
}

// holds reports whether a file in PEM has a block of a kind.
func holds(data []byte, kind string) bool {
	for {
		var block *pem.Block
		if block, data = pem.Decode(data); block == nil {
			return false
		}
		if strings.HasSuffix(block.Type, kind) {
			return true
		}
	}
}
