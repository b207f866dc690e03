// Package project computes the name of the project that a folder belongs to. Every
// host computes the same name. The name goes into scope.project of records, which
// is hashed, so it must not depend on how the folder was cloned or by whom.
//
//	remote                                   -> name
//	https://user:key@GitHub.com:443/a/b.git  github.com/a/b
//	git@github.com:a/b.git                   github.com/a/b
//	ssh://git@host:2222/a/b/                 host/a/b
//	none, or a folder of this machine        the path of the work tree's root
//
// The package reads the configuration of the repository itself, without a git
// program. It reads neither the user's own configuration (insteadOf, includes) nor
// the names that ssh knows hosts by. If one project gets two names, an alias joins
// them.
package project
