package memories

import (
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/ump"
)

// knownPatch returns a patch as its author means it. It refuses a patch that adds a
// member which UMP does not name, and says how to add one all the same.
func knownPatch(patch []byte) ([]byte, error) {
	meant, err := ump.AsPatch(patch)
	if e, ok := errors.AsType[*codec.ParseError](err); ok && e.Rule == "UMP-2-27" {
		return nil, cli.Refusedf("%s %s (--force adds it all the same, for programs that know it)", cli.OneLine(strings.TrimPrefix(e.Path, "/"), 60), e.Err)
	}
	return meant, err
}
