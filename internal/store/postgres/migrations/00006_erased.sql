-- +goose NO TRANSACTION
-- +goose Up
-- Plan: indexes the changes that erased something, beside what the servers write
-- Reads: changes
DROP INDEX CONCURRENTLY IF EXISTS changes_erased;
CREATE INDEX CONCURRENTLY changes_erased ON changes (owner, first) WHERE type IN ('erased', 'hushed');

UPDATE schema_version SET version = 6, compatible = 5;
