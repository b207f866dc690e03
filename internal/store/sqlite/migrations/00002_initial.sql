-- +goose Up
CREATE TABLE owners (
	owner     INTEGER PRIMARY KEY,
	did       TEXT    NOT NULL UNIQUE,
	numbered  INTEGER NOT NULL,
	imported  INTEGER NOT NULL,
	sequence  INTEGER NOT NULL,
	began     INTEGER NOT NULL,
	entries   INTEGER NOT NULL,
	hashes    INTEGER NOT NULL,
	documents INTEGER NOT NULL,
	length    INTEGER NOT NULL,
	records   INTEGER NOT NULL,
	bytes     INTEGER NOT NULL,
	erased    INTEGER NOT NULL,
	cleaned   INTEGER NOT NULL,
	added     INTEGER NOT NULL,
	quota_records INTEGER NOT NULL,
	quota_bytes   INTEGER NOT NULL,
	revoked   BLOB    NOT NULL,
	moved     TEXT    NOT NULL,
	label     TEXT    NOT NULL,
	account   BLOB,
	total     BLOB    NOT NULL,
	secret    BLOB    NOT NULL,
	seal      BLOB    NOT NULL
);
CREATE INDEX owners_owed ON owners (owner) WHERE erased > cleaned;

CREATE TABLE records (
	doc        INTEGER PRIMARY KEY,
	owner      INTEGER NOT NULL,
	id         TEXT    NOT NULL,
	kind       TEXT    NOT NULL,
	status     TEXT    NOT NULL,
	visibility TEXT    NOT NULL,
	project    TEXT    NOT NULL,
	user       TEXT    NOT NULL,
	agent      TEXT    NOT NULL,
	session    TEXT    NOT NULL,
	created    INTEGER NOT NULL,
	valid_from INTEGER NOT NULL,
	valid_to   INTEGER,
	expires    INTEGER,
	duplicate  TEXT,
	lineage    TEXT,
	import     INTEGER,
	length     INTEGER NOT NULL,
	tokeniser  INTEGER NOT NULL,
	origin     BLOB,
	current    BLOB,
	words      BLOB,
	seal       BLOB    NOT NULL
);
CREATE UNIQUE INDEX records_id ON records (owner, id);
CREATE INDEX records_created ON records (owner, created, doc, status);
CREATE INDEX records_kind ON records (owner, kind, created, doc, status);
CREATE INDEX records_project ON records (owner, project, kind, created, doc, status);
CREATE INDEX records_duplicate ON records (owner, duplicate) WHERE duplicate IS NOT NULL;
CREATE INDEX records_lineage ON records (owner, lineage) WHERE lineage <> '';
CREATE INDEX records_import ON records (owner, import, created, doc) WHERE import IS NOT NULL;
CREATE INDEX records_expires ON records (owner, expires) WHERE expires IS NOT NULL;

CREATE TABLE staged (
	owner  INTEGER NOT NULL,
	first  INTEGER NOT NULL,
	last   INTEGER NOT NULL,
	import INTEGER NOT NULL,
	rows   INTEGER NOT NULL,
	seal   BLOB    NOT NULL,
	PRIMARY KEY (owner, first)
) WITHOUT ROWID;

CREATE TABLE postings (
	owner     INTEGER NOT NULL,
	term      TEXT    NOT NULL,
	block     INTEGER NOT NULL,
	documents INTEGER NOT NULL,
	entries   BLOB,
	PRIMARY KEY (owner, term, block)
) WITHOUT ROWID;

CREATE TABLE relations (
	owner  INTEGER NOT NULL,
	target TEXT    NOT NULL,
	doc    INTEGER NOT NULL,
	seal   BLOB    NOT NULL,
	PRIMARY KEY (owner, target, doc)
) WITHOUT ROWID;
CREATE INDEX relations_doc ON relations (owner, doc);

