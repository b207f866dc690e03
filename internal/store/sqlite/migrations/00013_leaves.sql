-- +goose Up
-- Postings are written in leaves from now on, which an earlier release cannot read. Blocks of
-- such a release are brought into leaves in the background.
INSERT INTO due (owner, work, at) SELECT owner, 'index', 0 FROM owners WHERE true ON CONFLICT (owner, work) DO UPDATE SET at = 0;

PRAGMA user_version = 13;
