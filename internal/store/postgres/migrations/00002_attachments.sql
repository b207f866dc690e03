-- +goose Up
-- Plan: makes the tables of attachments and their indexes
ALTER TABLE owners ADD COLUMN attached bigint NOT NULL DEFAULT 0;

CREATE TABLE attachments (
	owner    uuid   NOT NULL,
	doc      bigint NOT NULL,
	space    bytea  NOT NULL,
	key      bytea  NOT NULL,
	source   bigint,
	target   bigint,
	import   bigint,
	data     bytea,
	seal     bytea  NOT NULL,
	by_space bytea  NOT NULL GENERATED ALWAYS AS (CASE WHEN octet_length(space) < 256 THEN space
		ELSE substring(space FROM 1 FOR 224) || sha256(space) END) STORED,
	by_name  bytea  NOT NULL GENERATED ALWAYS AS (sha256(sha256(space) || key)) STORED,
	PRIMARY KEY (owner, doc)
);

CREATE UNIQUE INDEX attachments_name ON attachments (owner, by_name);

CREATE INDEX attachments_space ON attachments (owner, by_space, doc);

CREATE INDEX attachments_source ON attachments (owner, source, by_space, doc) WHERE source IS NOT NULL;

CREATE INDEX attachments_target ON attachments (owner, target, by_space, doc) WHERE target IS NOT NULL;

CREATE INDEX attachments_import ON attachments (owner, import, by_space, doc) WHERE import IS NOT NULL;

ALTER TABLE attachments
	ALTER COLUMN space SET STATISTICS 0,
	ALTER COLUMN key SET STATISTICS 0,
	ALTER COLUMN data SET STATISTICS 0,
	ALTER COLUMN by_space SET STATISTICS 0,
	ALTER COLUMN by_name SET STATISTICS 0;

UPDATE schema_version SET version = 2, compatible = 2;
