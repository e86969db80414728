.DEFAULT_GOAL := help

VERSION := $(shell cat cmd/stele/VERSION)-dev+$(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
COMMIT := $(shell git rev-parse HEAD 2>/dev/null)
FUZZTIME ?= 10s
BENCH ?= .
BASE ?= main

# Stele has no C in it. One setting for all targets keeps Go from compiling everything twice.
export CGO_ENABLED := 0

# Tools have their own modules so that none of them weighs on go.mod. `go tool` builds each once and keeps it in Go's cache.
STATICCHECK := go tool -modfile=tools/go.mod staticcheck
GOLANGCI := go tool -modfile=tools/lint/go.mod golangci-lint

.PHONY: help run build release release-check fixture chart rules sbom check test attack bench scale clients pages torture fuzz lint licenses fmt clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## run Stele from the source tree
	go run ./cmd/stele

build: ## build bin/stele
	go build -trimpath -ldflags '-X main.version=$(VERSION) -X main.commit=$(COMMIT)' -o bin/stele ./cmd/stele

release: ## everything that is handed out, in dist/: binaries, packages, image, SBOM, checksums (ONLY=linux/amd64: a part)
	@tools/release/release.sh dist

fixture: ## before a release: keep its schema and some rows, for all later releases to be upgraded from
	@test/env/run.sh bash -ec 'go -C test test ./upgrade -run "^TestWriteFixture$$" -count 1 -args -write'

release-check: ## build the commit twice, in two folders and with two caches, and compare all bytes (ONLY=linux/amd64: a part)
	@tools/release/check.sh

rules: ## check alert rules and dashboard with Prometheus' own packages
	go -C tools/rules test ./...

chart: ## lint and render the Helm chart and check what comes out against Kubernetes' own types
	go -C tools/chart test ./...

sbom: build ## write bin/stele.cdx.json: everything bin/stele is made of (CycloneDX)
	go -C tools run ./sbom -root .. -binary ../bin/stele -version '$(VERSION)' -out ../bin/stele.cdx.json

check: ## what a change needs, in a minute: vet, staticcheck and unit tests of what changed since BASE=main
	@test/env/check.sh $(BASE)

test: ## everything: installs and starts what the tests need, and stops it again
	@test/env/run.sh

attack: ## what an enemy does, with the full counts
	@test/env/run.sh bash -ec 'go -C test test -tags torture -count 1 -timeout 1h -v ./attack'

# npm ci wants packages for every platform in the lock file, and not all of them are published. npm install takes those of this one.
clients: ## agents and libraries of others, from npm: each goes through a loop and writes a file
	@test/env/run.sh bash -ec 'cmp -s test/clients/package-lock.json test/clients/node_modules/.installed || { env -C test/clients npm install --no-save && \
		cp test/clients/package-lock.json test/clients/node_modules/.installed; }; go -C test test -tags clients -count 1 -timeout 30m -v ./clients'

pages: ## every page of docs/clients, followed on a fresh home folder with the newest there is on npm
	@test/env/run.sh bash -ec 'npm install --silent --prefix "$$TMPDIR/node" node@26 && export PATH="$$TMPDIR/node/node_modules/.bin:$$PATH"; go -C test test -tags pages -count 1 -timeout 1h -v ./clients'

bench: ## the figures, against a PostgreSQL that syncs to disk (BENCH=Speed: those; STELE_BENCH_PROFILE=dir: their profiles)
	@test/env/run.sh --durable bash -ec 'for module in . test; do go -C "$$module" test -run "^$$" -bench "$(BENCH)" -benchmem -timeout 1h ./...; done'

scale: ## what a row, a chat and a generation cost on this machine, and what servers carry then (docs/scale.md)
	@test/env/run.sh --durable --counted bash -ec 'go test -run "^$$" -bench "^BenchmarkRow$$" -benchtime 5x ./internal/store | tee "$$TMPDIR/measured"; \
		go -C test test -run "^$$" -bench "^BenchmarkCost$$" -benchtime 5x -timeout 1h ./load | tee -a "$$TMPDIR/measured"; go -C test run ./scale -measured "$$TMPDIR/measured"'

torture: ## the long crash and load runs, and the race detector on everything
	@test/env/run.sh --durable bash -ec 'for module in . test; do go -C "$$module" test -tags torture -count 1 -timeout 2h ./...; done; \
		export CGO_ENABLED=1; go test -race -gcflags=modernc.org/...=-race=false -count 1 -timeout 2h ./...; go -C test test -race -count 1 -timeout 1h ./...'

fuzz: ## a short run of every fuzz test (FUZZTIME=10s)
	@test/env/fuzz.sh $(FUZZTIME)

lint: ## staticcheck and golangci-lint (its first build takes some minutes)
	$(STATICCHECK) ./...
	$(GOLANGCI) run ./...

licenses: ## print and check the licences of all that is linked into the binary
	go -C tools run ./licenses -v -root ..

fmt: ## format the Go code
	find . -name node_modules -prune -o -name '*.go' -not -path '*/testdata/*' -exec gofmt -s -w {} +

clean: ## remove what was built and installed in the tree
	rm -rf bin coverage test/sdk/node_modules test/clients/node_modules
