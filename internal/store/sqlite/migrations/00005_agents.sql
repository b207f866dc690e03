-- +goose Up
CREATE TABLE agents (
	owner    INTEGER NOT NULL,
	id       TEXT    NOT NULL,
	revision INTEGER NOT NULL,
	digest   TEXT    NOT NULL,
	came     TEXT    NOT NULL,
	version  TEXT    NOT NULL,
	name     TEXT    NOT NULL,
	status   TEXT    NOT NULL,
	signer   TEXT    NOT NULL,
	received INTEGER NOT NULL,
	document BLOB    NOT NULL,
	seal     BLOB    NOT NULL,
	PRIMARY KEY (owner, id, revision)
);
CREATE INDEX agents_came ON agents (owner, came, id, revision);

CREATE TABLE states (
	owner      INTEGER NOT NULL,
	id         TEXT    NOT NULL,
	agent      TEXT    NOT NULL,
	run        TEXT    NOT NULL,
	status     TEXT    NOT NULL,
	source     TEXT    NOT NULL,
	checkpoint INTEGER NOT NULL,
	received   INTEGER NOT NULL,
	document   BLOB    NOT NULL,
	seal       BLOB    NOT NULL,
	PRIMARY KEY (owner, id)
);
CREATE INDEX states_checkpoint ON states (owner, checkpoint, id);
CREATE INDEX states_agent ON states (owner, agent, checkpoint, id);

CREATE TABLE spent (
	owner  INTEGER NOT NULL,
	issuer TEXT    NOT NULL,
	jti    TEXT    NOT NULL,
	until  INTEGER NOT NULL,
	seal   BLOB    NOT NULL,
	PRIMARY KEY (owner, issuer, jti)
) WITHOUT ROWID;
CREATE INDEX spent_until ON spent (owner, until);

PRAGMA user_version = 5;
