# make            build bin/satchel
# make demo       build it, import the sample and ask three questions
# make test       run every test
# make check      format, vet, staticcheck, go.mod, shape of the tree, freshness of the documents
# make test-pages the pages in a real Chromium: entering, looks, weight, walks
# make pictures   take the pictures of docs/pages.md anew
# make bench      measure speed         make bench-recall   measure how well questions are answered
# make test-all   every test, and then the long forms: an archive of a gigabyte, large bundles, a minute of load, 200 kills of runs, 1,000 runs at once; the chart
# make test-citus what operators and owners do, on a cluster of Citus, where this machine has it
# make test-oauth a remote assistant gets access with the MCP project's client for JavaScript, in Chromium, where node, npm and Chromium are here
# make test-a2a   a served agent with the A2A project's client for JavaScript, where node and npm are here
# make test-systems build the program for other systems and use it under emulation: arm64 under QEMU, Windows under Wine
# make test-openapi what the server says of itself, held to the schema of OpenAPI 3.1
# make test-chart render the Helm chart by Helm's own library and look at what comes out
# make test-packages build a release, and install, use, upgrade and remove what is in it
# make soak       10,000 owners on three servers for ten minutes, while what can fails
# make fuzz       fuzz every target     make docs           write the generated documents anew
# make proof      break each rule that docs/requirements/proof.tsv knows how to break: its test must fail; ROWS=ENGRAM-3.8 takes some
# make vuln       look for known vulnerabilities in what the program calls
# make licences   write the licences of all it is built from to dist/licences.txt
# make release    build all that people install into dist/, docs/install.md says what; the same source gives the same bytes. SIGN_KEY=FILE signs it
# make release-same build it twice, and compare
#
# Nothing but Go is needed, and no network once the modules are cached. The race
# detector joins where there is a C compiler. Tests of the PostgreSQL store start a
# PostgreSQL of their own; as root on Debian make test installs it when it is missing,
# elsewhere it says what to install, and what needs it is skipped, as it is where
# SATCHEL_POSTGRES says none. SATCHEL_POSTGRES=postgres://… names a superuser and a database
# of a server that runs already, or of the coordinator of a cluster of Citus: most tests of
# the store then make their databases there. SATCHEL_SHARED may
# name a folder of further data for tests and measurements; without it they skip what
# needs it.

GO       ?= go
FUZZTIME ?= 10s
TIMEOUT  ?= 30m
ABREAST  ?= $(shell getconf _NPROCESSORS_ONLN)
BENCH    ?= .
PKGS     ?= ./...

# Packages that share memory between goroutines: their tests run under the race detector.
# A test that it would only slow down says racing.Skip(t), and runs without it.
RACE_PKGS ?= ./internal/vault/... ./internal/store/sqlite/... ./internal/store/postgres/... ./internal/store/stored/... ./internal/server/... ./ump/umphttp/... ./ump/umpmcp/... ./aimem/aimemhttp/... ./internal/run

# Tests that run over each kind of store in turn do so under the race detector over
# PostgreSQL only, and over the embedded store without it.
UNRACED      = $(shell internal/racing/marked.sh)
UNRACED_PKGS = $(filter $(RACED),$(shell internal/racing/marked.sh packages))
# RACE_PKGS as patterns of make.
RACED = $(RACE_PKGS:/...=/%) $(RACE_PKGS:/...=)
# The longest of them begins first, so that it is not alone at the end.
LONGEST = %/vault/bundle
first   = $(filter $(LONGEST),$(1)) $(filter-out $(LONGEST),$(1))

# Packages that hold benchmarks of speed, and those that measure recall over
# labelled questions in tests named TestQuality….
BENCH_PKGS  ?= ./...
RECALL_PKGS ?= ./internal/recall/... ./internal/vault/...

# How make test runs tests: so many packages of a phase abreast, and of each package twice
# as many tests of those that run side by side, since most of these wait. A process of tests
# is small and soon over, and is tidied more rarely than others: that takes an eighth less time.
RUN = GOGC=400 $(GO) test -vet=off -ldflags='-s -w' -p $(ABREAST) -parallel $$(($(ABREAST) * 2)) -timeout $(TIMEOUT)

# What is built names no folder of this machine, so that clones of this repository share what
# the build cache keeps.
export GOFLAGS ?= -trimpath

# Only the race detector needs C. Everything else is built without, as a release is: that takes
# about a tenth less time to link and to start.
WITH_C := $(shell $(GO) env CGO_ENABLED)
export CGO_ENABLED = 0

# What --version says: the tag or revision of this clone. Without one, and in a
# folder that is no clone, the program says what Go knows.
VERSION ?= $(shell test -e .git && git describe --tags --always --dirty 2>/dev/null | tr -cd 'A-Za-z0-9.+_-')
STAMP    = $(if $(VERSION),-ldflags '-X github.com/satchel-memory/satchel/internal/cli.stamped=$(VERSION)')

