// Package arch holds the shape of Satchel as data: which package exists for
// what, which packages it may import, which libraries, and what it may touch of
// the world. [Packages] and [Policy] are the tables to read; [Check] compares
// a source tree with them and with the rules every file keeps.
package arch

import "slices"

// Package is one row of the table of packages.
type Package struct {
	Path  string   // below the module's root; "importers/*" stands for any one name
	Layer Layer    // which law it lives under
	Job   string   // what it is for
	Uses  []string // packages of this module it may import, all further up in the table
	Test  []string // packages its test files may import besides, apart from itself and the suites
	Only  []string // the only packages that may import it outside of tests; none: whoever's row says so
	Can   Power    // what it may touch besides its arguments
	Large string   // why it is past maxFiles or maxCode; at most maxLarge rows say so
}

// Layer groups packages that live under one law. See [Layer.allows].
type Layer string

// The layers, from what knows least to what knows most.
const (
	Model   Layer = "model"   // imports the model only
	Room    Layer = "room"    // one format: imports the model, never another room
	Binding Layer = "binding" // one protocol: imports the model, its own room, and what is pure below that
	Engine  Layer = "engine"  // the service and its parts: imports no binding
	Whole   Layer = "whole"   // puts the parts together: may import everything further up
	Suite   Layer = "suite"   // what tests are made of: any test file may import it, nothing else may
	Tool    Layer = "tool"    // looks after the source tree: imports nothing of ours
)

// everything, in Uses, stands for all packages further up in the table.
const everything = "*"

// Packages returns the table of packages. Imports only ever point up this list.
func Packages() []Package {
	return slices.Concat(modelPackages(), roomPackages(), conformancePackages(), enginePackages())
}

func modelPackages() []Package {
	return []Package{
		{Path: "memory", Layer: Model, Job: "the model: record, query, hit, error kinds"},
		{Path: "internal/httpkit", Layer: Model, Job: "what bindings share over HTTP: letting in, reading a body, answering, ending long answers",
			Uses: []string{"memory"}, Can: Net},
		{Path: "canon", Layer: Model, Job: "strict JSON in, RFC 8785 out"},
		{Path: "keys", Layer: Model, Job: "Ed25519 keys, did:key, key files",
			Uses: []string{"memory", "canon"}, Can: Files},
		{Path: "text/pattern", Layer: Model, Job: "regular expressions that are compiled when they are first used"},
		{Path: "text/size", Layer: Model, Job: "numbers of bytes as people read and type them", Uses: []string{"text/pattern"}},
		{Path: "text/redact", Layer: Model, Job: "finds secrets and what identifies a person, and puts tokens in their place",
			Uses: []string{"memory", "canon", "text/pattern"}},
		{Path: "codec", Layer: Model, Job: "what a format is: readers, writers, limits, losses, residue",
			Uses: []string{"memory", "canon"}},
		{Path: "text/conversation", Layer: Model, Job: "what a conversation is, the files that exports keep them in, and the records that they become",
			Uses: []string{"memory", "canon", "codec"}},
		{Path: "text/markdown", Layer: Model, Job: "what notes in Markdown are made of: front matter, code, headings, links, names of files",
			Uses: []string{"memory", "canon", "codec"}},
		{Path: "text/notebook", Layer: Model, Job: "folders of notes: read one after the other, written without touching those of others",
			Uses: []string{"memory", "canon", "codec", "text/markdown"}},
		{Path: "codec/codectest", Layer: Suite, Job: "the promises every format keeps",
			Uses: []string{"memory", "canon", "keys", "codec"}, Can: Testing | Files},
	}
}