CREATE TABLE aliases (
	owner INTEGER NOT NULL,
	space TEXT    NOT NULL,
	alias TEXT    NOT NULL,
	doc   INTEGER NOT NULL,
	seal  BLOB    NOT NULL,
	PRIMARY KEY (owner, space, alias)
) WITHOUT ROWID;
CREATE INDEX aliases_doc ON aliases (owner, doc);

CREATE TABLE project_aliases (
	owner   INTEGER NOT NULL,
	alias   TEXT    NOT NULL,
	project TEXT    NOT NULL,
	seal    BLOB    NOT NULL,
	PRIMARY KEY (owner, alias)
) WITHOUT ROWID;

CREATE TABLE changes (
	owner    INTEGER NOT NULL,
	sequence INTEGER NOT NULL,
	at       INTEGER NOT NULL,
	type     TEXT    NOT NULL,
	id       TEXT    NOT NULL,
	import   INTEGER NOT NULL,
	first    INTEGER NOT NULL,
	last     INTEGER NOT NULL,
	mark     TEXT    NOT NULL,
	seal     BLOB    NOT NULL,
	PRIMARY KEY (owner, sequence)
) WITHOUT ROWID;

CREATE TABLE receipts (
	owner   INTEGER NOT NULL,
	key     TEXT    NOT NULL,
	request TEXT    NOT NULL,
	answer  BLOB,
	at      INTEGER NOT NULL,
	seal    BLOB    NOT NULL,
	PRIMARY KEY (owner, key)
) WITHOUT ROWID;
CREATE INDEX receipts_at ON receipts (owner, at);

CREATE TABLE imports (
	doc     INTEGER PRIMARY KEY,
	digest  TEXT    NOT NULL,
	format  TEXT    NOT NULL,
	name    TEXT    NOT NULL,
	at      INTEGER NOT NULL,
	state   TEXT    NOT NULL,
	lease   INTEGER NOT NULL,
	created INTEGER NOT NULL,
	merged  INTEGER NOT NULL,
	residue BLOB,
	seal    BLOB    NOT NULL
);

CREATE TABLE lessons (
	doc          INTEGER PRIMARY KEY,
	followed     INTEGER NOT NULL,
	overridden   INTEGER NOT NULL,
	ignored      INTEGER NOT NULL,
	contradicted INTEGER NOT NULL,
	at           INTEGER NOT NULL,
	seal         BLOB    NOT NULL
);

CREATE TABLE grants (
	owner   INTEGER NOT NULL,
	id      TEXT    NOT NULL,
	claims  BLOB,
	name    TEXT    NOT NULL,
	issued  INTEGER NOT NULL,
	expires INTEGER,
	revoked INTEGER,
	seal    BLOB    NOT NULL,
	PRIMARY KEY (owner, id)
) WITHOUT ROWID;

CREATE TABLE audit (
	owner INTEGER NOT NULL,
	place INTEGER NOT NULL,
	entry BLOB    NOT NULL,
	seal  BLOB    NOT NULL,
	PRIMARY KEY (owner, place)
) WITHOUT ROWID;

CREATE TABLE audit_hashes (
	owner INTEGER NOT NULL,
	place INTEGER NOT NULL,
	hash  BLOB    NOT NULL,
	seal  BLOB    NOT NULL,
	PRIMARY KEY (owner, place)
) WITHOUT ROWID;

CREATE TABLE audit_heads (
	owner INTEGER PRIMARY KEY,
	head  BLOB    NOT NULL,
	seal  BLOB    NOT NULL
);

CREATE TABLE arrivals (
	owner       INTEGER PRIMARY KEY,
	did         TEXT    NOT NULL UNIQUE,
	state       TEXT    NOT NULL,
	said        BLOB    NOT NULL,
	settled_as  BLOB,
	owed        INTEGER NOT NULL,
	reached     TEXT    NOT NULL,
	reached_key BLOB
);

PRAGMA application_id = 1398031176;
PRAGMA user_version = 2;
