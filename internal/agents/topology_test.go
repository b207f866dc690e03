package agents_test

import (
	"testing"

	"github.com/satchel-memory/satchel/aaif"
)

// TestIntakeOfTopologies: what no schema refuses and nobody could run is not taken in.
func TestIntakeOfTopologies(t *testing.T) {
	t.Run("AAIF-4.3-5 a pipeline of nobody", func(t *testing.T) {
		open(t).refuses(definition(`"orchestration":{"pipeline":["ghost"]}`), aaif.PipelineUnresolved)
	})
	t.Run("AAIF-4.3-12 the best of several, and nobody to judge", func(t *testing.T) {
		open(t).refuses(definition(`"orchestration":{"consensus":{"strategy":"best_of_n"}}`), aaif.ConsensusConfig)
	})
	t.Run("AAIF-4.3-13 a referee that nobody is", func(t *testing.T) {
		open(t).refuses(definition(`"orchestration":{"consensus":{"strategy":"referee"}}`), aaif.ConsensusConfig)
	})
}
