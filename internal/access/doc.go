// Package access says who may use a file: its owner alone, or others too. On Unix that is the
// file's mode, on Windows its access control list. An administrator gets everywhere.
package access
