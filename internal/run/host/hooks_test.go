package host_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// hooked opens a place whose owner has registered hooks that write down what they are told.
// Each ends as its shell command says.
func hooked(t *testing.T, hooks map[string]string, steps ...model.Step) (p *place, told func() []canon.Value) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("hooks here are shell commands")
	}
	p = open(t, vaulttest.Open(t), script(steps...)...)
	file := filepath.Join(t.TempDir(), "told")
	for name, command := range hooks {
		p.options.Settings.Tools.Hooks = append(p.options.Settings.Tools.Hooks,
			tool.Hook{Name: name, Program: tool.Program{Command: []string{"/bin/sh", "-c", "/bin/cat >>" + file + "; echo >>" + file + "; " + command}}})
	}
	p.Host = host.New(p.options)
	return p, func() (all []canon.Value) {
		raw, _ := os.ReadFile(file) // none was told yet
		for line := range strings.Lines(string(raw)) {
			v, err := canon.Parse([]byte(line), canon.Options{})
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			all = append(all, v)
		}
		return all
	}
}

// which lists the hooks that were told something.
func which(told []canon.Value) (names []string) {
	for _, v := range told {
		names = append(names, v.Get("hook").Text())
	}
	return names
}

const allHooks = `"events":{"on_start":"begins","on_complete":"ends","on_error":"breaks","on_tool_call":"calls"}`

