-- +goose Up
ALTER TABLE imports ADD COLUMN units INTEGER NOT NULL DEFAULT 0;

PRAGMA user_version = 4;