func roomPackages() []Package {
	model := []string{"memory", "canon", "keys", "codec", "text/pattern"}
	protocol := []string{"memory", "canon", "codec", "ump"}
	return []Package{
		{Path: "ump", Layer: Room, Job: "Universal Memory Protocol: records, files, hash, signature, operations", Uses: model},
		{Path: "ump/umptest", Layer: Suite, Job: "a service in a map, to test what speaks UMP", Uses: protocol},
		{Path: "ump/umphttp", Layer: Binding, Job: "UMP 4.2: the operations over HTTP",
			Uses: append([]string{"internal/httpkit"}, protocol...), Test: []string{"keys"}, Can: Net},
		{Path: "ump/umpmcp", Layer: Binding, Job: "UMP 4.1: the operations as MCP tools",
			Uses: append([]string{"internal/httpkit"}, protocol...), Test: []string{"keys"}, Can: Net},
		{Path: "aimem", Layer: Room, Job: "AIMEM Bundle: envelope, chunks, checksum, COSE signature, mapping",
			Uses: model, Test: []string{"ump"}},
		{Path: "aimem/aimemhttp", Layer: Binding, Job: "AIMEM 3: export, import and erasure over HTTP",
			Uses: []string{"memory", "internal/httpkit", "canon", "codec", "aimem"}, Test: []string{"keys", "ump"}, Can: Net},
		{Path: "engram", Layer: Room, Job: "Engram: signed context, beliefs, evolution, corrections, scopes, mapping",
			Uses: model, Test: []string{"ump"}},
		{Path: "engram/engramhttp", Layer: Binding, Job: "Engram 3.9: context, diff and corrections over HTTP",
			Uses: []string{"memory", "text/redact", "internal/httpkit", "canon", "codec", "engram"}, Test: []string{"keys", "ump"}, Can: Net},
		{Path: "aicf", Layer: Room, Job: "AICF: context files, their dialects, checks, migration, redaction",
			Uses: append([]string{"text/redact"}, model...)},
		{Path: "aicf/mapping", Layer: Engine, Job: "AICF: memory records of a context file, and a context file of memory records",
			Uses: []string{"memory", "canon", "codec", "aicf"}, Test: []string{"keys", "ump"}},
		{Path: "aaif", Layer: Room, Job: "AAIF: definitions of agents, states, manifests, reports, registries: reading, rules, levels, signatures, CBOR",
			Uses: model, Test: []string{"aaif/privacy", "aaif/aaiftest"}},
		{Path: "aaif/privacy", Layer: Engine, Job: "AAIF 8.1 and 12: finds credentials and personal data in documents, and masks them",
			Uses: []string{"text/pattern", "text/redact", "canon", "codec", "aaif"}, Test: []string{"keys", "aaif/aaiftest"}},
		{Path: "aaif/condition", Layer: Engine, Job: "AAIF 5: decides conditions in six languages, bounded and the same everywhere",
			Uses: []string{"memory", "text/redact", "canon", "codec", "aaif"}},
		{Path: "aaif/route", Layer: Room, Job: "AAIF 4.2: which model a run goes to, and why",
			Uses: []string{"memory", "canon", "codec"}},
		{Path: "aaif/openapi", Layer: Engine, Job: "AAIF 4.4: the operations of a description of OpenAPI as tools, and what they ask for as authentication",
			Uses: []string{"text/pattern", "canon", "codec", "aaif"}},
		{Path: "aaif/shape", Layer: Engine, Job: "AAIF 4: holds values to the JSON Schemas of strangers, bounded in steps",
			Uses: []string{"canon"}},
		{Path: "aaif/handoff", Layer: Engine, Job: "AAIF 8.3: a state as a stream of frames, and back",
			Uses: []string{"memory", "text/pattern", "canon", "codec", "keys", "aaif"}},
		{Path: "aaif/exchange", Layer: Engine, Job: "AAIF 11: what the converters of definitions share: what was taken, what was lost",
			Uses: []string{"text/pattern", "memory", "text/redact", "canon", "codec", "aaif", "aaif/privacy"}},
		{Path: "aaif/exchange/exchangetest", Layer: Suite, Job: "the promises every converter of definitions keeps",
			Uses: []string{"memory", "canon", "codec", "aaif", "aaif/privacy"}, Can: Testing | Files},
		{Path: "aaif/a2a", Layer: Engine, Job: "AAIF 11: Agent Cards of A2A, both ways",
			Uses: []string{"memory", "canon", "codec", "aaif", "aaif/privacy", "aaif/exchange"}},
		{Path: "aaif/assistants", Layer: Engine, Job: "AAIF 11: assistants of OpenAI, both ways",
			Uses: []string{"text/pattern", "memory", "canon", "codec", "aaif", "aaif/exchange"}},
		{Path: "aaif/agentspec", Layer: Engine, Job: "reads agents of the Open Agent Specification",
			Uses: []string{"text/pattern", "memory", "canon", "codec", "aaif", "aaif/exchange"}},
		{Path: "aaif/lettafile", Layer: Engine, Job: "reads the agents of Letta's agent files",
			Uses: []string{"memory", "canon", "codec", "aaif", "aaif/exchange"}},
		{Path: "aaif/aaifhttp", Layer: Binding, Job: "AAIF 7 and 8: manifest, report, intake, states and handoffs over HTTP, and the client of all that",
			Uses: []string{"text/pattern", "memory", "internal/httpkit", "canon", "codec", "aaif", "aaif/handoff"}, Test: []string{"keys"}, Can: Net},
		{Path: "aaif/aaiftest", Layer: Suite, Job: "a platform in memory, to test what speaks AAIF",
			Uses: []string{"memory", "canon", "keys", "codec", "aaif", "aaif/privacy"}, Can: Testing},
		{Path: "importers/importtest", Layer: Suite, Job: "runs the vectors of the importers",
			Uses: model, Can: Testing | Files | Process},
		{Path: "importers/*", Layer: Room, Job: "a format that people hold today",
			Uses: append([]string{"text/conversation", "text/markdown", "text/notebook"}, model...)},
		{Path: "formats", Layer: Engine, Job: "the literal list of formats, in sniffing order",
			Uses: []string{"canon", "memory", "text/pattern", "codec", "ump", "aimem", "engram", "aicf/mapping", "importers/*"}, Test: []string{"keys", "internal/source"}},
	}
}

