-- +goose Up
-- Plan: makes the tables

-- An index holds no more than 2,700 bytes of a row. Where a string that may be
-- longer has to be found by, a column named by_… stands for it, see short.
CREATE TABLE owners (
	owner         uuid   NOT NULL,
	enrolled      bigint NOT NULL,
	did           bytea  NOT NULL,
	numbered      bigint NOT NULL,
	imported      bigint NOT NULL,
	sequence      bigint NOT NULL,
	began         bigint NOT NULL,
	entries       bigint NOT NULL,
	hashes        bigint NOT NULL,
	documents     bigint NOT NULL,
	length        bigint NOT NULL,
	records       bigint NOT NULL,
	bytes         bigint NOT NULL,
	erased        bigint NOT NULL,
	cleaned       bigint NOT NULL,
	added         bigint NOT NULL,
	quota_records bigint NOT NULL,
	quota_bytes   bigint NOT NULL,
	revoked       bytea  NOT NULL,
	moved         bytea  NOT NULL,
	label         bytea  NOT NULL,
	account       bytea,
	total         bytea  NOT NULL,
	secret        bytea  NOT NULL,
	seal          bytea  NOT NULL,
	PRIMARY KEY (owner)
) WITH (fillfactor = 50);

CREATE INDEX owners_owed ON owners (owner) WHERE erased > cleaned;

CREATE TABLE records (
	owner      uuid             NOT NULL,
	doc        bigint           NOT NULL,
	id         bytea            NOT NULL,
	kind       text COLLATE "C" NOT NULL,
	status     text COLLATE "C" NOT NULL,
	visibility text COLLATE "C" NOT NULL,
	project    bytea            NOT NULL,
	"user"     bytea            NOT NULL,
	agent      bytea            NOT NULL,
	session    bytea            NOT NULL,
	created    bigint           NOT NULL,
	valid_from bigint           NOT NULL,
	valid_to   bigint,
	expires    bigint,
	duplicate  bytea,
	lineage    bytea,
	import     bigint,
	length     bigint           NOT NULL,
	tokeniser  bigint           NOT NULL,
	origin     bytea,
	current    bytea,
	words      bytea,
	seal       bytea            NOT NULL,
	by_id      bytea            NOT NULL GENERATED ALWAYS AS (CASE WHEN octet_length(id) < 256 THEN id
		ELSE substring(id FROM 1 FOR 224) || sha256(id) END) STORED,
	by_project bytea            NOT NULL GENERATED ALWAYS AS (CASE WHEN octet_length(project) < 256 THEN project
		ELSE substring(project FROM 1 FOR 224) || sha256(project) END) STORED,
	PRIMARY KEY (owner, doc)
);

CREATE UNIQUE INDEX records_id ON records (owner, by_id);

CREATE INDEX records_created ON records (owner, created, doc, status);

CREATE INDEX records_kind ON records (owner, kind, created, doc, status);

CREATE INDEX records_project ON records (owner, by_project, kind, created, doc, status);

CREATE INDEX records_duplicate ON records (owner, sha256(duplicate)) WHERE duplicate IS NOT NULL;

CREATE INDEX records_lineage ON records (owner, sha256(lineage)) WHERE lineage <> ''::bytea;

CREATE INDEX records_import ON records (owner, import, created, doc) WHERE import IS NOT NULL;

CREATE INDEX records_expires ON records (owner, expires) WHERE expires IS NOT NULL;

CREATE TABLE staged (
	owner  uuid   NOT NULL,
	first  bigint NOT NULL,
	last   bigint NOT NULL,
	import bigint NOT NULL,
	rows   bigint NOT NULL,
	seal   bytea  NOT NULL,
	PRIMARY KEY (owner, first)
) WITH (fillfactor = 70);

CREATE TABLE postings (
	owner   uuid   NOT NULL,
	term    bytea  NOT NULL,
	block   bigint NOT NULL,
	entries bytea  NOT NULL,
	PRIMARY KEY (owner, term, block)
) WITH (fillfactor = 70);

ALTER TABLE postings ALTER COLUMN entries SET STORAGE PLAIN;

CREATE TABLE terms (
	owner     uuid   NOT NULL,
	term      bytea  NOT NULL,
	documents bigint NOT NULL,
	PRIMARY KEY (owner, term)
) WITH (fillfactor = 70);

CREATE TABLE relations (
	owner     uuid   NOT NULL,
	target    bytea  NOT NULL,
	doc       bigint NOT NULL,
	seal      bytea  NOT NULL,
	by_target bytea  NOT NULL GENERATED ALWAYS AS (CASE WHEN octet_length(target) < 256 THEN target
		ELSE substring(target FROM 1 FOR 224) || sha256(target) END) STORED,
	PRIMARY KEY (owner, by_target, doc)
);

