package postgres

import (
	"regexp"
	"testing"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/storetest"
	"github.com/satchel-memory/satchel/memory"
)

func TestTampered(t *testing.T) {
	racing.Skip(t)
	storetest.Tampered(t, func(t testing.TB) storetest.Files {
		url := made(t)
		return storetest.Files{
			Open: func(t testing.TB, secret func(memory.DID) []byte) store.Store { return openSealed(t, url, secret) },
			Change: func(t testing.TB, statement string) {
				execute(t, url, regexp.MustCompile(`\bx'([0-9a-f]*)'`).ReplaceAllString(statement, `'\x$1'`))
			},
		}
	})
}
