//go:build race

package racing

// Detector says that the race detector is at work.
const Detector = true
