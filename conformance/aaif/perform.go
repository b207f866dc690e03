package aaifsuite

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/conformance"
)

// Runner is the id of the agent that a run starts. It is the same in every run, so that an
// operator can grant it tools once.
const Runner = "5a7c0f5e-4006-4c4f-8e1d-aaf1c04f0a01"

// DefaultListen is where a run plays a model and tools unless Target.Listen says otherwise.
const DefaultListen = "127.0.0.1:18790"

// The tools of the agent. The operator is to grant the first two only.
const (
	bookTool   = "conformance_book"   // writes
	lookTool   = "conformance_look"   // reads, if the operator says so
	secretTool = "conformance_secret" // is not granted
)

const (
	startWait = 10 // seconds that a request waits for its run
	runTime   = 60 * time.Second
	pollTime  = 150 * time.Millisecond // at most
)

// newPoll returns what waits between two looks at a run, each time for longer.
func newPoll() func(context.Context) {
	pause := pollTime / 16
	return func(ctx context.Context) {
		conformance.Pause(ctx, pause)
		pause = min(2*pause, pollTime)
	}
}

// instructions begin every system prompt of the agent.
const instructions = "You book receipts. Book each one once, and say what you did."

// play is a run to start.
type play struct {
	props
	agent   string                        // its id; empty: Runner
	members map[string]string             // ids of agents that work with it, by the names of their models
	edit    func(canon.Value) canon.Value // of the definition; nil: none
	media   string                        // of the definition; empty: JSON
}

// performance is a run that was started, and what it did.
type performance struct {
	*scene
	id    string
	state canon.Value // of the run, as the platform shows it
	early bool        // it contacted model or tools before the agent was started
}

// shownCode is the most of a word of the platform that a message repeats.
const shownCode = 80

func (p performance) status() string { return codec.Shorten(p.state.Get("status").Text(), shownCode) }

func (p performance) failed() string {
	return codec.Shorten(p.state.Get("error").Get("code").Text(), shownCode)
}

// stage is a run that starts agents and plays their model and tools.
type stage struct{ *run }

// opens begins to play a model and tools, once per run.
func (r stage) opens() error {
	return r.playing.once(func() (err error) {
		if r.world, err = newWorld(r.ctx, cmp.Or(r.Listen, DefaultListen)); err != nil {
			return conformance.Lacks("a model and tools cannot be played: " + err.Error())
		}
		return nil
	})
}

// bookSchema is the parameters_schema of bookTool.
func bookSchema() canon.Value {
	number := text("type", "integer").With("minimum", canon.Int(1)).With("description", canon.String("The number of the receipt."))
	return text("type", "object").With("required", list("owner", "number")).With("additionalProperties", canon.Bool(false)).
		With("properties", canon.Object(
			canon.Member{Name: "owner", Value: text("type", "string")}, canon.Member{Name: "number", Value: number}, canon.Member{Name: "note", Value: text("type", "string")}))
}

// extended is passed on to the provider as it is.
func (r stage) extended() canon.Value {
	return text("of", r.nonce).With("list", canon.Array(canon.Number(0.5), canon.Bool(true), canon.Null()))
}

// runner returns the definition of the agent for a scene.
func (r stage) runner(scene string) canon.Value {
	tool := func(name, path string, schema canon.Value) canon.Value {
		return text("name", name, "description", "Does what "+name+" does.", "protocol", "http", "endpoint", r.world.base+toolPath+scene+"/"+name+path).With("parameters_schema", schema)
	}
	plain := text("type", "object").With("properties", canon.Object())
	v := set(at(r.definition(Runner), "minimal"), "/agent/instructions", canon.String(instructions))
	v = set(v, "/agent/model", text("provider", "custom", "provider_id", "conformance", "base_url", r.world.base+"/v1", "preferred", scene))
	v = set(v, "/agent/model/params/extended/x_conformance", r.extended())
	v = set(v, "/agent/runtime", text("retry_backoff", "fixed").With("streaming", canon.Bool(false)))
	return set(v, "/agent/tools", canon.Array(tool(bookTool, "/{owner}/{number}", bookSchema()), tool(lookTool, "", plain), tool(secretTool, "", plain)))
}

