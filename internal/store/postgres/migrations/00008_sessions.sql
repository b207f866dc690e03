-- +goose NO TRANSACTION
-- +goose Up
-- Plan: makes the table of browsers that were let in
CREATE TABLE IF NOT EXISTS sessions (
	owner  uuid             NOT NULL,
	digest text COLLATE "C" NOT NULL,
	use    text COLLATE "C" NOT NULL,
	code   text COLLATE "C" NOT NULL,
	made   bigint           NOT NULL,
	seen   bigint           NOT NULL,
	ends   bigint           NOT NULL,
	label  bytea            NOT NULL,
	seal   bytea            NOT NULL,
	PRIMARY KEY (owner, digest)
) WITH (fillfactor = 50);

ALTER TABLE sessions
	ALTER COLUMN digest SET STATISTICS 0,
	ALTER COLUMN use SET STATISTICS 0,
	ALTER COLUMN code SET STATISTICS 0,
	ALTER COLUMN label SET STATISTICS 0;

UPDATE schema_version SET version = 8, compatible = 5;
