-- +goose Up
CREATE TABLE runs (
	owner    INTEGER NOT NULL,
	id       TEXT    NOT NULL,
	agent    TEXT    NOT NULL,
	revision INTEGER NOT NULL,
	status   TEXT    NOT NULL,
	fence    INTEGER NOT NULL,
	holder   TEXT    NOT NULL,
	until    INTEGER NOT NULL,
	wake     INTEGER NOT NULL,
	lineage  TEXT    NOT NULL,
	sealed   INTEGER NOT NULL,
	events   INTEGER NOT NULL,
	began    INTEGER NOT NULL,
	changed  INTEGER NOT NULL,
	due      INTEGER,
	seal     BLOB    NOT NULL,
	PRIMARY KEY (owner, id)
) WITHOUT ROWID;
CREATE INDEX runs_began ON runs (owner, began, id);
CREATE INDEX runs_agent ON runs (owner, agent, began, id);
CREATE INDEX runs_due ON runs (owner, lineage, due, id) WHERE due IS NOT NULL;

CREATE TABLE run_events (
	owner    INTEGER NOT NULL,
	run      TEXT    NOT NULL,
	number   INTEGER NOT NULL,
	at       INTEGER NOT NULL,
	document BLOB    NOT NULL,
	seal     BLOB    NOT NULL,
	PRIMARY KEY (owner, run, number)
);

CREATE TABLE lineage (
	one    INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
	marker BLOB    NOT NULL CHECK (octet_length(marker) = 16)
);
INSERT INTO lineage (one, marker) VALUES (1, randomblob(16));

PRAGMA user_version = 11;