// keep takes the definition of a scene in.
func (r stage) keep(p play, scene string) (answer, error) {
	v := r.runner(scene)
	if p.agent != "" {
		v = v.With("agent_id", canon.String(p.agent))
	}
	if p.edit != nil {
		v = p.edit(v)
	}
	v = r.vouched(v)
	body := v.Append(nil)
	if p.media == aaif.CBORMediaType {
		var err error
		if body, err = aaif.ToCBOR(v); err != nil {
			return answer{}, err
		}
	}
	a := r.takeRaw(body, cmp.Or(p.media, jsonType))
	if a.taken() == nil {
		r.leaves("agent " + v.Get("agent_id").Text())
	}
	return a, nil
}

// newScene stages a play under a name of its own.
func (r stage) newScene(p play) (*scene, answer, error) {
	if err := r.opens(); err != nil {
		return nil, answer{}, err
	}
	r.serial++
	s := r.world.stage(r.nonce+"-"+strconv.Itoa(r.serial), p.props)
	for model, id := range p.members {
		if err := hired(r.take(r.member(id, s.name, model))); err != nil {
			return nil, answer{}, err
		}
		r.leaves("agent " + id)
	}
	a, err := r.keep(p, s.name)
	return s, a, err
}

// scene is newScene for an agent that the platform has to take in.
func (r stage) scene(p play) (*scene, error) {
	s, a, err := r.newScene(p)
	if err == nil {
		err = hired(a)
	}
	return s, err
}

// leaves lists an item on the platform, once.
func (r stage) leaves(item string) {
	if !slices.Contains(r.left, item) {
		r.left = append(r.left, item)
	}
}

// member returns the definition of an agent that works with the agent of a play.
func (r stage) member(id, scene, name string) canon.Value {
	v := set(at(r.definition(id), "minimal"), "/agent/model", text("provider", "custom", "provider_id", "conformance", "base_url", r.world.base+"/v1", "preferred", scene+"."+name))
	if name == merger {
		v = set(v, "/agent/orchestration/role", canon.String("synthesizer"))
	}
	return set(v, "/agent/runtime", canon.Object(canon.Member{Name: "streaming", Value: canon.Bool(false)}))
}

// hired returns nil if a definition was taken in.
func hired(a answer) error { return named("the definition of an agent with tools", a.taken()) }

// perform starts a run of the agent, and returns it once it has ended or waits for
// somebody.
func (r stage) perform(p play) (performance, error) {
	s, err := r.scene(p)
	if err != nil {
		return performance{}, err
	}
	early := len(s.requests())+len(s.calls("")) > 0
	done, err := r.follow(s, r.begin(p))
	done.early = early
	return done, err
}

// attempt is perform for an agent that the platform may refuse to take in or to start.
func (r stage) attempt(p play) (done performance, refused bool, err error) {
	s, a, err := r.newScene(p)
	if err == nil && a.taken() == nil {
		a = r.begin(p)
	}
	if err != nil || a.refused(0) == nil {
		return performance{scene: s}, err == nil, err
	}
	done, err = r.follow(s, a)
	return done, false, err
}

// begin asks the platform to run the agent of a play.
func (r stage) begin(p play) answer {
	body := text("input", "Book number 1.").Append(nil)
	return r.do(ask{method: http.MethodPost, path: r.intake + "/" + cmp.Or(p.agent, Runner) + "/runs?wait=" + strconv.Itoa(startWait), media: jsonType, body: body})
}

// follow waits for a run that an answer tells of.
func (r stage) follow(s *scene, a answer) (performance, error) {
	if err := a.taken(); err != nil {
		return performance{}, err
	}
	p := performance{scene: s, id: a.Value.Get("run_id").Text(), state: a.Value}
	if p.id == "" {
		return p, fmt.Errorf("%s answers without a run_id", a.Asked)
	}
	r.left = append(r.left, "run "+p.id)
	return p, r.awaits(&p)
}

