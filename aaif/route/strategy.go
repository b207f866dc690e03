package route

import (
	"cmp"
	"slices"
)

// order sorts routes by a strategy, best first. Equal routes stay as declared, and so do
// unknown ones, which come last (AAIF-4.2-13).
func (o Operator) order(routes []Route, r Request, observed map[Target]Health) []Route {
	var rank func(Route) (float64, bool) // lower is better
	switch r.Strategy {
	case Cost:
		rank = func(c Route) (float64, bool) { return o.model(c.Target).Price() }
	case Latency:
		rank = func(c Route) (float64, bool) {
			p50, known := observed[c.Target].P50()
			return p50.Seconds(), known
		}
	case Quality:
		rank = func(c Route) (float64, bool) {
			q := o.model(c.Target).Quality
			if q == nil {
				return 0, false
			}
			return -*q, true
		}
	case RoundRobin:
		return rotate(routes, r.Turn)
	default:
		return routes
	}
	slices.SortStableFunc(routes, func(a, b Route) int {
		x, known := rank(a)
		y, also := rank(b)
		if known != also {
			if known {
				return -1
			}
			return 1
		}
		return cmp.Compare(x, y)
	})
	return routes
}

// rotate begins with another route in every turn.
func rotate(routes []Route, turn int) []Route {
	if len(routes) == 0 {
		return routes
	}
	at := (turn%len(routes) + len(routes)) % len(routes)
	return slices.Concat(routes[at:], routes[:at])
}
