-- +goose NO TRANSACTION
-- +goose Up
-- Plan: makes the list of work that waits, and indexes owners by label, beside what the servers write
-- Reads: owners
CREATE TABLE IF NOT EXISTS due (
	owner uuid             NOT NULL,
	work  text COLLATE "C" NOT NULL,
	at    bigint           NOT NULL,
	PRIMARY KEY (owner, work)
) WITH (fillfactor = 50);
CREATE INDEX IF NOT EXISTS due_at ON due (work, at, owner);
DROP INDEX CONCURRENTLY IF EXISTS owners_label;
CREATE INDEX CONCURRENTLY owners_label ON owners USING hash (label) WHERE label <> '';

INSERT INTO due (owner, work, at)
SELECT o.owner, w.work, 0 FROM owners AS o CROSS JOIN (VALUES ('sweep'), ('tidy'), ('tell'), ('index')) AS w (work)
ON CONFLICT (owner, work) DO NOTHING;

UPDATE schema_version SET version = 7, compatible = 5;
