package operate

import (
	"github.com/satchel-memory/satchel/internal/cli"
)

// is reports whether a store that is named somewhere is this one.
func is(h cli.Home, at string) bool {
	if h.InDatabase() {
		return cli.WithoutPassword(at) == h.Name()
	}
	return at == h.Dir
}