func conformancePackages() []Package {
	model := []string{"memory", "canon", "keys", "codec", "text/pattern"}
	return []Package{
		{Path: "conformance", Layer: Engine, Job: "tables of requirements, and what runs that put them to a running server share", Uses: []string{"canon"}, Can: Net},
		{Path: "conformance/ump", Layer: Engine, Job: "puts the requirements of UMP to a running server",
			Uses: append([]string{"ump", "conformance"}, model...), Test: []string{"ump/umphttp"}, Can: Net | Clock | Random},
		{Path: "conformance/aimem", Layer: Engine, Job: "puts the requirements of AIMEM to a running server",
			Uses: append([]string{"aimem", "conformance"}, model...), Test: []string{"aimem/aimemhttp"}, Can: Net | Clock | Random},
		{Path: "conformance/engram", Layer: Engine, Job: "puts the requirements of Engram to a running store",
			Uses: append([]string{"engram", "conformance"}, model...), Test: []string{"engram/engramhttp"}, Can: Net | Clock | Random},
		{Path: "conformance/engramruntime", Layer: Engine, Job: "puts the requirements of Engram to a runtime, for which it plays a store",
			Uses: []string{"canon", "keys", "engram", "conformance"}, Test: []string{"conformance/engram"}, Can: Net | Clock | Random},
		{Path: "conformance/aaif", Layer: Engine, Job: "puts the requirements of AAIF to documents and to a running platform",
			Uses: append([]string{"aaif", "aaif/condition", "aaif/handoff", "aaif/privacy", "conformance"}, model...), Test: []string{"aaif/aaifhttp", "aaif/aaiftest"}, Can: Net | Clock | Random},
	}
}

