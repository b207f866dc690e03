package pgtest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestKilled lets the server end with a process that is killed. In that process
// the test starts the server, says where it is and waits for its death.
func TestKilled(t *testing.T) {
	if os.Getenv("PGTEST_VICTIM") != "" {
		s := Start(t, Options{})
		fmt.Println("URL", s.URL(), s.folder)
		select {}
	}
	victim := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	victim.Env = append(os.Environ(), "PGTEST_VICTIM=1")
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n') // what there is shows below
	kill := victim.Process.Kill()
	_ = victim.Wait() // it was killed
	said := strings.Fields(line)
	if len(said) == 0 || kill != nil {
		t.Fatalf("%q, %v", line, kill)
	}
	if said[0] != "URL" {
		Start(t, Options{}) // skips where there is no PostgreSQL
		t.Fatalf("the victim says %q", line)
	}
	defer os.RemoveAll(said[2])
	for range 500 {
		c, err := connect(t.Context(), said[1])
		if err != nil {
			return
		}
		_ = c.Close(t.Context())
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the server has outlived the process that started it")
}
