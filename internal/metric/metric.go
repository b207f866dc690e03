// Package metric holds counts, amounts and durations in a form of its own. The code that
// measures does not depend on how an operator sees the values: Prometheus' text or OTLP.
package metric

// Kind says how the values of a family behave.
type Kind string

// The kinds of families, by their names in Prometheus' text format.
const (
	Counter Kind = "counter"   // rises until the program ends
	Gauge   Kind = "gauge"     // rises and falls
	Timing  Kind = "histogram" // of durations, in seconds unless the name says otherwise
)

// Family is a metric with the present values of all its series. No name, label or text
// comes from a memory, an owner or a client.
type Family struct {
	Name    string // in lower case with underscores
	Kind    Kind
	Help    string
	Samples []Sample
}

// Sample is the present value of one series.
type Sample struct {
	Labels    []string   // names and values in turn
	Value     float64    // of a counter or gauge
	Durations *Durations // of a timing
}

// Single returns a family of one series without labels.
func Single(name string, kind Kind, help string, value float64) Family {
	return Family{name, kind, help, []Sample{{Value: value}}}
}

// Add adds a value with labels, names and values in turn.
func (f *Family) Add(value float64, labels ...string) {
	f.Samples = append(f.Samples, Sample{Labels: labels, Value: value})
}

// AddDurations adds the durations of a histogram with labels, names and values in turn.
func (f *Family) AddDurations(h *Histogram, labels ...string) {
	f.Samples = append(f.Samples, Sample{Labels: labels, Durations: h.read()})
}

// AddMillis is AddDurations with values in milliseconds, for names that end in _ms.
func (f *Family) AddMillis(h *Histogram, labels ...string) {
	d := h.read()
	for i := range d.Bounds {
		d.Bounds[i] *= 1000
	}
	d.Sum *= 1000
	f.Samples = append(f.Samples, Sample{Labels: labels, Durations: d})
}
