-- +goose Up
CREATE INDEX changes_erased ON changes (owner, first) WHERE type IN ('erased', 'hushed');

PRAGMA user_version = 7;
