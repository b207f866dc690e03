package main

import (
	"github.com/satchel-memory/satchel/internal/cli"
)

// welcome is the output of satchel alone before there is a store.
func welcome(a *cli.App) {
	a.Page(`Satchel keeps what your assistants should remember, in a folder of yours.
There is no memory here yet.

Begin:
  satchel init                      make your memory and its key
  satchel connect claude-code       let an assistant use it; satchel connect lists the others
  satchel remember "I drink tea"    tell it something, and ask with: satchel recall "what do I drink?"

Bring what you have:
  satchel import export.zip         an export of ChatGPT, Claude or another memory

satchel --help lists the commands.
`)
}

// isNew reports whether commands find no store.
func isNew(a *cli.App) bool {
	h, err := a.Home()
	return err == nil && !h.InDatabase() && !cli.Exists(h.Config())
}
