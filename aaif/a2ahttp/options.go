package a2ahttp

import (
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/internal/httpkit"
)

// Options of a [Handler]. The zero Options lets nobody in.
type Options struct {
	httpkit.BaseOptions

	MaxBody   int64         // bytes of a request; 0: 1 MiB
	Patience  time.Duration // for a piece of a request; 0: 30 s
	Heartbeat time.Duration // between signs of life on a stream; 0: 15 s
	Wait      time.Duration // the longest that a request waits for the end of a task; 0: 5 min
	// Slots takes a place for a request that waits or streams; nil: there are always some.
	Slots func(*http.Request) (leave func(), ok bool)
}

// The defaults.
const (
	usualBody = 1 << 20
	usualBeat = 15 * time.Second
	usualWait = 5 * time.Minute
)

func (o Options) filled() Options {
	o.BaseOptions = httpkit.Filled(o.BaseOptions)
	if o.MaxBody <= 0 {
		o.MaxBody = usualBody
	}
	if o.Patience <= 0 {
		o.Patience = httpkit.Patience
	}
	if o.Heartbeat <= 0 {
		o.Heartbeat = usualBeat
	}
	if o.Wait <= 0 {
		o.Wait = usualWait
	}
	if o.Slots == nil {
		o.Slots = func(*http.Request) (func(), bool) { return func() {}, true }
	}
	return o
}
