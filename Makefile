# make demo   install Chromium where none is found, build, run the embedded benchmark, name the report
# make test   install Chromium where none is found, run all tests
# make mcp-study  what recovery is worth to scripted MCP clients (LIBRARIES: those of the held-out pages)
# make mcp-oracle scripted MCP clients fill in each form, over standard input and by HTTP (MCP_NPM: npm's client too)
# make detection  what the detectors find in trajectories of other agents, where that data is (LOOPS)
# make pictures   the pictures of docs/detection.md, of real runs in Chromium
# make faults  the fault table: what was done to the program, what must come of it, what the tests measured
# make bench  one table: a whole step beside its bare parts, Playwright and puppeteer (PEERS, ROUNDS, MINIWOB)
# make many   64 episodes whose brain thinks 2 s: memory and steps a second (EPISODES)
# make fresh  whether frames show what their step did, on thirteen kinds of page and on odd ones (N steps, PAUSE before each)
# make settle  how long a step waits beyond what the page needs, and whether it is ever too early (N steps a kind)
# make temporal  build the Temporal engine, bin/cua-runner-temporal (docs/temporal.md)
# make temporal-test  all of its tests, with a real server: workers and the server are killed (SEEDS, KILL)
# make microbench  the benchmarks of single functions
# make fuzz   the parsers that decide what leaves, FUZZTIME each
# make check  gofmt, vet, staticcheck and the tests under the race detector

SHELL := /bin/bash
BIN   := bin/cua-runner
ENGINE := engine/temporal

.PHONY: demo test test-hostile test-browser test-served test-driving test-rest test-engine check fuzz vet lint build temporal temporal-test bench many fresh settle microbench mcp-study mcp-oracle detection pictures faults chromium export-peers clean

demo: chromium build
	$(BIN) bench --suite forms,traps,controls --fault click_fixation=1 --arms default,off --seeds 2 --workers 2 --out studies/demo --overwrite
	$(BIN) check studies/demo

# Three lanes. The first tests the hostile pages, beside the third lane alone, because what hangs is a matter of time.
# Then it tests the packages runner and browser, one after the other: two would starve one another on a small machine.
# The second tests all else that drives a browser, then the commands and the server: those tests mostly wait. The third
# makes what mostly computes, at low priority: the tests without a browser, which the other lanes wait for, then the
# targets BESIDE, and the tests of the engine. What all need is compiled before. The first lane prints as it goes, the
# others at the end of each target. The end of what failed is printed last.
BESIDE ?=
test: chromium
	go build ./...
	@logs=$$(mktemp -d) || exit; trap 'rm -rf $$logs' EXIT; code=0; \
	$(MAKE) --no-print-directory -j3 LOGS=$$logs first-test-browser second-test-served beside-test-engine || code=$$?; \
	for log in $$logs/*; do if [ -e $$log ]; then code=2; echo "FAILED: make $${log##*/}, which ends with"; tail -n 60 $$log; fi; done; \
	exit $$code

first-test-browser second-test-driving: | first-test-hostile beside-test-rest
second-test-served: | second-test-driving
beside-test-engine: | beside-test-rest $(addprefix beside-,$(BESIDE))
$(addprefix beside-,$(BESIDE)): | beside-test-rest

# What fails leaves its log, and the rest is made all the same. Without a log, make fails.
first-%:
	@set -o pipefail; $(MAKE) --no-print-directory $* 2>&1 | tee -i $(LOGS)/$* && rm $(LOGS)/$* || [ -e $(LOGS)/$* ]

second-% beside-%:
	@nice -n $(if $(filter beside-%,$@),19,0) $(MAKE) --no-print-directory $* >$(LOGS)/$* 2>&1; code=$$?; echo "make $*:"; cat $(LOGS)/$*; \
	if [ $$code -eq 0 ]; then rm $(LOGS)/$*; else [ -e $(LOGS)/$* ]; fi

# Packages whose tests can drive a browser: the package browser, or a part of it, is what they are linked with.
BROWSER := github.com/cua-runner/cua-runner/browser
DRIVING := go list -test -f '{{.ImportPath}} {{join .Deps " "}} ' ./... | \
	awk '$$1 ~ /\.test$$/ && / $(subst /,\/,$(BROWSER))[\/ ]/ { sub(/\.test$$/, "", $$1); print $$1 }'

SERVED := cua-runner/(cmd|server)(/|$$)
ALONE  := cua-runner/(browser|runner|runner/hostile)$$

# Each benchmark runs once: nothing else would show that one fails. A command of its own, since results of tests that
# run benchmarks are not cached.
ONCE := go test -timeout 45m -run '^$$' -bench . -benchtime 1x

test-hostile:
	go test -timeout 45m ./runner/hostile

test-browser:
	go test -p 1 -timeout 45m ./runner ./browser
	$(ONCE) -p 1 ./runner ./browser

