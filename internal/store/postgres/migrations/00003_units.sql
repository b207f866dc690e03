-- +goose Up
-- Plan: adds a column to imports
ALTER TABLE imports ADD COLUMN units bigint NOT NULL DEFAULT 0;

UPDATE schema_version SET version = 3, compatible = 3;
