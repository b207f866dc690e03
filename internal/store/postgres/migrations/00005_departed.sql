-- +goose Up
-- Plan: adds columns to checkpoints
ALTER TABLE states
	ADD COLUMN departed bigint NOT NULL DEFAULT 0,
	ADD COLUMN bound bytea NOT NULL DEFAULT '',
	ADD COLUMN address bytea NOT NULL DEFAULT '';

ALTER TABLE states
	ALTER COLUMN bound SET STATISTICS 0,
	ALTER COLUMN address SET STATISTICS 0;

UPDATE schema_version SET version = 5, compatible = 5;