.PHONY: build demo demo-agent test test-plain test-race test-unraced test-citus test-pages test-packages test-a2a test-oauth test-openapi test-sync-tools test-systems pictures tools test-all check fmt vet lint tidy arch fresh docs proof test-chart bench bench-recall soak bouncer fuzz vuln licences release release-same clean
.DEFAULT_GOAL := build

build:
	$(GO) build -trimpath $(STAMP) -o bin/satchel ./cmd/satchel

demo: build
	@examples/demo.sh bin/satchel

# An agent is run, killed, resumed and approved, with a script in place of a model.
demo-agent: build
	@examples/agents/demo.sh bin/satchel

# The race detector needs a C compiler; without one everything runs without it. With it
# there are four phases, two at a time: while the tests of one wait, those of another work. One
# that fails keeps no other back.
# Their files lie in memory where that has 6 GiB: a test ends no machine, so none needs a disk.
test: tools
	@set -e; SATCHEL_POSTGRES=$${SATCHEL_POSTGRES:-$$(internal/store/postgres/pgtest/ready.sh)}; export SATCHEL_POSTGRES; \
	if [ -z "$$TMPDIR" ] && [ "$$(df -Pk /dev/shm 2>/dev/null | awk 'END {print $$4}')" -ge 6291456 ] 2>/dev/null; then \
	  export GOTMPDIR=$${GOTMPDIR:-/tmp} TMPDIR=$$(mktemp -d /dev/shm/satchel-test.XXXXXX); chmod 755 "$$TMPDIR"; export SATCHEL_INITDB="$$TMPDIR/initdb"; trap 'rm -rf "$$TMPDIR"' EXIT; fi; set -x; \
	if [ "$(WITH_C)" != 1 ]; then $(RUN) $(PKGS); $(MAKE) --no-print-directory test-pages PAGES=-short; $(MAKE) --no-print-directory test-packages PACKAGES=-short; \
	else $(MAKE) --no-print-directory -k -j 2 test-plain test-race test-unraced test-pages test-packages PAGES=-short PACKAGES=-short; fi

test-plain:
	$(RUN) $(filter-out $(RACED),$(shell $(GO) list -f '.{{slice .ImportPath (len .Module.Path)}}' $(PKGS)))

# SQLite and its C library are C translated to Go, and take three times as long under the
# detector; the arithmetic of signatures takes ten times as long. These packages run as they
# are. One that uses generic functions of the standard library may not: the linker would take
# its copies of them for everybody's.
AS_THEY_ARE = modernc.org/sqlite/lib modernc.org/libc modernc.org/memory \
	crypto/internal/fips140/edwards25519 crypto/internal/fips140/edwards25519/field

test-race:
	CGO_ENABLED=1 $(RUN) -race $(AS_THEY_ARE:%=-gcflags=%=-race=false) $(RACE_PKGS)

test-unraced:
	SATCHEL_UNRACED=rest $(RUN) -run '$(UNRACED)' $(call first,$(UNRACED_PKGS))

# Starts three nodes, or says that it was skipped because PostgreSQL here has no Citus.
test-citus:
	$(GO) test -vet=off -count=1 -v -timeout $(TIMEOUT) -run 'OnCitus$$' ./internal/store/postgres ./internal/e2e

# Helm is no library of the program, so this is a module of its own, which takes two minutes
# of processors to build for the first time.
test-chart:
	@cd deploy/helm/check && if said=$$($(GO) list -test -deps ./... 2>&1 >/dev/null); then $(GO) vet ./... && $(GO) test -count=1 ./...; \
	else echo "$$said" | tail -n 3; echo "the Helm chart: not checked, a module is neither cached nor within reach"; fi

# A module of its own, so that the program's has no browser. Chromium is installed as root on
# Debian when it is missing; elsewhere the tests say that they were skipped. make test runs the
# short form: one store, and each page in three looks. SATCHEL_PICTURES names a folder for
# pictures of every page.
test-pages:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || [ -n "$$SATCHEL_CHROMIUM" ] || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji; } || \
	echo "Chromium is missing: the pages are not tried"
	@cd test/pages && if said=$$($(GO) list -test -deps . 2>&1 >/dev/null); then $(GO) test -count=1 $(PAGES) -timeout $(TIMEOUT) .; \
	else echo "$$said" | tail -n 3; echo "the pages in a browser: not tried, a module is neither cached nor within reach"; fi

