package e2e

import (
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// proxy stands between servers and their database, as an address that moves with it. While it
// is bad it holds back what passes, and now and then cuts a connection.
type proxy struct {
	listener net.Listener
	target   atomic.Pointer[string]
	bad      atomic.Bool
	cuts     atomic.Int64

	mu   sync.Mutex
	open map[net.Conn]bool
}

// newProxy listens on a free port until the test ends.
func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, open: map[net.Conn]bool{}}
	p.target.Store(&target)
	t.Cleanup(func() { _ = listener.Close(); p.drop() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go p.pass(c)
		}
	}()
	return p
}

func (p *proxy) address() string { return p.listener.Addr().String() }

// move sends new connections to another address, and cuts the open ones.
func (p *proxy) move(target string) {
	p.target.Store(&target)
	p.drop()
}

// spoil makes the proxy bad, or good again. When it turns bad it cuts what is open.
func (p *proxy) spoil(bad bool) {
	p.bad.Store(bad)
	if bad {
		p.drop()
	}
}

func (p *proxy) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cuts.Add(int64(len(p.open) / 2))
	for c := range p.open {
		_ = c.Close() // it may have ended already
	}
	clear(p.open)
}

func (p *proxy) pass(c net.Conn) {
	d, err := net.Dial("tcp", *p.target.Load())
	if err != nil {
		_ = c.Close()
		return
	}
	p.mu.Lock()
	p.open[c], p.open[d] = true, true
	p.mu.Unlock()
	go p.copy(c, d)
	p.copy(d, c)
}

// copy passes one direction on until either end is closed.
func (p *proxy) copy(to, from net.Conn) {
	defer func() {
		_, _ = to.Close(), from.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.open, to)
		delete(p.open, from)
	}()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if p.bad.Load() {
			time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
			if rand.IntN(300) == 0 {
				p.cuts.Add(1)
				return
			}
		}
		if _, failed := to.Write(buffer[:n]); err != nil || failed != nil {
			return
		}
	}
}

// bouncer starts a PgBouncer in session mode before an address, and returns the URL of a
// database behind it. Where there is none it returns the URL of the address, and says so.
func bouncer(t testing.TB, database, address string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = address
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/pgbouncer")
	}
	if err != nil {
		t.Log("PgBouncer is not installed (Debian: apt-get install pgbouncer): that server does without")
		return u.String()
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	host, behind, _ := net.SplitHostPort(address)
	name := strings.TrimPrefix(u.Path, "/")
	dir := t.TempDir()
	config := filepath.Join(dir, "pgbouncer.ini")
	text := "[databases]\n" + name + " = host=" + host + " port=" + behind + " dbname=" + name + "\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = " + strconv.Itoa(port) +
		"\nauth_type = any\npool_mode = session\nmax_client_conn = 200\ndefault_pool_size = 100\nserver_login_retry = 1\nignore_startup_parameters = extra_float_digits,options,statement_timeout,search_path\n" +
		"unix_socket_dir =\nlogfile = " + filepath.Join(dir, "log") + "\n"
	for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		_ = os.Chmod(d, 0o755) // PgBouncer does not run as root, and reads its file
	}
	args := []string{config}
	if me, err := user.Current(); err == nil && me.Uid == "0" {
		args = []string{"-u", "nobody", config}
		_ = os.Chmod(dir, 0o777)
	}
	text = strings.Replace(text, "dbname="+name, "dbname="+name+" user="+u.User.Username(), 1)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	u.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		c, err := net.Dial("tcp", u.Host)
		if err == nil {
			_ = c.Close()
			return u.String()
		}
		if time.Now().After(end) {
			said, _ := os.ReadFile(filepath.Join(dir, "log"))
			t.Fatalf("PgBouncer does not listen: %v\n%s", err, said)
		}
	}
}
