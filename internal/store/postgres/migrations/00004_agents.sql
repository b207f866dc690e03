-- +goose Up
-- Plan: makes the tables of agents and checkpoints
CREATE TABLE agents (
	owner    uuid             NOT NULL,
	id       bytea            NOT NULL,
	revision bigint           NOT NULL,
	digest   text COLLATE "C" NOT NULL,
	came     text COLLATE "C" NOT NULL,
	version  bytea            NOT NULL,
	name     bytea            NOT NULL,
	status   bytea            NOT NULL,
	signer   bytea            NOT NULL,
	received bigint           NOT NULL,
	document bytea            NOT NULL,
	seal     bytea            NOT NULL,
	by_id    bytea            NOT NULL GENERATED ALWAYS AS (CASE WHEN octet_length(id) < 256 THEN id
		ELSE substring(id FROM 1 FOR 224) || sha256(id) END) STORED,
	PRIMARY KEY (owner, by_id, revision)
);

CREATE INDEX agents_came ON agents (owner, came, by_id, revision);

CREATE TABLE states (
	owner      uuid   NOT NULL,
	id         bytea  NOT NULL,
	agent      bytea  NOT NULL,
	run        bytea  NOT NULL,
	status     bytea  NOT NULL,
	source     bytea  NOT NULL,
	checkpoint bigint NOT NULL,
	received   bigint NOT NULL,
	document   bytea  NOT NULL,
	seal       bytea  NOT NULL,
	by_id      bytea  NOT NULL GENERATED ALWAYS AS (CASE WHEN octet_length(id) < 256 THEN id
		ELSE substring(id FROM 1 FOR 224) || sha256(id) END) STORED,
	by_agent   bytea  NOT NULL GENERATED ALWAYS AS (CASE WHEN octet_length(agent) < 256 THEN agent
		ELSE substring(agent FROM 1 FOR 224) || sha256(agent) END) STORED,
	PRIMARY KEY (owner, by_id)
);

CREATE INDEX states_checkpoint ON states (owner, checkpoint, by_id);

CREATE INDEX states_agent ON states (owner, by_agent, checkpoint, by_id);

CREATE TABLE spent (
	owner     uuid   NOT NULL,
	issuer    bytea  NOT NULL,
	jti       bytea  NOT NULL,
	until     bigint NOT NULL,
	seal      bytea  NOT NULL,
	by_issuer bytea  NOT NULL GENERATED ALWAYS AS (CASE WHEN octet_length(issuer) < 256 THEN issuer
		ELSE substring(issuer FROM 1 FOR 224) || sha256(issuer) END) STORED,
	by_jti    bytea  NOT NULL GENERATED ALWAYS AS (CASE WHEN octet_length(jti) < 256 THEN jti
		ELSE substring(jti FROM 1 FOR 224) || sha256(jti) END) STORED,
	PRIMARY KEY (owner, by_issuer, by_jti)
);

CREATE INDEX spent_until ON spent (owner, until);

ALTER TABLE agents
	ALTER COLUMN id SET STATISTICS 0,
	ALTER COLUMN digest SET STATISTICS 0,
	ALTER COLUMN came SET STATISTICS 0,
	ALTER COLUMN version SET STATISTICS 0,
	ALTER COLUMN name SET STATISTICS 0,
	ALTER COLUMN status SET STATISTICS 0,
	ALTER COLUMN signer SET STATISTICS 0,
	ALTER COLUMN document SET STATISTICS 0,
	ALTER COLUMN by_id SET STATISTICS 0;

ALTER TABLE states
	ALTER COLUMN id SET STATISTICS 0,
	ALTER COLUMN agent SET STATISTICS 0,
	ALTER COLUMN run SET STATISTICS 0,
	ALTER COLUMN status SET STATISTICS 0,
	ALTER COLUMN source SET STATISTICS 0,
	ALTER COLUMN document SET STATISTICS 0,
	ALTER COLUMN by_id SET STATISTICS 0,
	ALTER COLUMN by_agent SET STATISTICS 0;

ALTER TABLE spent
	ALTER COLUMN issuer SET STATISTICS 0,
	ALTER COLUMN jti SET STATISTICS 0,
	ALTER COLUMN by_issuer SET STATISTICS 0,
	ALTER COLUMN by_jti SET STATISTICS 0;

UPDATE schema_version SET version = 4, compatible = 4;