test-driving:
	@set -o pipefail; driving=$$($(DRIVING) | grep -vE '$(SERVED)|$(ALONE)') && go test -p 2 -timeout 45m $$driving

test-served:
	go test -p 1 -timeout 45m ./cmd/... ./server/...

test-rest:
	@set -o pipefail; driving=$$($(DRIVING)) && rest=$$(go list ./... | grep -vxF "$$driving" | grep -vE '$(SERVED)') && go test -timeout 45m $$rest
	$(ONCE) $$(grep -rl --include='*_test.go' --exclude-dir=engine '^func Benchmark' . | xargs -n 1 dirname | sort -u | grep -vxE '\./(browser|runner)')

test-engine:
	cd $(ENGINE) && go test -timeout 45m ./...

check: lint chromium
	go test -race -p 1 -timeout 60m ./...
	cd $(ENGINE) && go test -race ./...

# A number of inputs, about a minute in all: a time (5m) may end as failed where it cuts a worker short
# ("context deadline exceeded").
FUZZTIME ?= 20000x
fuzz:
	go test ./egress -run '^$$' -fuzz '^FuzzAdmit$$' -fuzztime $(FUZZTIME)
	go test ./egress -run '^$$' -fuzz '^FuzzPrivateAddr$$' -fuzztime $(FUZZTIME)
	go test ./cua -run '^$$' -fuzz '^FuzzParseAddress$$' -fuzztime $(FUZZTIME)
	go test ./cua -run '^$$' -fuzz '^FuzzParseNetFault$$' -fuzztime $(FUZZTIME)
	go test ./cua/redact -run '^$$' -fuzz '^FuzzText$$' -fuzztime $(FUZZTIME)

# What reads all code takes less time, and twice the memory, where it collects its garbage less often.
FAST := GOGC=400
vet:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not gofmt'd: $$unformatted"; exit 1; fi
	$(FAST) go vet ./...

lint: vet
	$(FAST) go tool staticcheck ./...
	go test ./cmd/cua-runner -run '^Test(Sizes|Imports)'
	@staticcheck=$$(go tool -n staticcheck) && cd $(ENGINE) && echo "$(ENGINE): vet, staticcheck" && $(FAST) go vet ./... && $(FAST) $$staticcheck ./...

build:
	go build -buildvcs=auto -o $(BIN) ./cmd/cua-runner

# A Go module of its own: Temporal's SDK is no dependency of the program.
temporal: build
	cd $(ENGINE) && go build -o ../../bin/cua-runner-temporal ./cmd/cua-runner-temporal

# Those of its tests that compile Temporal's server too, which takes minutes the first time. SEEDS are eight cells each,
# in which a worker is killed every KILL.
# The S3 server of the tests is built into S3, outside the repository.
SEEDS ?= 2
KILL  ?= 3s
S3    ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/cua-runner/s3
temporal-test: chromium
	GOFLAGS= GOBIN="$(S3)" go install github.com/versity/versitygw/cmd/versitygw@v1.8.0
	cd $(ENGINE) && go vet -tags server ./... && go test -tags server -count=1 -timeout 30m . -engine.seeds $(SEEDS) -engine.kill $(KILL) \
		-engine.s3 "$(S3)/versitygw"

# npm installs the peers into PEERS, outside the repository; without node and npm their rows say so.
PEERS   ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/cua-runner/peers
ROUNDS  ?= 12
MINIWOB ?=
bench: chromium build
	@bare=$$(mktemp -d); trap "rm -rf $$bare" EXIT; go test -c -o $$bare/browser.test ./browser && \
	go test ./benchmarks/peers -v -count=1 -timeout 60m -run '^TestSpeed$$' -speed -speed.rounds $(ROUNDS) -speed.bare $$bare/browser.test \
		-speed.npm "$(PEERS)" -speed.miniwob "$(MINIWOB)" -speed.program "$(CURDIR)/$(BIN)"

# What other programs say of exports: npm installs them outside the repository.
EXPORT_PEERS ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/cua-runner/export-peers
export-peers: chromium
	@mkdir -p "$(EXPORT_PEERS)" && npm install --prefix "$(EXPORT_PEERS)" --no-save --no-audit --no-fund @playwright/test hyparquet hyparquet-compressors
	go test ./cmd/cua-runner -count=1 -timeout 10m -v -run '^TestPeersOfExports' -export.npm "$(EXPORT_PEERS)"

EPISODES ?= 64
many: chromium
	go test ./benchmarks/peers -count=1 -timeout 60m -v -run '^TestMany$$' -many $(EPISODES)

N ?= 100
PAUSE ?= 0s
fresh: chromium
	@$(call table,fresh odd,kind of page | browser | sessions | fresh | how the frames were got | a step,TestFramesFresh$$|^TestFramesOf,-fresh $(N) -fresh.pause $(PAUSE))

