package peer

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/memory"
)

// origin is who began a task, and with what.
type origin struct {
	By, Context, Message string
}

func (o origin) document() canon.Value {
	text := func(name, value string) canon.Member { return canon.Member{Name: name, Value: canon.String(value)} }
	return canon.Object(canon.Member{Name: "a2a", Value: canon.Object(text("by", o.By), text("context", o.Context), text("message", o.Message))})
}

// readOrigin reads an origin; the zero origin stands for those of others.
func readOrigin(v canon.Value) origin {
	of := v.Get("a2a")
	return origin{of.Get("by").Text(), of.Get("context").Text(), of.Get("message").Text()}
}

// idOf returns the UUID that belongs to texts: the same one for the same texts.
func idOf(what string, of ...string) string {
	return aaif.DerivedID("satchel a2a 1 " + what + "\x00" + strings.Join(of, "\x00"))
}

// Send begins a task with a message, and returns it as it stands. The ids of the task, and of
// a context that the message does not name, follow from the caller and the id of the message,
// so that a message that is sent again begins nothing. What the agent remembers of a user is of
// this caller, and what it remembers of a session is of this context of the caller.
func (s *Service) Send(ctx context.Context, c memory.Caller, agent string, o a2a.Order) (a2a.Task, error) {
	id, err := s.served(agent)
	if err != nil {
		return a2a.Task{}, err
	}
	if o.Message.Task != "" {
		return a2a.Task{}, s.more(ctx, c, id, o.Message)
	}
	input, err := inputOf(o.Message.Parts)
	if err != nil {
		return a2a.Task{}, err
	}
	from := origin{By: markOf(c), Context: o.Message.Context, Message: o.Message.ID}
	if from.Context == "" {
		from.Context = idOf("context", from.By, id, o.Message.ID)
	}
	run := idOf("task", from.By, id, o.Message.ID)
	start := host.Start{RunID: run, Agent: id, Input: input, Origin: from.document(), User: from.By, Session: idOf("session", from.By, from.Context)}
	if err := s.begin(ctx, c, start); err != nil {
		return a2a.Task{}, err
	}
	return s.Task(ctx, c, id, run)
}

// begin starts a run if the caller has room for it. Of one caller's messages one is looked at
// after another, so that many at once find no more room.
func (s *Service) begin(ctx context.Context, c memory.Caller, start host.Start) error {
	one := &s.beginning[sha256.Sum256([]byte(markOf(c)))[0]%places]
	one.Lock()
	defer one.Unlock()
	if err := s.hasRoom(ctx, c, start.Agent, start.RunID); err != nil {
		return err
	}
	if _, _, err := s.opt.Host.StartOnce(ctx, s.acting(c), start); err != nil {
		return refused(err)
	}
	return nil
}

// more refuses a further message to a task: an agent that waits does so for its owner.
func (s *Service) more(ctx context.Context, c memory.Caller, agent string, m a2a.Message) error {
	t, err := s.Task(ctx, c, agent, m.Task)
	switch {
	case err != nil:
		return err
	case m.Context != "" && m.Context != t.Context:
		return &a2a.Fault{Code: a2a.InvalidParams, Text: "message.contextId is not the context of the task"}
	case t.Status.State.Ended():
		return &a2a.Fault{Code: a2a.UnsupportedOperation, Text: "the task has ended: send the message without taskId"}
	case t.Status.State.Interrupted():
		return &a2a.Fault{Code: a2a.UnsupportedOperation, Text: "the task waits for the owner of the agent, and a message decides nothing"}
	}
	return &a2a.Fault{Code: a2a.UnsupportedOperation, Text: "the agent works on the task, and takes no further messages for it"}
}

// inputOf returns what a message asks an agent: its one value in JSON, or its texts, a line
// for each part.
func inputOf(parts []a2a.Part) (canon.Value, error) {
	var lines []string
	for _, p := range parts {
		switch {
		case p.Other != "":
			return canon.Value{}, &a2a.Fault{Code: a2a.ContentNotSupported, Text: "this agent takes text and JSON, and no files"}
		case p.Data.Type() == canon.TypeUndefined:
			lines = append(lines, p.Text)
		case len(parts) == 1:
			return p.Data, nil
		default:
			lines = append(lines, string(p.Data.Append(nil)))
		}
	}
	return canon.String(strings.Join(lines, "\n")), nil
}

// hasRoom refuses a caller who has too many tasks that have not ended. A message that is sent
// again needs no room.
func (s *Service) hasRoom(ctx context.Context, c memory.Caller, agent, run string) error {
	mine, err := s.mine(ctx, c, agent)
	if err != nil {
		return err
	}
	open := 0
	for _, row := range mine {
		if row.ID == run {
			return nil
		}
		if !aaif.RunStatus(row.Status).Ended() {
			open++
		}
	}
	if open >= s.opt.Open {
		return &memory.Error{Kind: memory.RateLimited, Message: fmt.Sprintf("%d of your tasks have not ended, which is the most; wait, or cancel one", open)}
	}
	return nil
}

// refused returns the refusal of a start as peers get it: its code, and no text about how the
// agent is set up.
func refused(err error) error {
	if errors.Is(err, host.ErrOther) {
		return &a2a.Fault{Code: a2a.InvalidParams, Text: "message.messageId was used for another message"}
	}
	switch code := aaif.CodeOf(err); code {
	case "":
		return err
	case aaif.InputSchemaViolation, aaif.PIIRejected:
		return &a2a.Fault{Code: a2a.InvalidParams, Text: "the agent does not take this message: " + string(code)}
	default:
		return &a2a.Fault{Code: a2a.InternalError, Text: "the agent cannot work now: " + string(code)}
	}
}
