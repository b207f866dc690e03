package e2e

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestClients runs the examples of the clients for Python and TypeScript against a server,
// where this machine has those languages, and then what goes wrong.
func TestClients(t *testing.T) {
	t.Parallel()
	silent := silentServer(t)
	const python = `
import sys
from satchel_client import *
for url, token, path in [(sys.argv[1], "wrong", "x"), (sys.argv[1], sys.argv[3], "urn:ump:nothing"), ("http://" + sys.argv[2], None, "x"), ("http://127.0.0.1:1", None, "x")]:
    try:
        Client(url, token=token, timeout=0.5 if sys.argv[2] in url else 10).get(path)
        print("answered")
    except SatchelError as e:
        print(type(e).__name__, e.code, e.status)
try:
    Client("satchel")
except ValueError as e:
    print(e)
`
	const javaScript = `
import { Client, SatchelError } from "satchel-client";
const [url, silent, token] = process.argv.slice(2);
for (const [settings, id] of [[{ url, token: "wrong" }, "x"], [{ url, token }, "urn:ump:nothing"], [{ url: "http://" + silent, timeout: 500 }, "x"], [{ url: "http://127.0.0.1:1" }, "x"]]) {
  try {
    await new Client(settings).get(id);
    console.log("answered");
  } catch (e) {
    console.log(e instanceof SatchelError, e.code, e.status);
  }
}
try { new Client({ url: "satchel:x" }); } catch (e) { console.log(e.message); }
`
	for _, c := range []struct{ language, program, folder, example, wrong string }{
		{"Python", "python3", "../../clients/python", "example.py", python},
		{"TypeScript", "node", "../../clients/typescript", "example.mjs", javaScript},
	} {
		t.Run(c.language, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skipf("%s is missing: the client for %s is not tried", c.program, c.language)
			}
			address, token := newHome(t).serve() // the examples remember and forget the same memory
			folder := t.TempDir()
			if err := os.CopyFS(folder, os.DirFS(c.folder)); err != nil { // the languages write beside their files
				t.Fatal(err)
			}
			wrong := filepath.Join(folder, "wrong"+filepath.Ext(c.example))
			if err := os.WriteFile(wrong, []byte(c.wrong), 0o600); err != nil {
				t.Fatal(err)
			}
			run := func(program string, arguments ...string) string {
				ctx, stop := context.WithTimeout(t.Context(), time.Minute)
				defer stop()
				cmd := exec.CommandContext(ctx, c.program, append([]string{program}, arguments...)...)
				cmd.Dir, cmd.Env = folder, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "SATCHEL_URL=http://" + address, "SATCHEL_TOKEN=" + token}
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", program, err, out)
				}
				return string(out)
			}
			said := run(c.example)
			for _, want := range []string{"found: The build uses pnpm, never npm.\n", "kind: procedural\n", "refused: not_found - ", "context of: Satchel"} {
				if !strings.Contains(said, want) {
					t.Errorf("there is no %q in\n%s", want, said)
				}
			}
			said = run(filepath.Base(wrong), "http://"+address, silent, token)
			for _, want := range []string{" unauthorized 401\n", " not_found 404\n", " timeout 0\n", " unreachable 0\n", "url is the address of the server"} {
				if !strings.Contains(said, want) {
					t.Errorf("there is no %q in\n%s", want, said)
				}
			}
			if strings.Contains(said, "answered") {
				t.Errorf("something was answered:\n%s", said)
			}
		})
	}
}

// silentServer takes connections and never answers.
func silentServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}
