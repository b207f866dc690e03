-- +goose NO TRANSACTION
-- +goose Up
-- Plan: makes the table of what assistants were given
CREATE TABLE IF NOT EXISTS readings (
	owner    uuid             NOT NULL,
	at       bigint           NOT NULL,
	nonce    bigint           NOT NULL,
	way      text COLLATE "C" NOT NULL,
	host     bytea            NOT NULL,
	project  bytea            NOT NULL,
	token    bytea            NOT NULL,
	times    bigint           NOT NULL,
	given    bigint           NOT NULL,
	docs     text COLLATE "C" NOT NULL,
	question bytea            NOT NULL,
	seal     bytea            NOT NULL,
	PRIMARY KEY (owner, at, nonce)
) WITH (fillfactor = 50);

ALTER TABLE readings
	ALTER COLUMN way SET STATISTICS 0,
	ALTER COLUMN host SET STATISTICS 0,
	ALTER COLUMN project SET STATISTICS 0,
	ALTER COLUMN token SET STATISTICS 0,
	ALTER COLUMN docs SET STATISTICS 0,
	ALTER COLUMN question SET STATISTICS 0;

UPDATE schema_version SET version = 9, compatible = 5;
