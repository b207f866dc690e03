package host_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/embed"
	"github.com/satchel-memory/satchel/internal/embed/embedtest"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/vault/meaning"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// TestStricterSubagents lets agents protect personal data that work for, or after, agents that
// do not.
func TestStricterSubagents(t *testing.T) {
	t.Parallel()
	const secret = "bob@example.com"
	with := func(word string) string { return `"compliance":{"pii_handling":"` + word + `"}` }
	teams := map[string]func(word string) *crew{
		"a subagent": func(word string) *crew { return pair(t, nil, []string{with("none")}, []string{with(word)}) },
		"a target": func(word string) *crew {
			c := gather(t, nil)
			c.agent("a", with(word))
			c.agent("lead", orchestration(`"handoff":[{"condition":{"lang":"always"},"target_agent":"`+idOf("a")+`"}]`), with("none"))
			return c
		},
	}
	for name, of := range teams {
		t.Run("AAIF-4.3-26 "+name+" that has personal data replaced reads none", func(t *testing.T) {
			c := of("anonymize")
			c.all = map[string]voice{"lead": text("Mail " + secret + ".")}
			r := c.runs(canon.String("mail " + secret))
			for _, h := range c.of("a") {
				if strings.Contains(fmt.Sprint(h.q.Messages), secret) {
					t.Errorf("it reads %v", h.q.Messages)
				}
			}
			if len(c.of("a")) != 1 || r.Status != aaif.Completed {
				t.Errorf("got %s %+v, asked %v", r.Status, r.Err, c.who())
			}
		})
		t.Run("AAIF-4.3-26 "+name+" that refuses personal data is not asked", func(t *testing.T) {
			c := of("reject")
			r := c.runs(canon.String("mail " + secret))
			if len(c.of("a")) != 0 || r.Err == nil || r.Err.Code != string(aaif.PIIRejected) {
				t.Errorf("got %s %+v, asked %v", r.Status, r.Err, c.who())
			}
		})
		t.Run("AAIF-12-10 "+name+" that wants it sealed has its part sealed", func(t *testing.T) {
			c := of("encrypt")
			c.all = map[string]voice{"a": text("Mail " + secret + ".")}
			if r := c.runs(canon.String("mail him")); !strings.Contains(r.Output, secret) || c.holds(secret) {
				t.Errorf("got %s %q, in plain: %v", r.Status, r.Output, c.holds(secret))
			}
		})
	}
}

// elsewhere records what agents on other platforms are given.
type elsewhere struct{ got []string }

func (e *elsewhere) Ask(_ context.Context, _, _, message string) (tool.Result, error) {
	e.got = append(e.got, message)
	return tool.Result{Text: "Done."}, nil
}

func TestAgentsElsewhere(t *testing.T) {
	t.Parallel()
	const card = "https://peer.example/card"
	const secret = "bob@example.com"
	leads := func(t *testing.T, regions []string, lead ...string) (*crew, *elsewhere) {
		c, e := gather(t, nil), new(elsewhere)
		c.set(func(s *host.Settings) { s.Tools.Agents = []tool.Elsewhere{{Card: card, Regions: regions}} })
		c.options.Models, c.options.Remote = c.voices, e
		c.Host = host.New(c.options)
		team := orchestration(`"role":"orchestrator"`, `"subagents":[{"ref":"`+card+`","alias":"far"}]`, `"pipeline":["far"]`)
		c.agent("a", append([]string{team}, lead...)...)
		c.agent("lead", orchestration(`"role":"orchestrator"`, subs("a"), `"pipeline":["a"]`))
		return c, e
	}
	t.Run("AAIF-4.3-26 an agent elsewhere is given no personal data that a leader has replaced", func(t *testing.T) {
		c, e := leads(t, nil, `"compliance":{"pii_handling":"anonymize"}`)
		if r := c.runs(canon.String("mail " + secret)); r.Output != "Done." || len(e.got) != 1 || strings.Contains(e.got[0], secret) {
			t.Errorf("got %s %+v, it is told %q", r.Status, r.Err, e.got)
		}
	})
	for _, one := range []struct {
		regions []string
		is      string
		goes    bool
	}{{nil, "EU", false}, {[]string{"US"}, "EU", false}, {[]string{"EU"}, "EU", true}, {nil, "global", true}} {
		t.Run(fmt.Sprintf("AAIF-4.9-6 an agent elsewhere in %v for data that stays in %s", one.regions, one.is), func(t *testing.T) {
			c, e := leads(t, one.regions, `"compliance":{"data_residency":"`+one.is+`"}`)
			_, err := c.Host.Start(c.Ctx, c.Me(), host.Start{RunID: runID, Agent: agentID, Input: canon.String("x")})
			if (err == nil) != one.goes {
				t.Fatalf("got %v", err)
			}
			if one.goes {
				c.goOn()
			}
			if (len(e.got) == 1) != one.goes {
				t.Errorf("it is told %q", e.got)
			}
		})
	}
}

