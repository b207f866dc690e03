-- +goose NO TRANSACTION
-- +goose Up
-- Plan: makes the tables of runs of agents
CREATE TABLE IF NOT EXISTS runs (
	owner    uuid             NOT NULL,
	id       bytea            NOT NULL,
	agent    bytea            NOT NULL,
	revision bigint           NOT NULL,
	status   bytea            NOT NULL,
	fence    bigint           NOT NULL,
	holder   bytea            NOT NULL,
	until    bigint           NOT NULL,
	wake     bigint           NOT NULL,
	lineage  text COLLATE "C" NOT NULL,
	sealed   bigint           NOT NULL,
	events   bigint           NOT NULL,
	began    bigint           NOT NULL,
	changed  bigint           NOT NULL,
	due      bigint,
	seal     bytea            NOT NULL,
	by_id    bytea            NOT NULL GENERATED ALWAYS AS (CASE WHEN octet_length(id) < 256 THEN id
		ELSE substring(id FROM 1 FOR 224) || sha256(id) END) STORED,
	by_agent bytea            NOT NULL GENERATED ALWAYS AS (CASE WHEN octet_length(agent) < 256 THEN agent
		ELSE substring(agent FROM 1 FOR 224) || sha256(agent) END) STORED,
	PRIMARY KEY (owner, by_id)
) WITH (fillfactor = 50);

CREATE INDEX IF NOT EXISTS runs_began ON runs (owner, began, by_id);

CREATE INDEX IF NOT EXISTS runs_agent ON runs (owner, by_agent, began, by_id);

CREATE INDEX IF NOT EXISTS runs_due ON runs (owner, lineage, due, by_id) WHERE due IS NOT NULL;

CREATE TABLE IF NOT EXISTS run_events (
	owner    uuid   NOT NULL,
	run      bytea  NOT NULL,
	number   bigint NOT NULL,
	at       bigint NOT NULL,
	document bytea  NOT NULL,
	seal     bytea  NOT NULL,
	by_run   bytea  NOT NULL GENERATED ALWAYS AS (CASE WHEN octet_length(run) < 256 THEN run
		ELSE substring(run FROM 1 FOR 224) || sha256(run) END) STORED,
	PRIMARY KEY (owner, by_run, number)
);

ALTER TABLE runs
	ALTER COLUMN id SET STATISTICS 0,
	ALTER COLUMN agent SET STATISTICS 0,
	ALTER COLUMN status SET STATISTICS 0,
	ALTER COLUMN holder SET STATISTICS 0,
	ALTER COLUMN lineage SET STATISTICS 0,
	ALTER COLUMN by_id SET STATISTICS 0,
	ALTER COLUMN by_agent SET STATISTICS 0;

ALTER TABLE run_events
	ALTER COLUMN run SET STATISTICS 0,
	ALTER COLUMN document SET STATISTICS 0,
	ALTER COLUMN by_run SET STATISTICS 0;

ALTER TABLE schema_version ADD COLUMN IF NOT EXISTS lineage bytea;

ALTER TABLE schema_version ALTER COLUMN lineage SET STATISTICS 0;

UPDATE schema_version SET version = 10, compatible = 5;
