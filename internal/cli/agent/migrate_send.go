package agent

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
	"github.com/satchel-memory/satchel/internal/cli/documents"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// addMemories adds the owner's chosen memories to the checkpoint's snapshot, through the
// gate for data that leaves (AAIF-8.1-13).
func (m *migration) addMemories(state canon.Value) (canon.Value, error) {
	if len(m.cmd.Memory) == 0 {
		return state, nil
	}
	q := vault.ExportQuery{ToPeer: true}
	for _, arg := range m.cmd.Memory {
		id, err := m.opened.FindID(m.app.Ctx, arg)
		if err != nil {
			return state, err
		}
		q.IDs = append(q.IDs, id)
	}
	var records []memory.Record
	if _, err := m.opened.Export(m.app.Ctx, m.opened.Caller(), q, func(r memory.Record) error {
		records = append(records, r)
		return nil
	}); err != nil {
		return state, err
	}
	read := aaif.ReadState(state)
	items, lost := aaif.Snapshot(slices.Values(records), aaif.SnapshotOptions{Now: m.app.Now(), AgentID: read.AgentID})
	m.memory = len(items)
	m.tellMemoryLosses(lost)
	read.Memory = append(read.Memory, items...)
	out := read.Document()
	if out.Get("provenance").Has("checksum") {
		out = aaif.WithChecksum(out)
	}
	return out, nil
}

// tellMemoryLosses says which memories stay behind, and in one line what a snapshot
// cannot hold of the others.
func (m *migration) tellMemoryLosses(lost []codec.Loss) {
	var whole []codec.Loss
	var places []string
	for _, l := range lost {
		if l.Pointer == "" {
			whole = append(whole, l)
		} else if !slices.Contains(places, l.Pointer) {
			places = append(places, l.Pointer)
		}
	}
	documents.TellLost(m.app, whole)
	if len(places) > 0 {
		m.app.Warn("of %s not all goes along: a checkpoint has no place for %s", cli.Plural(m.memory, "memory", "memories"), cli.Clean(strings.Join(places, ", ")))
	}
}

// send writes the checkpoint to a file, or sends it.
func (m *migration) send() error {
	a, c := m.app, m.cmd
	if c.To == "" {
		if err := agentdoc.Put(a, agentdoc.Placement{Path: c.Output, OverFlags: c.OverFlags}, m.state); err != nil {
			return err
		}
		return m.tell(aaif.KeptState{})
	}
	if c.Stream {
		if err := m.client.Handoff(m.sendContext(), m.address, m.state); err != nil {
			m.noteUnsent(err)
			return m.tellRefusal(err)
		}
		return m.noteArrival(aaif.KeptState{})
	}
	l, err := m.client.PushState(m.sendContext(), m.address, m.state)
	if err != nil {
		m.noteUnsent(err)
		return m.tellRefusal(err)
	}
	return m.noteArrival(l)
}

// noteArrival records that the platform has the checkpoint, and the name of the platform.
func (m *migration) noteArrival(l aaif.KeptState) error {
	if m.to == m.opened.CurrentProducer().Name {
		m.noteDeparture(aaif.Departure{}) // it came back
	} else {
		m.noteDeparture(aaif.Departure{For: m.to, To: m.address})
	}
	if err := RememberPlatform(m.opened.Home, m.origin, m.to); err != nil {
		m.app.Warn("what the platform is called is not remembered: %v", err)
	}
	return m.tell(l)
}

// tell reports what left, what was left out, and the receiver's answer.
func (m *migration) tell(l aaif.KeptState) error {
	a, c := m.app, m.cmd
	id := m.state.Get("state_id").Text()
	if a.JSON && !cli.IsStdout(c.Output) || a.JSON && c.To != "" {
		out := redactionOut(m.done)
		out["state_id"], out["audience"], out["token_expires_at"], out["memories"] = id, m.to, agentTime(m.expires), m.memory
		out["checksum"] = m.state.Get("provenance").Get("checksum").Text()
		if c.To == "" {
			out["file"] = c.Output
			return a.Emit(out)
		}
		out["to"], out["arrived"], out["warnings"] = m.address, true, append([]string{}, l.Warnings...)
		return a.Emit(out)
	}
	tellRedaction(a, m.original, m.done, m.policy)
	if m.memory > 0 {
		a.Say("%s went along", cli.Plural(m.memory, "memory", "memories"))
	}
	if c.To == "" {
		a.Say("checkpoint %s is written for %s, which has to take it in by %s; whoever has the file until then can go on with the run there", cli.OneLine(id, 80), cli.OneLine(m.to, 80), cli.Local(m.expires))
		return nil
	}
	for _, line := range l.Warnings {
		a.Warn("%s: %s", cli.OneLine(m.to, 80), cli.Clean(line))
	}
	a.Print("%s has checkpoint %s", cli.OneLine(m.to, 80), cli.OneLine(id, 80))
	a.Say("do not go on with the run here")
	return nil
}

// tellRefusal says why a platform refused a checkpoint, by its code, and what to do.
func (m *migration) tellRefusal(err error) error {
	a, c := m.app, m.cmd
	if errors.Is(err, http.ErrSchemeMismatch) {
		return cli.Refusedf("%s does not speak TLS, and a checkpoint leaves over nothing else [AAIF-12-11]; a satchel does with serve --tls-cert and --tls-key", cli.Clean(c.To))
	}
	refusal, ok := errors.AsType[*aaifhttp.Refusal](err)
	if !ok {
		if code := aaif.CodeOf(err); code != "" {
			return agentdoc.Refused(a, err, c.State+" does not leave")
		}
		return (&cli.Server{URL: c.To}).WithAdvice(fmt.Errorf("send the checkpoint: %w", err))
	}
	if strings.HasPrefix(string(refusal.Code), "HTTP_") && (refusal.Status == http.StatusNotFound || refusal.Status == http.StatusMethodNotAllowed) {
		return cli.Refusedf("there is nothing of a platform at %s (%d): --to takes its address alone, such as https://agents.example, or where exactly it takes checkpoints", cli.Clean(m.asked), refusal.Status)
	}
	for _, f := range refusal.Faults {
		a.Warn("%s  %s [%s]", aaif.CodeOf(f), cli.Clean(f.Path), cli.Clean(f.Rule))
	}
	return cli.Refusedf("%s: the platform refuses it (%d): %s%s", refusal.Code, refusal.Status, cli.Clean(refusal.Message), toDo(refusal))
}

// toDo says what helps against a platform's refusal.
func toDo(refusal *aaifhttp.Refusal) string {
	switch refusal.Code {
	case aaif.AgentUnknown:
		return "; have the definition of its agent taken in there first"
	case aaif.TokenInvalid:
		if len(refusal.Faults) > 0 && !isUnknownKey(refusal.Faults) {
			return "; whose it is is not what is wrong: clocks that differ may be, or what the platform asks of tokens beyond that"
		}
		return "; its owner has to trust your key first: satchel trust add there, with the producer and its key that satchel keys show says here"
	case aaif.TokenReplayed:
		return "; if an earlier answer got lost, the checkpoint is there: ask the platform before the run goes on anywhere"
	case aaif.TokenAudience:
		return "; name the platform as it calls itself with --audience"
	case aaif.PrincipalMismatch:
		return "; say with --principal whose run it is: of a satchel the DID of its owner, which satchel keys show says there"
	}
	return ""
}