test-a2a:
	@if ! { command -v node && command -v npm; } >/dev/null; then echo "node or npm is missing: the A2A project's client for JavaScript is not tried"; \
	elif ! said=$$(cd test/a2a && npm ci --ignore-scripts --no-audit --no-fund 2>&1); then echo "$$said" | tail -n 3; echo "the A2A project's client for JavaScript: not tried, it is neither cached nor within reach"; \
	else SATCHEL_A2A_SDK=$(CURDIR)/test/a2a $(GO) test -count=1 -run '^TestA2AByJavaScript$$' -timeout $(TIMEOUT) ./internal/e2e; fi

test-oauth:
	@if ! { command -v node && command -v npm; } >/dev/null; then echo "node or npm is missing: the MCP project's client for JavaScript is not tried"; \
	elif ! { command -v chromium || command -v google-chrome || [ -n "$$SATCHEL_CHROMIUM" ]; } >/dev/null; then echo "Chromium is missing: the MCP project's client for JavaScript is not tried"; \
	elif ! said=$$(cd test/oauth && npm ci --ignore-scripts --no-audit --no-fund 2>&1); then echo "$$said" | tail -n 3; echo "the MCP project's client for JavaScript: not tried, it is neither cached nor within reach"; \
	elif ! said=$$(cd test/pages && $(GO) list -test -deps . 2>&1 >/dev/null); then echo "$$said" | tail -n 3; echo "the pages in a browser: not tried, a module is neither cached nor within reach"; \
	else cd test/pages && SATCHEL_MCP_SDK=$(CURDIR)/test/oauth $(GO) test -count=1 -run '^TestRemoteAssistant$$' -timeout $(TIMEOUT) .; fi

# Git and Syncthing carry a folder in which machines meet; Syncthing is installed as root on
# Debian when it is missing. The other long tests of such folders run with them.
test-sync-tools:
	@command -v syncthing >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	apt-get update -qq && apt-get install -qq -y --no-install-recommends syncthing; } || \
	echo "Syncthing is missing: it is not tried as what carries a folder of machines"
	SATCHEL_LONG=1 $(GO) test -vet=off -count=1 -timeout $(TIMEOUT) ./internal/replica/folder

# The program for arm64 under QEMU and for Windows under Wine; it says what it skipped.
test-systems:
	@test/systems/run.sh

# A module of its own: the validator that brings the schema of OpenAPI is no library of the program.
test-openapi:
	@cd test/openapi && if said=$$($(GO) list -test -deps . 2>&1 >/dev/null); then $(GO) vet . && $(GO) test -count=1 .; \
	else echo "$$said" | tail -n 3; echo "the description of the server: not held to the schema of OpenAPI, a module is neither cached nor within reach"; fi

pictures:
	cd test/pages && $(GO) test -count=1 -run '^TestPictures$$' . -pictures $(CURDIR)/docs/pictures

# What the commands in the documents need beyond the program, installed as root on Debian.
tools:
	@command -v curl >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	apt-get update -qq && apt-get install -qq -y --no-install-recommends curl ca-certificates; } || \
	echo "curl is missing: the commands of the documents are not tried"

check: fmt vet lint tidy arch fresh

fmt:
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "not formatted; run gofmt -w on:"; echo "$$files"; exit 1; fi

vet:
	$(GO) vet $(PKGS)

lint:
	$(GO) tool staticcheck $(PKGS)

# Tidying looks at the tests of libraries too. Where their modules are not cached
# and cannot be fetched, there is no answer, and that is said.
tidy:
	@said=$$(mktemp); trap 'rm -f "$$said"' EXIT; \
	if diff=$$($(GO) mod tidy -diff 2>"$$said"); then :; \
	elif [ -n "$$diff" ]; then echo "$$diff"; echo "go.mod is not tidy; run $(GO) mod tidy"; exit 1; \
	else tail -n 3 "$$said"; echo "go mod tidy: not checked, a module is neither cached nor within reach"; fi

arch:
	$(GO) test -count=1 ./internal/arch

fresh:
	$(GO) test -count=1 ./conformance/docs ./clients
	SATCHEL_POSTGRES=none $(GO) test -count=1 -run '^(TestManualIsFresh|TestHelpTexts)$$' ./cmd/satchel

docs:
	$(GO) generate ./conformance/docs
	$(GO) generate ./cmd/satchel
	$(GO) generate ./aaif ./clients

# Builds the tests of each folder once, and once more for each line that breaks something outside
# of Go's functions.
proof:
	SATCHEL_POSTGRES=none $(GO) run ./conformance/docs -prove $(ROWS)

bench:
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 60m $(BENCH_PKGS)

# Three servers and 10,000 owners for ten minutes: servers are killed, the database restarts and
# fails over, its connections are slow and break, a PgBouncer stands before it. make test does so
# for some seconds, test-all for a minute.
soak: bouncer
	SATCHEL_LONG=soak $(GO) test -run '^TestReplicasFail$$' -v -count=1 -timeout 120m ./internal/e2e

