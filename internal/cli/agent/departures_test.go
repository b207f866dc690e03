package agent

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/cli"
)

// TestDeparturesAtOnce: of programs that send one checkpoint at once, one does.
func TestDeparturesAtOnce(t *testing.T) {
	h := cli.Home{Dir: t.TempDir()}
	at := time.Date(2026, 6, 4, 10, 0, 0, 0, time.UTC)
	errs := make([]error, 20)
	var wait sync.WaitGroup
	for i := range errs {
		wait.Go(func() { errs[i] = rememberDeparture(h, "s", aaif.Departure{}, aaif.Departure{For: "there", At: at}) })
		wait.Go(func() {
			if err := rememberDeparture(h, fmt.Sprint("other ", i), aaif.Departure{}, aaif.Departure{For: "elsewhere", At: at}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	sent := 0
	for _, err := range errs {
		if err == nil {
			sent++
		} else if !errors.Is(err, errLeaving) {
			t.Error(err)
		}
	}
	known, err := readDepartures(h)
	if sent != 1 || err != nil || len(known) != len(errs)+1 {
		t.Errorf("%d were sent, %d are known, %v", sent, len(known), err)
	}
	if err := rememberDeparture(h, "s", known["s"], aaif.Departure{}); err != nil {
		t.Error(err)
	}
	if known, err := readDepartures(h); err != nil || !known["s"].At.IsZero() {
		t.Errorf("it is still there: %v, %v", known, err)
	}
}
