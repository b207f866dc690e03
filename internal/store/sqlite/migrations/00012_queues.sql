-- +goose Up
ALTER TABLE runs ADD COLUMN queue TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN slots INTEGER NOT NULL DEFAULT 0;
CREATE INDEX runs_held ON runs (owner, agent, until) WHERE holder <> '';

PRAGMA user_version = 12;
