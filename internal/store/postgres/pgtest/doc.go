// Package pgtest starts a PostgreSQL for tests: on a free port of the loopback
// address, as a user who is not root, with its data in a temporary folder. It
// needs the programs initdb and postgres of any version from 15 on, in the PATH
// or where Debian puts them.
//
// A package whose tests use [Database] says so once:
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
package pgtest
