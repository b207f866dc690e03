package ump

import (
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Forms returns the functions with which the packages of other formats read and write
// UMP records.
func Forms() codec.Forms { return forms{} }

type forms struct{}

// Author is [Author] without a key.
func (forms) Author(r memory.Record) (memory.Record, error) { return Author(r, nil) }

// AuthorVersions is [AuthorVersions].
func (forms) AuthorVersions(drafts []memory.Record) ([]memory.Record, error) {
	return AuthorVersions(drafts)
}

// Decode is [Decode] with default limits.
func (forms) Decode(form []byte) (memory.Record, error) { return Decode(form, codec.Options{}) }

// Verify is [Verify].
func (forms) Verify(form []byte) error { return Verify(form) }

// Expiry is [Expiry].
func (forms) Expiry(r memory.Record) (time.Time, bool) { return Expiry(r) }
