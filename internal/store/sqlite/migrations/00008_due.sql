-- +goose Up
CREATE TABLE due (
	owner INTEGER NOT NULL,
	work  TEXT    NOT NULL,
	at    INTEGER NOT NULL,
	PRIMARY KEY (owner, work)
) WITHOUT ROWID;
CREATE INDEX due_at ON due (work, at, owner);
CREATE INDEX owners_label ON owners (label) WHERE label <> '';

INSERT INTO due (owner, work, at)
SELECT owner, work, 0 FROM owners CROSS JOIN (SELECT 'sweep' AS work UNION ALL SELECT 'tidy' UNION ALL SELECT 'tell' UNION ALL SELECT 'index');

PRAGMA user_version = 8;
