package telemetry

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/sdk/resource"
	metricpb "go.opentelemetry.io/proto/otlp/metrics/v1"

	"github.com/satchel-memory/satchel/internal/metric"
)

// metricLoop exports the values of metrics from time to time.
type metricLoop struct {
	poster *poster
	about  *resource.Resource
	began  time.Time
	stop   chan struct{}
	done   chan struct{} // closed after the last regular export
	once   sync.Once

	mu     sync.Mutex
	gather func(context.Context) []metric.Family // nil: nobody measures
}

func newMetricLoop(life context.Context, p *poster, every time.Duration, about *resource.Resource) *metricLoop {
	l := &metricLoop{poster: p, about: about, began: time.Now(), stop: make(chan struct{}), done: make(chan struct{})}
	go l.run(life, every)
	return l
}

// Measure makes the exporter export what gather returns, instead of what it exported before.
// Every so often gather is called, and a last time by Close.
func (e *Exporter) Measure(gather func(context.Context) []metric.Family) {
	if e == nil || e.metrics == nil {
		return
	}
	e.metrics.mu.Lock()
	defer e.metrics.mu.Unlock()
	e.metrics.gather = gather
}

func (l *metricLoop) run(life context.Context, every time.Duration) {
	defer close(l.done)
	tick := time.NewTicker(every)
	defer tick.Stop()
	ctx, cancel := context.WithCancel(life)
	defer cancel()
	go func() { // the last export need not wait for one under way
		select {
		case <-l.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	for {
		select {
		case <-tick.C:
			l.export(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// end exports the values once more, and stops.
func (l *metricLoop) end(ctx context.Context) {
	l.once.Do(func() { close(l.stop) })
	<-l.done
	l.export(ctx)
}

// gatherTimeout is how long measuring may take.
const gatherTimeout = 2 * time.Second

func (l *metricLoop) export(ctx context.Context) {
	l.mu.Lock()
	gather := l.gather
	l.mu.Unlock()
	if gather == nil {
		return
	}
	measuring, cancel := context.WithTimeout(ctx, gatherTimeout)
	defer cancel()
	families := gather(measuring)
	if len(families) == 0 || ctx.Err() != nil {
		return
	}
	// MetricsData has the same bytes as the request of OTLP, see UploadTraces.
	_ = l.poster.post(ctx, &metricpb.MetricsData{ResourceMetrics: []*metricpb.ResourceMetrics{ // the log has the error
		resourceMetrics(l.about, families, l.began, time.Now())}})
}
