-- +goose Up
CREATE INDEX changes_erased ON changes (owner, first) WHERE type IN ('erased', 'hushed');

UPDATE schema_version SET version = 6, compatible = 6;