// awaits waits until a run has ended or waits for somebody.
func (r stage) awaits(p *performance) error {
	for began, poll := r.Now(), newPoll(); ; poll(r.ctx) {
		if aaif.RunStatus(p.status()).Ended() || p.state.Get("waits").Len() > 0 || p.status() == string(aaif.Paused) {
			return nil
		}
		if r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		if r.Now().Sub(began) > runTime {
			return fmt.Errorf("the run is still %s after %s", p.status(), runTime)
		}
		a := r.get(r.Runs + "/" + url.PathEscape(p.id))
		if err := a.is(http.StatusOK); err != nil {
			return err
		}
		p.state = a.Value
	}
}

// settles does something to a run by HTTP, and waits for what follows.
func (r stage) settles(p *performance, v canon.Value) (answer, error) {
	a := r.do(ask{method: http.MethodPost, path: r.Runs + "/" + url.PathEscape(p.id) + "/approval", media: jsonType, body: v.Append(nil)})
	if a.taken() != nil {
		return a, nil
	}
	p.state = a.Value
	return a, r.awaits(p)
}

// runs starts the run that most rows look at, once. Its model asks for a call with invalid
// arguments, for a valid one, and for a tool that is not granted, and then it answers.
func (r stage) runs() error {
	return r.running.once(func() error {
		if a := r.get(r.Runs + "?limit=1"); a.Err == nil && a.is(http.StatusNotFound, http.StatusMethodNotAllowed) == nil {
			return conformance.NotOffered("to run agents")
		}
		if err := r.present(); err != nil {
			return blocked(err)
		}
		p, err := r.perform(play{props: props{script: []line{
			{calls: []canon.Value{want(bookTool, text("owner", "a/b", "number", "one"))}},
			{calls: []canon.Value{want(bookTool, booking())}},
			{calls: []canon.Value{want(secretTool, canon.Object())}},
			{text: "Number 1 is booked."},
		}}})
		if r.first = p; conformance.IsSkipped(err) {
			return err
		}
		asked := p.scene != nil && len(p.requests()) > 0
		switch {
		case !asked:
			r.allow = r.setup()
			return conformance.Lacks("the platform does not ask the model that the run plays at " + r.world.base + "/v1; its operator has to let it")
		case err != nil:
			return err
		case p.status() != string(aaif.Completed):
			return fmt.Errorf("a run whose model answers ends as %s %s", p.status(), p.failed())
		}
		return nil
	})
}

// booking returns the arguments of a valid call.
func booking() canon.Value {
	return text("owner", "a/b", "note", "The 1st.").With("number", canon.Int(1))
}

// tools is runs for rows that need a tool that the operator has granted.
func (r stage) tools() error {
	if err := r.runs(); err != nil {
		return err
	}
	if len(r.first.calls(bookTool)) > 0 || offered(r.first.requests()[0], bookTool).Type() == canon.TypeObject && !strings.Contains(strings.Join(r.first.results(), ""), "NOT_GRANTED") {
		return nil
	}
	r.allow = r.setup()
	return conformance.Lacks("the operator of the platform has not granted agent " + Runner + " the tool " + bookTool)
}

// offered returns what a request to the model says of a tool.
func offered(request canon.Value, tool string) canon.Value {
	for _, t := range request.Get("tools").Items() {
		if f := t.Get("function"); f.Get("name").Text() == tool {
			return f
		}
	}
	return canon.Value{}
}

// setup returns what the operator of a platform of this program has to write into its
// tables, so that the agent can run there.
func (r stage) setup() []string {
	host, err := url.Parse(r.world.base)
	if err != nil {
		return nil
	}
	grants := canon.Array(text("agent", Runner).With("tools", list(bookTool, lookTool)))
	binding := canon.Array(text("agent", Runner, "tool", lookTool, "method", http.MethodGet))
	tools := canon.Object(canon.Member{Name: "egress", Value: list(host.Hostname())}).With("grants", grants).With("tools", binding)
	provider := text("name", "conformance", "base_url", r.world.base+"/v1").With("regions", list("EU"))
	models := canon.Object(canon.Member{Name: "providers", Value: canon.Array(provider)})
	collectors := canon.Object(canon.Member{Name: "collectors", Value: canon.Array(canon.Object(canon.Member{Name: "hosts", Value: list(host.Hostname())}))})
	return []string{"run/models.json: " + string(models.Append(nil)), "run/tools.json: " + string(tools.Append(nil)), "run/telemetry.json: " + string(collectors.Append(nil))}
}