CREATE INDEX relations_doc ON relations (owner, doc);

CREATE TABLE aliases (
	owner    uuid   NOT NULL,
	space    bytea  NOT NULL,
	alias    bytea  NOT NULL,
	doc      bigint NOT NULL,
	seal     bytea  NOT NULL,
	by_space bytea  NOT NULL GENERATED ALWAYS AS (CASE WHEN octet_length(space) < 256 THEN space
		ELSE substring(space FROM 1 FOR 224) || sha256(space) END) STORED,
	by_alias bytea  NOT NULL GENERATED ALWAYS AS (CASE WHEN octet_length(alias) < 256 THEN alias
		ELSE substring(alias FROM 1 FOR 224) || sha256(alias) END) STORED,
	PRIMARY KEY (owner, by_space, by_alias)
);

CREATE INDEX aliases_doc ON aliases (owner, doc);

CREATE TABLE project_aliases (
	owner    uuid  NOT NULL,
	alias    bytea NOT NULL,
	project  bytea NOT NULL,
	seal     bytea NOT NULL,
	by_alias bytea NOT NULL GENERATED ALWAYS AS (CASE WHEN octet_length(alias) < 256 THEN alias
		ELSE substring(alias FROM 1 FOR 224) || sha256(alias) END) STORED,
	PRIMARY KEY (owner, by_alias)
);

CREATE TABLE changes (
	owner    uuid             NOT NULL,
	sequence bigint           NOT NULL,
	at       bigint           NOT NULL,
	type     text COLLATE "C" NOT NULL,
	id       bytea            NOT NULL,
	import   bigint           NOT NULL,
	first    bigint           NOT NULL,
	last     bigint           NOT NULL,
	mark     bytea            NOT NULL,
	seal     bytea            NOT NULL,
	PRIMARY KEY (owner, sequence)
);

CREATE TABLE receipts (
	owner   uuid   NOT NULL,
	key     bytea  NOT NULL,
	request bytea  NOT NULL,
	answer  bytea,
	at      bigint NOT NULL,
	seal    bytea  NOT NULL,
	by_key  bytea  NOT NULL GENERATED ALWAYS AS (CASE WHEN octet_length(key) < 256 THEN key
		ELSE substring(key FROM 1 FOR 224) || sha256(key) END) STORED,
	PRIMARY KEY (owner, by_key)
);

CREATE INDEX receipts_at ON receipts (owner, at);

CREATE TABLE imports (
	owner   uuid             NOT NULL,
	doc     bigint           NOT NULL,
	digest  bytea            NOT NULL,
	format  bytea            NOT NULL,
	name    bytea            NOT NULL,
	at      bigint           NOT NULL,
	state   text COLLATE "C" NOT NULL,
	lease   bigint           NOT NULL,
	created bigint           NOT NULL,
	merged  bigint           NOT NULL,
	residue bytea,
	seal    bytea            NOT NULL,
	PRIMARY KEY (owner, doc)
);

CREATE TABLE lessons (
	owner        uuid   NOT NULL,
	doc          bigint NOT NULL,
	followed     bigint NOT NULL,
	overridden   bigint NOT NULL,
	ignored      bigint NOT NULL,
	contradicted bigint NOT NULL,
	at           bigint NOT NULL,
	seal         bytea  NOT NULL,
	PRIMARY KEY (owner, doc)
);

CREATE TABLE grants (
	owner   uuid   NOT NULL,
	id      bytea  NOT NULL,
	claims  bytea,
	name    bytea  NOT NULL,
	issued  bigint NOT NULL,
	expires bigint,
	revoked bigint,
	seal    bytea  NOT NULL,
	by_id   bytea  NOT NULL GENERATED ALWAYS AS (CASE WHEN octet_length(id) < 256 THEN id
		ELSE substring(id FROM 1 FOR 224) || sha256(id) END) STORED,
	PRIMARY KEY (owner, by_id)
);

CREATE TABLE audit (
	owner uuid   NOT NULL,
	place bigint NOT NULL,
	entry bytea  NOT NULL,
	seal  bytea  NOT NULL,
	PRIMARY KEY (owner, place)
);

CREATE TABLE audit_hashes (
	owner uuid   NOT NULL,
	place bigint NOT NULL,
	hash  bytea  NOT NULL,
	seal  bytea  NOT NULL,
	PRIMARY KEY (owner, place)
);

CREATE TABLE audit_heads (
	owner uuid  NOT NULL,
	head  bytea NOT NULL,
	seal  bytea NOT NULL,
	PRIMARY KEY (owner)
);

