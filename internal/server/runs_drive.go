package server

import (
	"context"
	"fmt"
	"sync"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/metric"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/memory"
)

// runner executes the runs of the server's owner.
type runner struct {
	stop func()        // begins no more actions
	cut  func()        // breaks those off that are under way
	done chan struct{} // closed after the last one
}

// startRunner executes runs until it is stopped; of a server that runs no agents it does
// nothing.
func (s *server) startRunner() *runner {
	ctx, cut := context.WithCancel(context.Background())
	r := &runner{stop: s.endWaits, cut: cut, done: make(chan struct{})}
	o := s.options
	if o.Runs.Host == nil {
		close(r.done)
		return r
	}
	owner := memory.Caller{Owner: o.Owner, Role: memory.Owner}
	var both sync.WaitGroup
	both.Go(func() { host.NewStarter(o.Runs.Host).NewWatcher(owner).Run(ctx, s.ending.Done()) })
	both.Go(func() { o.Runs.Host.Drive(ctx, owner, o.Runs.Most, s.ending.Done()) })
	go func() {
		defer close(r.done)
		both.Wait()
	}()
	return r
}

// end waits until the actions under way have ended, and breaks off those that have not when
// patience ends. Other servers can then go on with the runs.
func (r *runner) end(patience context.Context) error {
	r.stop()
	defer r.cut()
	select {
	case <-r.done:
		return nil
	case <-patience.Done():
	}
	r.cut()
	<-r.done
	return fmt.Errorf("server: calls of models or tools were cut off that did not end in time")
}

// runFamilies returns what is measured of runs.
func (o Options) runFamilies() []metric.Family {
	if o.Runs.Host == nil {
		return nil
	}
	now, ended := o.Runs.Host.Executing()
	all := metric.Family{Name: "satchel_agent_runs_ended_total", Kind: metric.Counter, Help: "Runs of agents that ended on this server, by their status."}
	for _, status := range []aaif.RunStatus{aaif.Completed, aaif.Failed} {
		all.Add(float64(ended[status]), "status", string(status))
	}
	return append([]metric.Family{metric.Single("satchel_agent_runs_executing", metric.Gauge, "Runs of agents that this server executes.", float64(now)), all}, o.Runs.Host.Measured()...)
}

// problemText says what a sender may know of an error: its code.
func problemText(err error) string {
	if code := aaif.CodeOf(withCode(err)); code != "" {
		return string(code)
	}
	return string(memory.KindOf(err))
}
