# `make help` lists the targets. PGXS builds the extension. The core's tests are built without PostgreSQL's headers, which
# proves that the core does not need them.
EXTENSION    = snowid
EXTVERSION   = $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" $(srcdir)/$(EXTENSION).control)
MODULE_big   = snowid
SRCS         = $(wildcard src/*.cpp src/*/*.cpp src/*/*/*.cpp)
OBJS         = $(SRCS:.cpp=.o)
# The script's parts, in this order. An update takes the functions of bodies/ and all comments as they are, nothing else.
SQL_OBJECTS  = $(sort $(wildcard sql/install/objects/*.sql))
WIDE_TYPE    = sql/install/wide-type.sql.in
SQL_TYPES    = $(sort $(wildcard sql/install/types/*.sql))
TIME_FILTERS = sql/install/time-filters.sql.in
SQL_BODIES   = $(sort $(wildcard sql/install/bodies/*.sql))
# The types of fixed bytes, with their length.
WIDE_TYPES   = ulid:16 ksuid:20 objectid:12 rsxid:12 sandflake:16 sno:10
WIDE_NAMES   = $(foreach t,$(WIDE_TYPES),$(firstword $(subst :, ,$t)))
# What has time filters: the prefix of its functions, its type, and the type of its bounds.
TIMED_TYPES  = snowflake:snowflake:bigint uuidv7:uuid:uuid $(foreach t,$(WIDE_NAMES),$t:$t:$t)
SCRIPT       = $(EXTENSION)--$(EXTVERSION).sql
# Updates to the version that is not released yet: freeze makes them files of their own.
UPDATES      = $(patsubst sql/upgrade/%.in,%,$(wildcard sql/upgrade/*.sql.in))
DATA_built   = $(SCRIPT) $(UPDATES)
DATA         = $(wildcard sql/upgrade/*--*--*.sql)
REGRESS      = $(sort $(notdir $(basename $(wildcard sql/*.sql))))
REGRESS_OPTS = --load-extension=$(EXTENSION) $(if $(TEST_OUTPUT),--outputdir=$(TEST_OUTPUT)/output)
ISOLATION    = $(sort $(notdir $(basename $(wildcard specs/*.spec))))
ISOLATION_OPTS = --load-extension=$(EXTENSION) $(if $(TEST_OUTPUT),--outputdir=$(TEST_OUTPUT)/output_iso)
EXTRA_CLEAN  = build $(OBJS:.o=.d) $(OBJS:.o=.bc.d)
PG_CONFIG   ?= pg_config
srcdir       = .

CORE_FLAGS   = -std=c++20 -fno-exceptions -fno-rtti -fno-threadsafe-statics -fvisibility=hidden -fvisibility-inlines-hidden
PG_CPPFLAGS  = -I$(srcdir)/src -isystem $(shell $(PG_CONFIG) --includedir-server)
PG_CXXFLAGS  = $(CORE_FLAGS) -Wextra -Wshadow $(if $(CI),-Werror) -MMD -MP
SHLIB_LINK   = -Wl,--version-script=$(srcdir)/exports.map
# MODULE_SANITIZE=undefined with_llvm=no makes a module that ends its backend on undefined behaviour.
MODULE_SANITIZE ?=
ifneq ($(MODULE_SANITIZE),)
PG_CXXFLAGS += -fsanitize=$(MODULE_SANITIZE) -fno-sanitize-recover=all
SHLIB_LINK  += -fsanitize=$(MODULE_SANITIZE) -static-libubsan
endif

PGXS        := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# Sealed ids use the OpenSSL of the server's own build, if it is built with one.
SHLIB_LINK  += $(filter -lcrypto, $(LIBS))

ifeq ($(shell test $(MAJORVERSION) -ge 15 && echo ok),)
$(error snowid needs PostgreSQL 15 or later; $(PG_CONFIG) is of $(VERSION))
endif

# PGXS compiles bitcode without CXXFLAGS.
COMPILE.cxx.bc += $(CORE_FLAGS) -Wno-register -MMD -MP -MF $(@:.bc=.bc.d)
-include $(OBJS:.o=.d) $(OBJS:.o=.bc.d)

src/module.o src/module.bc: CPPFLAGS += -DSNOWID_VERSION='"$(EXTVERSION)"'
src/module.o src/module.bc: snowid.control
$(shlib): exports.map

$(SCRIPT): $(SQL_OBJECTS) $(WIDE_TYPE) $(SQL_TYPES) $(TIME_FILTERS) $(SQL_BODIES) Makefile
	{ cat $(SQL_OBJECTS); \
	  for t in $(WIDE_TYPES); do \
	      echo $$t | { IFS=: read -r wide bytes; sed "s/WIDE/$$wide/g; s/BYTES/$$bytes/g" $(WIDE_TYPE); }; done; \
	  cat $(SQL_TYPES); \
	  for t in $(TIMED_TYPES); do \
	      echo $$t | { IFS=: read -r scheme type bound; \
	          sed "s/SCHEME/$$scheme/g; s/TYPE/$$type/g; s/BOUND/$$bound/g" $(TIME_FILTERS); }; done; \
	  cat $(SQL_BODIES); } > $@

$(UPDATES): %: sql/upgrade/%.in $(SCRIPT)
	{ cat $<; \
	  awk '/^CREATE FUNCTION/ { sub(/^CREATE/, "CREATE OR REPLACE"); inside = 1 } inside; /^END( [$$][$$])?;$$|^    AS .*;$$/ { inside = 0 }' $(SQL_BODIES); \
	  echo 'SET LOCAL search_path = @extschema@, pg_temp;'; \
	  grep '^COMMENT ON ' $(SCRIPT); } > $@

# The core's own tests -----------------------------------------------------------------------------------------------

SANITIZE    ?=
UNIT_DIR     = build/unit$(if $(SANITIZE),-$(subst $(comma),-,$(SANITIZE)))
UNIT_FLAGS   = -std=c++20 $(if $(SANITIZE),-O1,-O2) -g1 -Wall -Wextra -Wshadow -Wconversion -Wpedantic -Werror -Isrc -Itest/unit \
               -MMD -MP $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all)
UNIT_TESTS   = $(wildcard test/unit/*.cpp test/unit/*/*.cpp)
# The thread sanitizer can find something only in files that start threads.
THREAD_TESTS = $(shell grep -lE '\#include (<(thread|future)>|"threads.hpp")' $(UNIT_TESTS))
UNIT_SRCS    = $(wildcard src/core/*/*.cpp) $(if $(filter thread,$(SANITIZE)),$(THREAD_TESTS),$(UNIT_TESTS))
UNIT_OBJS    = $(UNIT_SRCS:%.cpp=$(UNIT_DIR)/%.o)
comma        = ,

$(UNIT_DIR)/%.o: %.cpp
	@mkdir -p $(@D)
	$(CXX) $(UNIT_FLAGS) -c $< -o $@

$(UNIT_DIR)/core_test: $(UNIT_OBJS)
	$(CXX) $(UNIT_FLAGS) $^ -o $@ -lgtest_main -lgtest -lcrypto -pthread

-include $(UNIT_OBJS:.o=.d)

FUZZ_CXX    ?= clang++-14
FUZZ_SECONDS ?= 5
FUZZ_FLAGS   = -std=c++20 -O1 -g -Wall -Wextra -Wshadow -Wconversion -Wpedantic -Werror -Isrc -Itest/unit -Itest/fuzz \
               -MMD -MP -fsanitize=fuzzer,address
FUZZERS      = $(patsubst test/fuzz/%.cpp,build/fuzz/%,$(wildcard test/fuzz/*_fuzz.cpp))

build/fuzz/%: test/fuzz/%.cpp
	@mkdir -p $(@D)
	$(FUZZ_CXX) $(FUZZ_FLAGS) $(filter %.cpp,$^) -o $@

build/fuzz/layout_fuzz: src/core/layout/layout_text.cpp

-include $(FUZZERS:=.d)

BENCH_FLAGS  = -std=c++20 -O2 -Wall -Wextra -Wshadow -Wconversion -Wpedantic -Werror -Isrc -MMD -MP
BENCHES      = $(patsubst test/bench/%.cpp,build/bench/%,$(wildcard test/bench/*_bench.cpp))

build/bench/%: test/bench/%.cpp
	@mkdir -p $(@D)
	$(CXX) $(BENCH_FLAGS) $< -o $@ -lbenchmark -lbenchmark_main -pthread

build/bench/timeline_simulation: test/bench/timeline_simulation.cpp
	@mkdir -p $(@D)
	$(CXX) $(BENCH_FLAGS) $< -o $@

-include $(BENCHES:=.d) build/bench/timeline_simulation.d

.PHONY: help unit fuzz bench simulation lint format sql dist freeze
help: ## what can be made
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile | column -t -s '|'
	@echo '  all, install, installcheck, clean  as with every PGXS extension'
unit: $(UNIT_DIR)/core_test ## GoogleTest on the core; SANITIZE=thread or address,undefined for a sanitised one
	$<
fuzz: $(FUZZERS) ## libFuzzer on every text form and on layouts, FUZZ_SECONDS each
	set -e; for fuzzer in $^; do $$fuzzer -max_len=64 -max_total_time=$(FUZZ_SECONDS) -verbosity=0 -print_final_stats=1; done
bench: $(BENCHES) ## what one call into the core costs
	set -e; for bench in $^; do $$bench --benchmark_min_time=0.2; done
simulation: build/bench/timeline_simulation ## the timeline on servers of up to 1024 cores
	$<
lint: $(DATA_built) ## the rules that a script can check
	tools/lint
format: ## lay out every C++ file
	clang-format -i $(shell git ls-files '*.cpp' '*.hpp')
sql: $(DATA_built) ## the extension script, for a reader
	@echo $(abspath $<)
dist: ## the zip for PGXN, of the last commit
	git archive --format=zip --prefix=$(EXTENSION)-$(EXTVERSION)/ -o $(EXTENSION)-$(EXTVERSION).zip HEAD
freeze: $(DATA_built) ## keep the script of the version that is released now, and the updates to it
	@mkdir -p sql/released
	cp $(SCRIPT) sql/released/
	for update in $(UPDATES); do mv $$update sql/upgrade/ && rm sql/upgrade/$$update.in; done
