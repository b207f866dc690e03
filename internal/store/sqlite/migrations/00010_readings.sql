-- +goose Up
CREATE TABLE readings (
	owner    INTEGER NOT NULL,
	at       INTEGER NOT NULL,
	nonce    INTEGER NOT NULL,
	way      TEXT    NOT NULL,
	host     TEXT    NOT NULL,
	project  TEXT    NOT NULL,
	token    TEXT    NOT NULL,
	times    INTEGER NOT NULL,
	given    INTEGER NOT NULL,
	docs     TEXT    NOT NULL,
	question TEXT    NOT NULL,
	seal     BLOB    NOT NULL,
	PRIMARY KEY (owner, at, nonce)
) WITHOUT ROWID;

PRAGMA user_version = 10;
