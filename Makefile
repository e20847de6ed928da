# Everything a contributor runs. `make help` lists it; CI runs .ci/run.

TESTFLAGS ?=
FUZZTIME  ?= 10s
STATICCHECK = bin/staticcheck
PEERS = interop/node_modules/.package-lock.json

.PHONY: help build test lint go-test interop-test node-test fuzz clean tools

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

build: ## build bin/mcpdyno
	go build -o bin/mcpdyno ./cmd/mcpdyno

test: lint go-test interop-test node-test ## everything below that can fail

lint: $(STATICCHECK) ## format, vet (Linux, macOS, Windows), staticcheck
	@test -z "$$(gofmt -l $$(go list -f '{{.Dir}}' ./...))" || { echo "gofmt would change:"; gofmt -l $$(go list -f '{{.Dir}}' ./...); exit 1; }
	go vet ./...
	GOOS=darwin go vet ./...
	GOOS=windows go vet ./...
	$(STATICCHECK) ./...
	cd interop && go vet ./... && ../$(STATICCHECK) ./...

# One package at a time: tests of one must not take the cores of another's.
go-test: tools ## unit tests, with the race detector
	go test -race -p 1 $(TESTFLAGS) ./...

interop-test: tools $(PEERS) ## mcpdyno against the SDKs' own servers
	cd interop && go test -race $(TESTFLAGS) ./...

node-test: tools ## the Node.js null server
	cd servers/null-node && node --test --test-reporter=tap

fuzz: ## each fuzz target for FUZZTIME
	@set -e; for pkg in $$(go list ./...); do \
		for f in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$pkg; \
		done; \
	done

clean: ## remove what the targets made
	rm -rf bin interop/node_modules mcpdyno-results

# The programs that tests need besides Go: a C compiler for the race detector, Node.js.
tools:
	@.ci/need cc:gcc cc:libc6-dev node:nodejs npm:npm

$(STATICCHECK): go.mod
	go build -o $@ honnef.co/go/tools/cmd/staticcheck

$(PEERS): interop/package-lock.json | tools
	cd interop && npm ci --no-audit --no-fund
