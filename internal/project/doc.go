// Package project gives a folder the one name every host computes for the
// project it belongs to. The name goes into scope.project of records, where it
// is hashed, so it may not depend on how the folder was cloned or by whom.
//
//	remote                                   -> name
//	https://user:key@GitHub.com:443/a/b.git  github.com/a/b
//	git@github.com:a/b.git                   github.com/a/b
//	ssh://git@host:2222/a/b/                 host/a/b
//	none, or a folder of this machine        the path of the work tree's root
//
// The configuration of the repository itself is read, without a git program:
// not the person's own (insteadOf, includes) and not the names that ssh knows
// hosts by. Where two names arise for one project, an alias joins them.
package project
