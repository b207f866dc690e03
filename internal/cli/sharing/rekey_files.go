package sharing

import (
	"encoding/json"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/cli"
)

func writeJournal(h cli.Home, j cli.RekeyJournal) error {
	data, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(h.Journal(), 0o600, append(data, '\n'))
}