func TestHooks(t *testing.T) {
	t.Parallel()
	registered := map[string]string{"begins": "exit 0", "ends": "exit 0", "breaks": "exit 0", "calls": "exit 0"}
	t.Run("AAIF-4-20 hooks of a run that completes, each once", func(t *testing.T) {
		t.Parallel()
		p, told := hooked(t, registered, asks("look", "pay"), model.Step{Answer: "Done."})
		p.take(allHooks)
		p.start()
		if r := p.goOn(); r.Output != "Done." {
			t.Fatalf("%s %q", r.Status, r.Output)
		}
		all := told()
		if got := which(all); !slices.Equal(got, []string{"on_start", "on_tool_call", "on_tool_call", "on_complete"}) {
			t.Fatalf("told %v", got)
		}
		if all[0].Get("input").Text() != "Book number 1." || all[0].Get("run_id").Text() != runID || all[0].Get("agent_id").Text() != agentID ||
			all[2].Get("tool").Text() != "pay" || all[2].Get("arguments").Type() != canon.TypeObject || all[3].Get("output").Text() != "Done." {
			t.Errorf("told %v", all)
		}
	})
	t.Run("AAIF-4-20 the hook of an error", func(t *testing.T) {
		t.Parallel()
		p, told := hooked(t, registered, asks("look"))
		p.take(allHooks, `"orchestration":{"max_iterations":1}`)
		p.start()
		p.goOn()
		all := told()
		if got := which(all); !slices.Equal(got, []string{"on_start", "on_tool_call", "on_error"}) {
			t.Fatalf("told %v", got)
		}
		if code, _ := all[2].At("/error/code"); code.Text() != string(aaif.MaxIterations) {
			t.Errorf("told %v", all[2])
		}
	})
	for name, command := range map[string]string{"by its exit code": "exit 3", "in JSON": `echo '{"deny":"not on Sundays"}'`, "as it cannot be run": "kill -9 $$"} {
		t.Run("AAIF-4-20 a call that its hook denies is not made, "+name, func(t *testing.T) {
			t.Parallel()
			p, told := hooked(t, map[string]string{"calls": command}, asks("pay"), model.Step{Expect: run.HookDenied, Answer: "I may not."})
			p.take(allHooks)
			p.start()
			if r := p.goOn(); r.Output != "I may not." || p.tools.Counts()["pay"].Calls != 0 {
				t.Errorf("%s %q, %v", r.Status, r.Output, p.tools.Counts())
			}
			if got := which(told()); !slices.Equal(got, []string{"on_tool_call"}) {
				t.Errorf("told %v", got)
			}
			if asked := p.model.Requests(); name == "in JSON" && !strings.Contains(string(asked[1].Body.Append(nil)), "not on Sundays") {
				t.Errorf("the model reads %s", asked[1].Body.Append(nil))
			}
		})
	}
	t.Run("AAIF-4-20 a hook that fails elsewhere stops nothing", func(t *testing.T) {
		t.Parallel()
		p, _ := hooked(t, map[string]string{"begins": "exit 1", "ends": "exit 1"}, model.Step{Answer: "Done."})
		p.take(allHooks)
		p.start()
		if r := p.goOn(); r.Output != "Done." {
			t.Errorf("%s %q", r.Status, r.Output)
		}
		events, err := p.Events(p.Ctx, p.Me(), runID, 0)
		var codes []string
		for _, e := range events {
			if strings.HasPrefix(e.Code, "hook.") && e.Step != "" {
				codes = append(codes, e.Code+" "+e.Step)
			}
		}
		want := []string{"hook.asked on_start", "hook.failed on_start", "hook.asked on_complete", "hook.failed on_complete"}
		if err != nil || !slices.Equal(codes, want) {
			t.Errorf("%v, %v", codes, err)
		}
	})
	t.Run("AAIF-4-20 a hook that answered is not asked again after a crash", func(t *testing.T) {
		t.Parallel()
		p, told := hooked(t, registered, asks("book"), model.Step{Answer: "Done."})
		p.take(allHooks)
		p.tools.SetFault("book", faketool.Fault{Kind: faketool.HangBefore})
		p.start()
		ctx, crash := context.WithCancel(p.Ctx)
		done := make(chan error, 1)
		go func() {
			_, err := p.Continue(ctx, p.Me(), runID, run.ContinueOptions{})
			done <- err
		}()
		for began := time.Now(); p.tools.Counts()["book"].Calls == 0; time.Sleep(5 * time.Millisecond) {
			if time.Since(began) > 20*time.Second {
				t.Fatal("the tool is not called")
			}
		}
		crash() // what was under way is not written down
		<-done
		p.tools.SetFault("book", faketool.Fault{Kind: faketool.AnswerAlways, Answer: `{}`})
		p.Host = host.New(p.options)
		if r := p.goOn(); r.Output != "Done." {
			t.Fatalf("%s %q", r.Status, r.Output)
		}
		if got := which(told()); !slices.Equal(got, []string{"on_start", "on_tool_call", "on_complete"}) || p.tools.Counts()["book"].Calls != 2 {
			t.Errorf("told %v, %v", got, p.tools.Counts())
		}
	})
}

func TestHooksUnresolved(t *testing.T) {
	t.Parallel()
	p, told := hooked(t, map[string]string{"ends": "exit 0"}, model.Step{Answer: "Done."})
	t.Run("AAIF-4-21 at standard, a hook that is not registered is off, and that is reported", func(t *testing.T) {
		p.take(allHooks)
		p.start()
		if r := p.goOn(); r.Output != "Done." {
			t.Fatalf("%s %q", r.Status, r.Output)
		}
		if got := which(told()); !slices.Equal(got, []string{"on_complete"}) {
			t.Errorf("told %v", got)
		}
		events, _ := p.Events(p.Ctx, p.Me(), runID, 0)
		all := ""
		for _, e := range events {
			all += e.Code + " " + e.Text + "\n"
		}
		if !strings.Contains(all, "begins") || strings.Contains(all, `no hook "ends"`) {
			t.Errorf("reported %s", all)
		}
	})
	t.Run("AAIF-4-21 at strict, no run starts", func(t *testing.T) {
		p.define(`{"provider":"openai","preferred":"m"}`, "", `"events":{"on_complete":"nope"}`, `"compliance":{"safety_level":"strict"}`)
		if code := p.refused(canon.String("x")); code != aaif.HookUnresolved {
			t.Errorf("%s", code)
		}
	})
}