CREATE TABLE arrivals (
	owner       uuid             NOT NULL,
	state       text COLLATE "C" NOT NULL,
	said        bytea            NOT NULL,
	settled_as  bytea,
	owed        boolean          NOT NULL,
	reached     text COLLATE "C" NOT NULL,
	reached_key bytea,
	PRIMARY KEY (owner)
);

CREATE TABLE rates (
	owner  uuid             NOT NULL,
	payer  bytea            NOT NULL,
	tokens double precision NOT NULL,
	taken  double precision NOT NULL,
	at     bigint           NOT NULL,
	PRIMARY KEY (owner, payer)
) WITH (fillfactor = 50);

CREATE TABLE schema_version (
	one        boolean NOT NULL CHECK (one),
	version    integer NOT NULL,
	compatible integer NOT NULL,
	PRIMARY KEY (one)
);

INSERT INTO schema_version (one, version, compatible) VALUES (true, 1, 1);

-- The server samples columns to plan by. What people say must not stay there when
-- it is erased.
ALTER TABLE owners
	ALTER COLUMN did SET STATISTICS 0,
	ALTER COLUMN revoked SET STATISTICS 0,
	ALTER COLUMN moved SET STATISTICS 0,
	ALTER COLUMN label SET STATISTICS 0,
	ALTER COLUMN account SET STATISTICS 0,
	ALTER COLUMN total SET STATISTICS 0,
	ALTER COLUMN secret SET STATISTICS 0;

ALTER TABLE records
	ALTER COLUMN id SET STATISTICS 0,
	ALTER COLUMN project SET STATISTICS 0,
	ALTER COLUMN "user" SET STATISTICS 0,
	ALTER COLUMN agent SET STATISTICS 0,
	ALTER COLUMN session SET STATISTICS 0,
	ALTER COLUMN duplicate SET STATISTICS 0,
	ALTER COLUMN lineage SET STATISTICS 0,
	ALTER COLUMN origin SET STATISTICS 0,
	ALTER COLUMN current SET STATISTICS 0,
	ALTER COLUMN words SET STATISTICS 0,
	ALTER COLUMN by_id SET STATISTICS 0,
	ALTER COLUMN by_project SET STATISTICS 0;

ALTER TABLE postings
	ALTER COLUMN term SET STATISTICS 0,
	ALTER COLUMN entries SET STATISTICS 0;

ALTER TABLE terms
	ALTER COLUMN term SET STATISTICS 0;

ALTER TABLE relations
	ALTER COLUMN target SET STATISTICS 0,
	ALTER COLUMN by_target SET STATISTICS 0;

ALTER TABLE aliases
	ALTER COLUMN space SET STATISTICS 0,
	ALTER COLUMN alias SET STATISTICS 0,
	ALTER COLUMN by_space SET STATISTICS 0,
	ALTER COLUMN by_alias SET STATISTICS 0;

ALTER TABLE project_aliases
	ALTER COLUMN alias SET STATISTICS 0,
	ALTER COLUMN project SET STATISTICS 0,
	ALTER COLUMN by_alias SET STATISTICS 0;

ALTER TABLE changes
	ALTER COLUMN id SET STATISTICS 0,
	ALTER COLUMN mark SET STATISTICS 0;

ALTER TABLE receipts
	ALTER COLUMN key SET STATISTICS 0,
	ALTER COLUMN request SET STATISTICS 0,
	ALTER COLUMN answer SET STATISTICS 0,
	ALTER COLUMN by_key SET STATISTICS 0;

ALTER TABLE imports
	ALTER COLUMN digest SET STATISTICS 0,
	ALTER COLUMN format SET STATISTICS 0,
	ALTER COLUMN name SET STATISTICS 0,
	ALTER COLUMN residue SET STATISTICS 0;

ALTER TABLE grants
	ALTER COLUMN id SET STATISTICS 0,
	ALTER COLUMN claims SET STATISTICS 0,
	ALTER COLUMN name SET STATISTICS 0,
	ALTER COLUMN by_id SET STATISTICS 0;

ALTER TABLE audit
	ALTER COLUMN entry SET STATISTICS 0;

ALTER TABLE audit_hashes
	ALTER COLUMN hash SET STATISTICS 0;

ALTER TABLE audit_heads
	ALTER COLUMN head SET STATISTICS 0;

ALTER TABLE rates
	ALTER COLUMN payer SET STATISTICS 0;

ALTER TABLE arrivals
	ALTER COLUMN said SET STATISTICS 0,
	ALTER COLUMN settled_as SET STATISTICS 0,
	ALTER COLUMN reached_key SET STATISTICS 0;

ALTER INDEX records_duplicate ALTER COLUMN 2 SET STATISTICS 0;

ALTER INDEX records_lineage ALTER COLUMN 2 SET STATISTICS 0;