// TestCrowds: a definition cannot have more agents work than the bounds allow, nor two under one name.
func TestCrowds(t *testing.T) {
	t.Parallel()
	t.Run("AAIF-4.3-25 a swarm that is larger than the bounds", func(t *testing.T) {
		c := gather(t, nil)
		c.agent("a")
		var all []string
		for i := range 104 {
			all = append(all, fmt.Sprintf(`{"ref":"%s","alias":"a%d"}`, idOf("a"), i))
		}
		c.agent("lead", orchestration(`"role":"orchestrator"`, `"parallel_execution":true`, `"subagents":[`+strings.Join(all, ",")+`]`))
		r := c.runs(canon.String("x"))
		if n := len(c.of("a")); n > 100 {
			t.Errorf("%d agents work, %s", n, r.Status)
		}
	})
	for name, list := range map[string]string{
		"the same ref twice":                 `{"ref":"%[1]s"},{"ref":"%[1]s"}`,
		"an alias that is another one's ref": `{"ref":"%[2]s","alias":"%[1]s"},{"ref":"%[1]s"}`,
		"an alias like a step's number":      `{"ref":"%[1]s","alias":"x"},{"ref":"%[1]s","alias":"x~2"}`,
		"an alias with a slash":              `{"ref":"%[1]s","alias":"x"},{"ref":"%[1]s","alias":"x/y"}`,
		"an alias with a colon":              `{"ref":"%[1]s","alias":"x"},{"ref":"%[1]s","alias":":own"}`,
	} {
		t.Run("AAIF-4.3-3 "+name, func(t *testing.T) {
			c := gather(t, nil)
			c.agent("a")
			c.agent("b")
			raw := `"subagents":[` + fmt.Sprintf(list, idOf("a"), idOf("b")) + `]`
			c.agent("lead", orchestration(`"role":"orchestrator"`, `"parallel_execution":true`, raw))
			if r := c.runs(canon.String("x")); r.Status != aaif.Completed || len(r.Threads) != 3 {
				t.Errorf("got %s %+v\n%s", r.Status, r.Err, graph(r))
			}
		})
	}
}

// TestHandedOnAndOn: agents that hand the work to each other, and never have a turn.
func TestHandedOnAndOn(t *testing.T) {
	t.Run("AAIF-4.3-24 leaders whose subagents are all passed over", func(t *testing.T) {
		c := gather(t, nil)
		c.agent("b")
		team := func(to string) string {
			return orchestration(`"role":"orchestrator"`, subs(`b|"when":{"lang":"never"}`), `"pipeline":["b"]`, `"handoff":[{"condition":{"lang":"always"},"target_agent":"`+idOf(to)+`"}]`)
		}
		c.agent("a", team("lead"))
		c.agent("lead", team("a"))
		c.set(func(s *host.Settings) { s.Limits.Active = 2 * time.Second })
		c.options.Models = c.voices
		c.Host = host.New(c.options)
		if r := c.runs(canon.String("x")); r.Err == nil || r.Err.Code != string(aaif.MaxIterations) || len(r.Agents) > 11 {
			t.Errorf("got %s %+v, %d agents", r.Status, r.Err, len(r.Agents))
		}
	})
}

// TestRevisions: a subagent is a later revision of the agent that it works for.
func TestRevisions(t *testing.T) {
	t.Run("AAIF-4.3-26 the rules of the earlier revision hold", func(t *testing.T) {
		c := gather(t, map[string]voice{"lead": calling("Paid.", "pay")})
		team := orchestration(`"role":"orchestrator"`, `"subagents":[{"ref":"`+idOf("lead")+`","alias":"a"}]`, `"pipeline":["a"]`)
		c.agent("lead", team, `"compliance":{"human_in_the_loop":{"enabled":true}}`)
		c.agent("lead", "tools:pay")
		if _, err := c.Host.Start(c.Ctx, c.Me(), host.Start{RunID: runID, Agent: agentID, Revision: 1, Input: canon.String("x")}); err != nil {
			t.Fatal(err)
		}
		if _, call := asking(t, c.goOn()); call.Tool != "pay" || c.tools.Counts()["pay"].Calls != 0 {
			t.Errorf("%+v, %+v", call, c.tools.Counts())
		}
	})
}

// TestEmbeddingsOfTeams: the data of a leader stays in the EU, whatever the definition of its
// subagent says of its own.
func TestEmbeddingsOfTeams(t *testing.T) {
	t.Run("AAIF-4.9-6 a server of embeddings elsewhere gets nothing of a subagent", func(t *testing.T) {
		h := vaulttest.Open(t)
		vectors := embedtest.New(t)
		h.Means(meaning.Options{Patience: time.Minute, Dial: func(_ memory.DID, s meaning.Settings) (meaning.Embedder, error) {
			return embed.NewClient(vectors.URL, s.Model, embedtest.Key, s.Dim)
		}})
		if _, err := meaning.Of(h.Vault).Use(h.Ctx, h.Me(), meaning.Settings{URL: "https://vectors.example/v1", Model: "m"}); err != nil {
			t.Fatal(err)
		}
		before := len(vectors.Texts())
		c := gatherIn(t, h, &voices{ended: map[string]bool{}, all: map[string]voice{"a": func(_ context.Context, _ string, q model.Request) (model.Answer, error) {
			if len(q.Messages) > 1 {
				return model.Answer{Text: "Done."}, nil
			}
			args, err := canon.Parse([]byte(`{"scope":"user","key":"pet","content":"She keeps a poodle."}`), canon.Options{})
			return model.Answer{Calls: []aaif.Call{{ID: "c", Tool: "satchel_memory_write", Arguments: args}}}, err
		}}})
		c.agent("a", `"memory":[{"scope":"user","content":"","retrieval_strategy":"similarity"}]`)
		c.agent("lead", orchestration(`"role":"orchestrator"`, subs("a"), `"pipeline":["a"]`), `"compliance":{"data_residency":"EU"}`)
		r := c.runs(canon.String("x"))
		if r.Output != "Done." || len(vectors.Texts()) > before || !strings.Contains(c.of("a")[1].last, "RESIDENCY_UNSATISFIED") {
			t.Errorf("got %s %+v, the server got %q", r.Status, r.Err, vectors.Texts()[before:])
		}
	})
}