settle: chromium
	@$(call table,settle,kind of page | right | beyond what the page needs: median | worst | waited for,TestSettleTable$$,-settles $(N))

# table prints the attributes of tests: $(1) their names, $(2) the head, $(3) the tests, $(4) their flags.
define table
log=$$(mktemp); go test ./browser -count=1 -timeout 300m -v -run '^($(3))' $(4) >$$log 2>&1; code=$$?; \
{ echo '$(2)'; for name in $(1); do sed -n "s/^ *=== ATTR  [^ ]* $$name //p" $$log; done; } | if command -v column >/dev/null; then column -t -s '|' -o ' | '; else cat; fi; \
if [ $$code -ne 0 ]; then grep -vE '=== |--- (PASS|SKIP)' $$log; fi; rm -f $$log; exit $$code
endef

microbench:
	go test -run '^$$' -bench . -benchmem ./...

MCP_STUDY ?= $(CURDIR)/studies/mcp
LIBRARIES ?=
mcp-study: chromium
	go test ./server/mcp -count=1 -timeout 120m -v -run '^TestStudy$$' -study "$(MCP_STUDY)" -study.libraries "$(LIBRARIES)"

# MCP_NPM is a folder outside the repository in which npm has installed @modelcontextprotocol/sdk; "" leaves it out.
mcp-oracle: chromium
	MCP_NPM="$(MCP_NPM)" go test ./server/mcp -count=1 -timeout 30m -v -run '^TestOracleClients$$' -oracle.all

LOOPS ?= ../shared/data/loops
# The thresholds that leaving one source out chooses among.
FIT := --fit detector.soft=3,4 --fit detector.stagnation.soft=6,10,14,20 --fit detector.revisit.soft=3,4 \
	--fit detector.revisit.max_new=0.3,0.5,0.7 --fit detector.cycle.soft_steps=5,6

detection: build
	$(BIN) detect $(LOOPS) --eval --list none --labels $(LOOPS)/labels.jsonl --group 'date pickers=/choose-date' $(FIT)

pictures: chromium
	go test ./benchmarks/detection -count=1 -run '^TestPictures$$' -pictures ../../docs/detection

# Each row is a test, and prints itself. A row that does not hold is in the table and makes this fail.
# A row that is known to be open says so.
faults: chromium
	@log=$$(mktemp); go test -p 1 -count=1 -timeout 20m -v -run '^TestFaultTable$$' ./browser ./brain/openai ./runner ./trajectories ./cmd/cua-runner >$$log 2>&1; code=$$?; \
	{ echo ' n | fault | what must come of it | what came of it | within | took | '; sed -n 's/^ *=== ATTR  [^ ]* fault //p' $$log | sort -n -s; } \
		| if command -v column >/dev/null; then column -t -s '|' -o '|'; else cat; fi; \
	sed -n 's/^ *=== ATTR  [^ ]* fault //p' $$log | awk -F '|' '{ rows[$$1+0]; n++; if ($$NF ~ /^ holds/) h++; if ($$NF ~ /^ OPEN/) o++; if ($$NF ~ /^ SKIPPED/) s++ } \
		END { printf "%d rows, %d cases: %d hold, %d open, %d not played here, %d fail\n", length(rows), n, h, o, s, n-h-o-s }'; \
	if [ $$code -ne 0 ]; then grep -vE '=== |--- (PASS|SKIP)' $$log; fi; rm -f $$log; exit $$code

# Finds Chromium as the program itself does, and installs it through the system's package manager
# where there is none.
chromium:
	@if [ -n "$$CUA_BROWSER" ]; then exit 0; fi; \
	for b in chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable; do \
		if command -v $$b >/dev/null 2>&1; then exit 0; fi; \
	done; \
	sudo=; if [ "$$(id -u)" -ne 0 ]; then sudo="sudo -n"; fi; \
	{ [ -z "$$sudo" ] || sudo -n true >/dev/null 2>&1; } && { \
	if command -v apt-get >/dev/null 2>&1; then \
		echo "installing Chromium with apt-get"; \
		$$sudo apt-get update -qq && for p in "chromium-headless-shell chromium-sandbox" ""; do \
			$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium $$p >/dev/null && break; done; \
	elif command -v dnf >/dev/null 2>&1; then \
		echo "installing Chromium with dnf"; $$sudo dnf install -y -q chromium; \
	elif command -v apk >/dev/null 2>&1; then \
		echo "installing Chromium with apk"; $$sudo apk add -q chromium; \
	else false; fi; } \
	|| { echo "no Chromium found and it could not be installed: install the package chromium, or set CUA_BROWSER to a Chromium executable" >&2; exit 3; }

clean:
	rm -rf bin runs studies
