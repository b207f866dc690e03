package main

// welcome is what satchel alone says where there is no store yet.
func (a *app) welcome() {
	a.page(`Satchel keeps what your assistants should remember, in a folder of yours.
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

// isNew reports whether there is no store where commands look for one.
func (a *app) isNew() bool {
	h, err := a.home()
	return err == nil && !h.remote() && !exists(h.config())
}