func enginePackages() []Package {
	// Whoever hands out memory reaches it through the vault, whose gate nothing
	// passes unseen. The program opens the store and gives it to the vault.
	throughTheGate := []string{"internal/store/*", "internal/audit", "internal/vault", "internal/vault/*",
		"internal/cli", "internal/cli/documents", "internal/cli/sharing", "internal/cli/operate"}
	return []Package{
		{Path: "internal/source", Layer: Engine, Job: "opens what a person names: file, folder, archive, standard input",
			Uses: []string{"codec"}, Can: Files},
		{Path: "internal/atomicfile", Layer: Engine, Job: "puts files in place wholly or not at all", Uses: []string{"text/pattern"}, Can: Files},
		{Path: "internal/filelock", Layer: Engine, Job: "locks files between processes", Can: Files},
		{Path: "aicf/aicffile", Layer: Engine, Job: "AICF: context files on disk, appended to and rewritten by several programs",
			Uses: []string{"codec", "aicf", "internal/atomicfile", "internal/filelock"}, Can: Files | Clock | Process},
		{Path: "internal/project", Layer: Engine, Job: "the one name of the project a folder belongs to", Can: Files},
		{Path: "internal/transcript", Layer: Suite, Job: "tests protocols by conversations that lie in files", Can: Testing | Files | Process},
		{Path: "internal/racing", Layer: Suite, Job: "says whether the race detector watches the tests, and measures their work", Can: Testing | Files | Process | Clock},
		{Path: "internal/recall", Layer: Engine, Job: "words, fusion, ranking: candidates to ranked hits",
			Uses: []string{"memory"}},
		{Path: "aicf/distill", Layer: Engine, Job: "AICF: a context file of a conversation",
			Uses: []string{"memory", "text/pattern", "text/conversation", "canon", "codec", "aicf", "internal/recall"},
			Test: []string{"importers/*"}},
		{Path: "internal/modelhttp", Layer: Engine, Job: "posts questions to servers of models, and to no other host than the named one",
			Uses: []string{"internal/httpkit"}, Can: Net | Files},
		{Path: "internal/run/policy", Layer: Engine, Job: "what a run tells its model, and what it holds the model to: constraints, schemas, personal data, the gate before writes",
			Uses: []string{"text/pattern", "text/redact", "canon", "codec", "aaif", "aaif/privacy", "aaif/condition", "aaif/shape"}},
		{Path: "internal/embed", Layer: Engine, Job: "vectors of what texts mean: asks for them, quantises them, finds the closest",
			Uses: []string{"internal/modelhttp"}},
		{Path: "internal/embed/embedtest", Layer: Suite, Job: "serves vectors by a fixed table of words, for tests",
			Can: Testing | Net},
		{Path: "internal/recall/recalltest", Layer: Suite, Job: "an index in memory, to test recall with",
			Uses: []string{"memory", "internal/recall"}},
		{Path: "internal/recall/labelled", Layer: Suite, Job: "reads labelled sets, and measures recall over them",
			Uses: []string{"memory"}, Can: Files | Random},
		{Path: "internal/metric", Layer: Engine, Job: "counts, amounts and durations, whoever shows them"},
		{Path: "internal/telemetry", Layer: Engine, Job: "sends traces and metrics to a collector that the operator names, by OTLP",
			Uses: []string{"internal/metric"}, Only: []string{"internal/server", "internal/cli/operate"}, Can: Net | Clock | Logs},
		{Path: "internal/telemetry/otlptest", Layer: Suite, Job: "a collector of OpenTelemetry that keeps what it gets",
			Can: Testing | Net | Clock},
		{Path: "internal/store", Layer: Engine, Job: "what a place that keeps memories must do",
			Uses: []string{"memory", "internal/metric"}, Only: throughTheGate},
		{Path: "internal/store/measure", Layer: Engine, Job: "counts and times what a store does, and keeps figures of all owners for a while",
			Uses: []string{"internal/metric", "internal/store"}, Only: []string{"internal/store/*"}, Can: Clock},
		{Path: "internal/store/stored", Layer: Engine, Job: "how values lie in every store: times, seals, entries of the index, tables",
			Uses: []string{"memory", "internal/store"}, Only: []string{"internal/store/*"}},
		{Path: "internal/store/storetest", Layer: Suite, Job: "the promises every store keeps",
			Uses: []string{"memory", "canon", "keys", "ump", "internal/metric", "internal/racing", "internal/recall", "internal/store"},
			Can:  Testing | Files | Clock | Random | Process},
		{Path: "internal/store/sqlite", Layer: Engine, Job: "the embedded store: tables, migrations, group commit",
			Uses: []string{"memory", "internal/atomicfile", "internal/filelock", "internal/metric", "internal/recall", "internal/store", "internal/store/measure", "internal/store/stored"},
			Test: []string{"canon", "keys", "ump", "internal/vault", "internal/vault/belief"},
			Only: throughTheGate,
			Can:  Files | SQL | Clock | Random},
		{Path: "internal/store/sqlitetest", Layer: Suite, Job: "opens embedded stores for tests",
			Uses: []string{"internal/store/sqlite", "internal/store/storetest"}, Can: Testing},
		{Path: "internal/store/postgres/pgtest", Layer: Suite, Job: "starts a PostgreSQL of its own for tests",
			Can: Testing | Files | Net | Clock | Random | Process | Exec},
		{Path: "internal/store/postgres", Layer: Engine, Job: "the store for many owners and servers: PostgreSQL, plain or distributed",
			Uses: []string{"memory", "internal/metric", "internal/recall", "internal/store", "internal/store/measure", "internal/store/stored"},
			Test: []string{"canon", "keys", "codec", "ump", "internal/vault", "internal/vault/belief", "internal/store/sqlite", "internal/store/carry"},
			Only: throughTheGate,
			Can:  Net | SQL | Clock | Random},
		{Path: "internal/store/carry", Layer: Engine, Job: "carries owners from one store to another, and makes sure that all arrived",
			Uses: []string{"memory", "internal/store", "internal/store/stored"},
			Test: []string{"internal/store/sqlite", "internal/store/postgres"},
			Only: throughTheGate, Can: Clock},
		{Path: "internal/audit", Layer: Engine, Job: "a log of who did what that shows when it was tampered with",
			Uses: []string{"memory", "canon", "keys", "internal/store"}},
		{Path: "internal/vault", Layer: Engine, Job: "the service: remember, recall, get, revise, forget, import, export",
			Uses:  []string{"memory", "text/redact", "canon", "keys", "codec", "ump", "aimem", "engram", "internal/recall", "internal/store", "internal/audit"},
			Test:  []string{"internal/store/sqlite", "internal/store/postgres", "formats", "importers/*", "internal/vault/rekey", "internal/vault/bundle", "internal/vault/belief", "internal/vault/trust", "internal/vault/edition", "internal/vault/health", "internal/vault/agentstore"},
			Can:   Clock | Random | Logs,
			Large: "the gate, the verdict on a row and the transaction are one: a write, a read, an erasure and an import each pass all three"},
		{Path: "internal/vault/belief", Layer: Engine, Job: "reads records as beliefs: contexts, corrections, proposals, constraints, subscriptions",
			Uses: []string{"memory", "canon", "codec", "ump", "engram", "internal/store", "internal/audit", "internal/vault"},
			Only: []string{"internal/vault/*", "internal/agents", "internal/server", "internal/cli", "internal/cli/*"}, Can: Clock | Random},
		{Path: "internal/vault/trust", Layer: Engine, Job: "keeps whom an owner knows by which keys, and what the owner consents to",
			Uses: []string{"memory", "aimem", "engram", "internal/store", "internal/audit", "internal/vault"},
			Test: []string{"keys", "internal/vault/rekey"},
			Only: []string{"internal/vault/*", "internal/agents", "internal/server", "internal/cli", "internal/cli/*"}},
		{Path: "internal/vault/visit", Layer: Engine, Job: "lets an owner's browser in: entrances that are good once, visits that end",
			Uses: []string{"memory", "internal/store", "internal/audit", "internal/vault"}, Test: []string{"keys", "ump", "internal/vault/belief"},
			Only: []string{"internal/vault/roster", "internal/server", "internal/cli", "internal/cli/*"}, Can: Random},
		{Path: "internal/vault/roster", Layer: Engine, Job: "tells the operator of a store which owners it keeps, and invites one",
			Uses: []string{"memory", "internal/store", "internal/audit", "internal/vault", "internal/vault/visit"},
			Only: []string{"internal/server", "internal/cli/*"}},
		{Path: "internal/vault/assistant", Layer: Engine, Job: "tells owners what their assistants read, and pauses one",
			Uses: []string{"memory", "internal/store", "internal/audit", "internal/vault"},
			Only: []string{"internal/server", "internal/cli", "internal/cli/*"}},
		{Path: "internal/vault/takeback", Layer: Engine, Job: "takes back what was forgotten or decided, within half an hour",
			Uses: []string{"memory", "internal/store", "internal/audit", "internal/vault"},
			Test: []string{"engram", "ump"},
			Only: []string{"internal/server", "internal/cli", "internal/cli/*"}},
		{Path: "internal/vault/waiting", Layer: Engine, Job: "the one list of what waits for an owner, and its decisions",
			Uses: []string{"memory", "canon", "engram", "internal/vault", "internal/vault/belief"},
			Only: []string{"internal/server", "internal/cli", "internal/cli/*"}},
		{Path: "internal/vault/edition", Layer: Engine, Job: "changes the edition of UMP that a memory speaks",
			Uses: []string{"memory", "ump", "internal/store", "internal/audit", "internal/vault"},
			Only: []string{"internal/vault/vaulttest", "internal/server", "internal/cli", "internal/cli/*"}},
		{Path: "internal/vault/health", Layer: Engine, Job: "examines a store for damage",
			Uses: []string{"memory", "internal/store", "internal/audit", "internal/vault"},
			Only: []string{"internal/vault/vaulttest", "internal/server", "internal/cli", "internal/cli/*"}},
		{Path: "internal/vault/agentstore", Layer: Engine, Job: "keeps definitions and checkpoints of agents, and which tokens were used",
			Uses: []string{"memory", "internal/store", "internal/audit", "internal/vault"},
			Test: []string{"keys", "internal/vault/belief", "internal/vault/rekey"},
			Only: []string{"internal/vault/*", "internal/agents", "internal/server", "internal/cli", "internal/cli/*"}, Can: Clock},
		{Path: "internal/vault/runstore", Layer: Engine, Job: "keeps runs of agents: their journals, and who holds them",
			Uses: []string{"memory", "internal/store", "internal/audit", "internal/vault"},
			Test: []string{"internal/vault/belief"},
			Only: []string{"internal/vault/*", "internal/run/host", "internal/server", "internal/cli", "internal/cli/*"}, Can: Clock},
		{Path: "internal/vault/rekey", Layer: Engine, Job: "gives an owner another key: copies, signs anew, verifies, erases",
			Uses: []string{"memory", "canon", "keys", "codec", "ump", "internal/recall", "internal/store", "internal/audit", "internal/vault"},
			Test: []string{"aimem", "internal/vault/agentstore", "internal/vault/runstore"},
			Only: []string{"internal/vault/vaulttest", "internal/server", "internal/cli", "internal/cli/*"}},
		{Path: "internal/vault/bundle", Layer: Engine, Job: "imports and exports AIMEM bundles",
			Uses: []string{"memory", "canon", "codec", "ump", "aimem", "internal/embed", "internal/recall", "internal/store", "internal/audit", "internal/vault", "internal/vault/trust"},
			Test: []string{"internal/vault/belief"},
			Only: []string{"internal/vault/vaulttest", "internal/server", "internal/cli", "internal/cli/*"}, Can: Clock},
		{Path: "internal/vault/meaning", Layer: Engine, Job: "searches by meaning: which server an owner uses, the vectors of records, those of questions",
			Uses: []string{"memory", "text/redact", "internal/embed", "internal/recall", "internal/store", "internal/audit", "internal/vault"},
			Test: []string{"aimem"},
			Only: []string{"internal/vault/vaulttest", "internal/server", "internal/cli", "internal/cli/*"}},
		{Path: "internal/vault/vaulttest", Layer: Suite, Job: "vaults over fresh stores, to test the kernel and the packages above it with",
			Uses: []string{"memory", "canon", "keys", "codec", "ump", "aimem", "engram", "internal/racing", "internal/store", "internal/store/sqlite", "internal/store/sqlitetest",
				"internal/store/postgres", "internal/store/postgres/pgtest", "internal/audit", "internal/vault", "internal/vault/belief", "internal/vault/trust", "internal/vault/edition", "internal/vault/health", "internal/vault/agentstore", "internal/vault/rekey", "internal/vault/bundle", "internal/vault/meaning"},
			Can: Testing | SQL | Clock | Random},
		{Path: "internal/agents", Layer: Engine, Job: "keeps agents: takes definitions and states in (AAIF 7, 8.2)",
			Uses: []string{"aaif/privacy", "text/pattern", "memory", "canon", "keys", "codec", "aaif", "aaif/condition", "internal/vault", "internal/vault/trust", "internal/vault/agentstore"},
			Test: []string{"aimem", "internal/store", "internal/store/sqlite", "internal/store/postgres", "internal/audit", "internal/vault/belief"},
			Only: []string{"internal/run/host", "internal/server", "internal/cli/*"}},
		{Path: "internal/run/tool", Layer: Engine, Job: "AAIF 4.4: offers tools to a model and calls them: functions, MCP, HTTP, OpenAPI",
			Uses: []string{"canon", "codec", "aaif", "aaif/agentspec", "aaif/openapi", "aaif/route", "aaif/shape"}, Can: Net | Files | Clock | Exec},
		{Path: "internal/run/faketool", Layer: Suite, Job: "serves tools for tests, counts what is done to them, and breaks on demand",
			Can: Testing | Net | Files | Clock | Exec | Process},
		{Path: "internal/run/model", Layer: Engine, Job: "asks models: four wires, one client; or a script",
			Uses: []string{"canon", "codec", "aaif", "aaif/route", "internal/modelhttp"}, Can: Net | Clock},
		{Path: "internal/run/fakemodel", Layer: Suite, Job: "a server that answers as providers of models do, from a script, with faults",
			Uses: []string{"canon", "aaif", "aaif/route", "internal/run/model"}, Can: Testing | Net | Clock},
		{Path: "internal/fairqueue", Layer: Engine, Job: "gives owners turns at long work",
			Uses: []string{"memory"}, Only: []string{"internal/upload", "internal/server"}, Can: Clock},
		{Path: "internal/upload", Layer: Engine, Job: "imports files that an owner's browser brings",
			Uses: []string{"memory", "internal/fairqueue", "codec", "text/redact", "aimem", "engram", "formats", "internal/source", "internal/vault"},
			Test: []string{"internal/vault/vaulttest"},
			Only: []string{"internal/server"}, Can: Clock | Random},
		{Path: "internal/pages", Layer: Binding, Job: "the owner's memory in a browser: pages that need no JavaScript",
			Uses: []string{"memory", "text/size", "internal/httpkit"}, Only: []string{"internal/server", "internal/cli/*"}, Can: Net},
		{Path: "internal/run", Layer: Engine, Job: "a run as a journal: its events, their fold, what comes next, and who executes it",
			Uses: []string{"canon", "aaif", "aaif/condition", "aaif/route", "internal/run/policy", "internal/run/model", "internal/run/tool"}, Can: Clock | Logs},
		{Path: "internal/run/host", Layer: Engine, Job: "runs the agents that an owner keeps, with what the owner has set up",
			Uses: []string{"memory", "canon", "codec", "aaif", "aaif/condition", "aaif/route", "internal/audit", "internal/modelhttp", "internal/vault", "internal/vault/runstore",
				"internal/agents", "internal/run", "internal/run/policy", "internal/run/model", "internal/run/tool"},
			Test: []string{"keys", "internal/store", "internal/store/sqlite", "internal/store/postgres"}, Only: []string{"internal/server", "internal/cli/*"}, Can: Net | Clock | Random | Logs},
		{Path: "internal/server", Layer: Whole, Job: "assembles bindings, authentication, limits",
			Uses: []string{everything}, Can: Net | Files | Clock | Random | Logs},
		{Path: "internal/cli", Layer: Engine, Job: "what commands share: surroundings, the open store, output, errors, questions, progress",
			Uses: []string{"memory", "internal/httpkit", "text/pattern", "text/redact", "keys", "codec", "ump", "conformance/ump", "aimem", "engram", "formats", "internal/source",
				"internal/atomicfile", "internal/project", "internal/store", "internal/store/sqlite", "internal/store/postgres", "internal/vault", "internal/vault/belief", "internal/vault/trust", "internal/vault/edition", "internal/vault/health", "internal/vault/meaning", "internal/vault/visit", "internal/vault/assistant", "internal/embed", "internal/filelock"},
			Only: []string{"internal/cli/*", "cmd/satchel"},
			Can:  Net | Files | Clock | Logs},
		{Path: "internal/cli/clitest", Layer: Suite, Job: "what tests of commands share: a person at a command line, certificates, signed records",
			Uses: []string{"memory", "keys", "ump", "internal/cli"}, Can: Testing | Files | Clock | Random},
		{Path: "internal/cli/documents", Layer: Whole, Job: "the commands that read and write documents of memories, from import to verify",
			Uses: []string{everything}, Only: []string{"internal/cli/*", "cmd/satchel"}, Can: Net | Files | Clock},
		{Path: "internal/cli/sharing", Layer: Whole, Job: "the commands token, consent, trust, owner, keys and audit",
			Uses: []string{"memory", "text/pattern", "text/size", "keys", "ump", "aimem", "engram", "internal/atomicfile", "internal/store", "internal/audit", "internal/vault", "internal/vault/rekey", "internal/vault/trust", "internal/vault/roster",
				"internal/vault/assistant", "internal/agents", "internal/pages", "internal/cli", "internal/cli/documents"},
			Only: []string{"internal/cli/*", "cmd/satchel"}, Can: Files | Random},
		{Path: "internal/cli/memories", Layer: Whole, Job: "the commands that keep and find memories, from remember to erase",
			Uses: []string{"memory", "codec", "ump", "aimem", "internal/atomicfile", "internal/project", "internal/recall", "internal/vault", "internal/vault/takeback",
				"internal/cli", "internal/cli/documents", "internal/cli/sharing"},
			Only: []string{"internal/cli/*", "cmd/satchel"}, Can: Files},
		{Path: "internal/cli/beliefs", Layer: Whole, Job: "the commands about who you are to assistants, and the client of a store of Engram",
			Uses: []string{"memory", "canon", "engram", "engram/engramhttp", "internal/vault", "internal/vault/waiting", "internal/cli", "internal/cli/documents", "internal/cli/memories"},
			Only: []string{"cmd/satchel"}, Can: Net | Random},
		{Path: "internal/cli/contextfiles", Layer: Whole, Job: "the commands of satchel aicf",
			Uses: []string{"text/pattern", "canon", "codec", "aicf", "aicf/aicffile", "aicf/distill", "internal/atomicfile", "internal/cli", "internal/cli/documents"},
			Only: []string{"cmd/satchel"}, Can: Files},
		{Path: "internal/cli/agent", Layer: Whole, Job: "the commands of satchel agent",
			Uses: []string{everything}, Only: []string{"internal/cli/*", "cmd/satchel"}, Can: Net | Files | Random | Process},
		{Path: "internal/cli/conform", Layer: Whole, Job: "the commands of satchel conformance",
			Uses: []string{"memory", "internal/httpkit", "engram", "aaif", "conformance", "conformance/ump", "conformance/aimem", "conformance/engram", "conformance/engramruntime",
				"conformance/aaif", "internal/vault", "internal/cli", "internal/cli/agent"},
			Only: []string{"internal/cli/*", "cmd/satchel"}, Can: Net | Files | Random | Exec | Process},
		{Path: "internal/cli/operate", Layer: Whole, Job: "the commands that run a store: init, backup, restore, store, doctor, serve, mcp, connect",
			Uses: []string{everything}, Only: []string{"cmd/satchel"}, Can: Net | Files | Clock | Random | Logs | Exec},
		{Path: "cmd/satchel", Layer: Whole, Job: "the program: the list of commands, the command line, the manual",
			Uses: []string{everything}, Can: Files | Clock | Process},
		{Path: "examples/engram", Layer: Whole, Job: "the smallest runtime: the context behind a system prompt",
			Uses: []string{"engram", "engram/engramhttp"}, Can: Net | Files | Clock | Logs | Process},
		{Path: "internal/e2e", Layer: Whole, Job: "drives the built program as its users do",
			Uses: []string{everything}, Can: Files | Exec | Process | Clock},
		{Path: "internal/arch", Layer: Tool, Job: "holds this shape", Can: Tree},
		{Path: "conformance/docs", Layer: Tool, Job: "says which requirement is tested where, and breaks rules to see their tests fail", Can: Tree | Files | Exec | Process},
		{Path: "internal/licences", Layer: Tool, Job: "collects the licences of what the program is built from", Can: Files | Exec | Process},
	}
}
