-- +goose Up
CREATE TABLE sessions (
	owner  INTEGER NOT NULL,
	digest TEXT    NOT NULL,
	use    TEXT    NOT NULL,
	code   TEXT    NOT NULL,
	made   INTEGER NOT NULL,
	seen   INTEGER NOT NULL,
	ends   INTEGER NOT NULL,
	label  TEXT    NOT NULL,
	seal   BLOB    NOT NULL,
	PRIMARY KEY (owner, digest)
) WITHOUT ROWID;

PRAGMA user_version = 9;