bouncer:
	@[ -x /usr/sbin/pgbouncer ] || command -v pgbouncer >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	apt-get update -qq && apt-get install -qq -y --no-install-recommends pgbouncer; } || \
	echo "PgBouncer is missing: the soak does without"

# SATCHEL_QUALITY_OUT names a file for the table of internal/recall, and SATCHEL_QUALITY_BEFORE
# such a file of an earlier run: the table then shows what has changed since.
bench-recall:
	$(GO) test -run '^TestQuality' -v -count=1 -timeout 60m $(RECALL_PKGS)

fuzz:
	@set -e; for folder in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u); do \
	  for target in $$($(GO) test -list '^Fuzz' $$folder | grep '^Fuzz'); do \
	    echo "$$folder $$target"; \
	    $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$folder; \
	  done; \
	done

# The database of vulnerabilities is asked over the network; VULNDB names a folder with a
# copy of it instead.
vuln:
	$(GO) tool govulncheck $(if $(VULNDB),-db file://$(abspath $(VULNDB))) $(PKGS)

# The tool that makes packages is a module of its own, so that the program's has none of it. It reads
# no clock: all files have the time of the commit.
SOURCE_DATE_EPOCH ?= $(shell test -e .git && git log -1 --format=%ct 2>/dev/null)
RELEASE = $(GO) run . -stamp '$(VERSION)' -time '$(SOURCE_DATE_EPOCH)'

release:
	rm -rf dist
	cd release && $(RELEASE) -out '$(CURDIR)/dist' $(if $(SIGN_KEY),-key '$(abspath $(SIGN_KEY))')

# Builds the release once more in another folder with an empty cache, and compares the two.
release-same: release
	@set -e; copy=$$(mktemp -d); trap 'rm -rf "$$copy"' EXIT; \
	git archive --format=tar HEAD | tar -x -C "$$copy"; \
	cd "$$copy/release" && GOCACHE="$$copy/.cache" $(RELEASE) -out "$$copy/dist" $(if $(SIGN_KEY),-key '$(abspath $(SIGN_KEY))'); \
	diff -r "$$copy/dist" '$(CURDIR)/dist'; echo "two builds of the release are the same"

# make test runs the short form: packages of a program that does nothing. Tools that look into packages
# are installed as root on Debian; elsewhere the tests say what they skipped.
test-packages: $(if $(PACKAGES),,release)
ifeq ($(PACKAGES),)
	@{ command -v rpm && command -v rpm2cpio && command -v cpio && command -v ruby && command -v ssh-keygen; } >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	apt-get update -qq && apt-get install -qq -y --no-install-recommends rpm rpm2cpio cpio ruby openssh-client; } || \
	echo "rpm, cpio, ruby or ssh-keygen is missing: packages are looked into with what is here"
	@cd release/mcpb && if ! command -v npm >/dev/null; then echo "npm is missing: the packages of npm and the bundles are not tried"; \
	elif ! said=$$(npm ci --ignore-scripts --no-audit --no-fund 2>&1); then echo "$$said" | tail -n 3; echo "the tool for MCP bundles is neither cached nor within reach: bundles are not validated"; fi
endif
	@cd release && if said=$$($(GO) list -test -deps . 2>&1 >/dev/null); then SATCHEL_DIST=$(if $(PACKAGES),,'$(CURDIR)/dist') $(GO) test -count=1 $(PACKAGES) -timeout $(TIMEOUT) .; \
	else echo "$$said" | tail -n 3; echo "the packages: not tried, a module is neither cached nor within reach"; fi

licences:
	@mkdir -p dist
	$(GO) run ./internal/licences > dist/licences.txt

# The tests whose size SATCHEL_LONG sets, in their long form, after all tests.
LONG_PKGS ?= ./internal/e2e ./internal/server ./internal/run/host ./internal/vault/replicate ./formats
LONG_RUN  ?= ^(TestReplicas.*|TestArchive|TestLargeBundle|TestMachinesAgree.*|TestMachinesAtRandom|TestEraseRace|TestBoundedReading|TestKilledHalfway|TestKilled|TestServiceUpgradeKilled|TestStopped|TestReferenceServer|TestRunLoad|TestAgentMutants|TestRunMutants)$$

test-all: test
	@set -e; SATCHEL_POSTGRES=$${SATCHEL_POSTGRES:-$$(internal/store/postgres/pgtest/ready.sh)}; export SATCHEL_POSTGRES; set -x; \
	SATCHEL_LONG=1 $(GO) test -run '$(LONG_RUN)' -count=1 -timeout 120m $(LONG_PKGS)
	$(MAKE) test-pages
	$(MAKE) test-a2a
	$(MAKE) test-oauth
	$(MAKE) test-openapi
	$(MAKE) test-chart
	$(MAKE) test-sync-tools
	$(MAKE) test-systems
	$(MAKE) release-same test-packages

clean:
	rm -rf bin
