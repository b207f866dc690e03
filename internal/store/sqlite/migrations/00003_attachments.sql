-- +goose Up
ALTER TABLE owners ADD COLUMN attached INTEGER NOT NULL DEFAULT 0;

CREATE TABLE attachments (
	doc    INTEGER PRIMARY KEY,
	owner  INTEGER NOT NULL,
	space  TEXT    NOT NULL,
	key    TEXT    NOT NULL,
	source INTEGER,
	target INTEGER,
	import INTEGER,
	data   BLOB,
	seal   BLOB    NOT NULL
);
CREATE UNIQUE INDEX attachments_key ON attachments (owner, space, key);
CREATE INDEX attachments_space ON attachments (owner, space, doc);
CREATE INDEX attachments_source ON attachments (owner, source, space, doc) WHERE source IS NOT NULL;
CREATE INDEX attachments_target ON attachments (owner, target, space, doc) WHERE target IS NOT NULL;
CREATE INDEX attachments_import ON attachments (owner, import, space, doc) WHERE import IS NOT NULL;

PRAGMA user_version = 3;
