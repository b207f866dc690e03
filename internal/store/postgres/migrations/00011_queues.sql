-- +goose NO TRANSACTION
-- +goose Up
-- Plan: adds columns to runs of agents
ALTER TABLE runs
	ADD COLUMN IF NOT EXISTS queue bytea NOT NULL DEFAULT '',
	ADD COLUMN IF NOT EXISTS slots bigint NOT NULL DEFAULT 0;

CREATE INDEX IF NOT EXISTS runs_held ON runs (owner, by_agent, until) WHERE holder <> '';

ALTER TABLE runs ALTER COLUMN queue SET STATISTICS 0;

UPDATE schema_version SET version = 11, compatible = 5;
