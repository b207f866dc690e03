package group_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/filelock"
	"github.com/satchel-memory/satchel/internal/group"
)

// role is the variable that says what this program is: a parent starts a child and both hang.
const role = "SATCHEL_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "parent":
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), role+"=child")
		if err := child.Start(); err != nil {
			panic(err)
		}
		fmt.Println(child.Process.Pid)
		time.Sleep(time.Minute)
	case "child":
		time.Sleep(time.Minute)
	default:
		os.Exit(m.Run())
	}
}

// TestKill ends a program and the one that it started.
func TestKill(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), role+"=parent")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	g, err := group.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Kill()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || !filelock.Alive(child) {
		t.Fatalf("the child %q does not run: %v", line, err)
	}
	g.Kill()
	_ = cmd.Wait() // it was killed
	for end := time.Now().Add(10 * time.Second); filelock.Alive(child); time.Sleep(10 * time.Millisecond) {
		if ended(child) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the child goes on")
		}
	}
	g.Kill()
	if _, err := group.Start(exec.Command("no such program")); err == nil {
		t.Error("a program that is not there was started")
	}
}

// ended reports whether a process is a zombie: nobody waits for it, as in a container.
func ended(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(text), ") Z ")
}
