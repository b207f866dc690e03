package machines

import (
	"net"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/pairing"
	"github.com/satchel-memory/satchel/internal/replica/peer"
)

// pairingAddress is the argument of init --join: CODE@ADDRESS.
type pairingAddress struct {
	code      pairing.Code
	url       string
	temporary bool // satchel pair itself answers there, with a certificate for this pairing only
}

// parsePairingAddress reads CODE@ADDRESS.
func parsePairingAddress(text string) (p pairingAddress, err error) {
	code, address, found := strings.Cut(strings.TrimSpace(text), "@")
	if !found || address == "" {
		return p, cli.Usagef("%s is no CODE@ADDRESS: type what satchel pair shows on the other machine", cli.Clean(text))
	}
	if p.code, err = pairing.ParseCode(code); err != nil {
		return p, cli.WithStatus(cli.ExitUsage, err)
	}
	p.url = address
	if !strings.Contains(address, "://") {
		if _, _, err := net.SplitHostPort(address); err != nil {
			return p, cli.Usagef("%s is no address: type what satchel pair shows on the other machine, with the port", cli.Clean(address))
		}
		p.url, p.temporary = "https://"+address, true
	}
	return p, cli.WithStatus(cli.ExitUsage, peer.CheckAddress(p.url))
}

// addressFor returns the address by which other machines of the network reach a listener.
func addressFor(at net.Addr) string {
	tcp, ok := at.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return at.String()
	}
	_, port, _ := net.SplitHostPort(at.String()) // of a listener
	return net.JoinHostPort(ownAddress().String(), port)
}

// ownAddress returns an IPv4 address of this machine: one in a private network, else a public
// one, else the loopback address.
func ownAddress() net.IP {
	best := net.IPv4(127, 0, 0, 1)
	all, err := net.InterfaceAddrs()
	if err != nil {
		return best
	}
	for _, a := range all {
		n, ok := a.(*net.IPNet)
		switch {
		case !ok || n.IP.IsLoopback() || n.IP.IsLinkLocalUnicast() || n.IP.To4() == nil:
		case n.IP.IsPrivate():
			return n.IP
		default:
			best = n.IP
		}
	}
	return best
}
