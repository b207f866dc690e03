package operate

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
)

// handing is how long a browser has to read the file that leads it to the link.
const handing = 8 * time.Second

// openBrowser opens a link in the person's browser. Other users of a machine can see the
// arguments of a program, and so the link does not become one: the browser gets a file of
// the owner's that leads there.
func openBrowser(a *cli.App, dir, link string) error {
	f, err := os.CreateTemp(dir, ".satchel-open-*.html") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = fmt.Fprintf(f, `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=%s"><title>Satchel</title>`, html.EscapeString(link))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	name, args := browserCommand(f.Name())
	if _, err := exec.LookPath(name); err != nil {
		a.Say("no browser was found: open the link in one")
		return nil
	}
	if err := exec.CommandContext(a.Ctx, name, args...).Start(); err != nil {
		a.Say("the browser did not start (%v): open the link in one", err)
		return nil
	}
	a.Say("your browser opens; if it does not, open the link in one")
	select {
	case <-time.After(handing):
	case <-a.Ctx.Done():
	}
	return nil
}

// browserCommand is the program by which a system opens a file as its user likes.
func browserCommand(path string) (name string, args []string) {
	switch runtime.GOOS {
	case "darwin":
		return "open", []string{path}
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler", filepath.FromSlash(path)}
	}
	return "xdg-open", []string{path}
}
