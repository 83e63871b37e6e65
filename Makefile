# `make help` lists the targets. PGXS builds the extension. The core's tests are built without PostgreSQL's headers, which
# proves that the core does not need them.
PROCESSORS  := $(shell nproc)
# All processors make a goal, unless a -j says how many. Several goals, as in `make clean all`, are made one after another.
ifeq ($(filter -j% --jobserver%,$(MAKEFLAGS) $(shell echo "$$MAKEFLAGS"))$(word 2,$(MAKECMDGOALS)),)
MAKEFLAGS   += -j$(PROCESSORS)
endif

EXTENSION    = snowid convert/snowid_convert snowid_directory
version_of   = $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" $(srcdir)/$1.control)
EXTVERSION   = $(call version_of,snowid)
MODULE_big   = snowid
SRCS         = $(filter-out src/directory/%,$(wildcard src/*.cpp src/*/*.cpp src/*/*/*.cpp))
OBJS         = $(patsubst %/,build/%/room.o,$(sort $(dir $(SRCS))))
# The script's parts, in this order.
SQL_OBJECTS  = $(sort $(wildcard sql/install/objects/*.sql))
WIDE_TYPE    = sql/install/wide-type.sql.in
SESSION_TYPE = sql/install/session-type.sql.in
SQL_TYPES    = $(sort $(wildcard sql/install/types/*.sql))
TIME_FILTERS = sql/install/time-filters.sql.in
SQL_BODIES   = $(sort $(wildcard sql/install/bodies/*.sql))
SQL_RIGHTS   = sql/install/rights.sql
SQL_OWNERS   = sql/install/owners.sql.in
owners_of    = sed 's/EXTNAME/$1/g' $(SQL_OWNERS)
# The types of fixed bytes, with their length.
WIDE_TYPES   = ulid:16 ksuid:20 objectid:12 rsxid:12 sandflake:16 sno:10
WIDE_NAMES   = $(foreach t,$(WIDE_TYPES),$(firstword $(subst :, ,$t)))
# A line with WIDE is written once for each of them, and WIDES is what a name of any of them matches.
EACH_WIDE    = awk -v names='$(WIDE_NAMES)' 'BEGIN { n = split(names, wide, " "); gsub(/ /, "|", names) } { gsub(/WIDES/, names) } \
               !/WIDE/ { print; next } { for (i = 1; i <= n; i++) { line = $$0; gsub(/WIDE/, wide[i], line); print line } }'
# What has time filters: the prefix of its functions, its type, and the type of its bounds.
TIMED_TYPES  = snowflake:snowflake:bigint uuidv7:uuid:uuid $(foreach t,$(WIDE_NAMES),$t:$t:$t)
SCRIPT       = snowid--$(EXTVERSION).sql
# Updates to the version that is not released yet, each made of its delta, sql/upgrade/EXTENSION--OLD--NEW.sql.in. Freeze makes them
# files of their own.
UPDATES      = $(patsubst sql/upgrade/%.in,%,$(wildcard sql/upgrade/*.sql.in))
DIRECTORY    = snowid_directory--$(call version_of,snowid_directory).sql
DIRECTORY_PARTS = $(sort $(wildcard sql/directory/*.sql))
CONVERT      = snowid_convert--$(call version_of,convert/snowid_convert).sql
CONVERT_PARTS = $(sort $(wildcard convert/install/*.sql))
CONVERT_BODIES = $(sort $(wildcard convert/install/[2-8]*.sql))
CONVERT_RIGHTS = convert/install/90-rights.sql
DATA_built   = $(SCRIPT) $(UPDATES) $(CONVERT) $(DIRECTORY)
DATA         = $(wildcard sql/upgrade/*--*--*.sql)
REGRESS      = $(sort $(notdir $(basename $(wildcard sql/*.sql))))
REGRESS_OPTS = --load-extension=snowid $(if $(TEST_OUTPUT),--outputdir=$(TEST_OUTPUT)/output)
ISOLATION    = $(sort $(notdir $(basename $(wildcard specs/*.spec))))
ISOLATION_OPTS = --load-extension=snowid $(if $(TEST_OUTPUT),--outputdir=$(TEST_OUTPUT)/output_iso)
EXTRA_CLEAN  = build snowid_directory.sql
PG_CONFIG   ?= pg_config
srcdir       = .

CORE_FLAGS   = -std=c++20 -fno-exceptions -fno-rtti -fno-threadsafe-statics -fvisibility=hidden -fvisibility-inlines-hidden
PG_CPPFLAGS  = -I$(srcdir)/src -isystem $(shell $(PG_CONFIG) --includedir-server)
# The flags of PostgreSQL are those of another compiler, which knows other warnings.
FOREIGN      = $(if $(findstring clang,$(CXX)),-Wno-unknown-warning-option)
# Functions and lines, enough for a stack. -g adds local variables.
DEBUG_INFO  ?= -g1
PG_CXXFLAGS  = $(CORE_FLAGS) -Wextra -Wshadow $(FOREIGN) $(if $(CI),-Werror) $(DEBUG_INFO) -ffile-prefix-map=$(CURDIR)=. -MMD -MP
SHLIB_LINK   = -Wl,--version-script=$(srcdir)/exports.map
# MODULE_SANITIZE=undefined makes a module that ends its backend on undefined behaviour.
MODULE_SANITIZE ?=
ifneq ($(MODULE_SANITIZE),)
PG_CXXFLAGS += -fsanitize=$(MODULE_SANITIZE) -fno-sanitize-recover=all
SHLIB_LINK  += -fsanitize=$(MODULE_SANITIZE) -static-libubsan
endif

# No bitcode. With it, each query that PostgreSQL compiles reads it to inline our functions. LLVM then declines to, and if it
# did not, the session would end: what our functions call is not exported.
override with_llvm = no

PGXS        := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# Sealed ids use the OpenSSL of the server's own build, if it is built with one.
SHLIB_LINK  += $(filter -lcrypto, $(LIBS))

# The directory's script needs no PostgreSQL to be made, and 13 to run.
ifeq ($(filter directory-sql,$(MAKECMDGOALS))$(shell test 0$(MAJORVERSION) -ge 15 && echo ok),)
$(error snowid needs PostgreSQL 15 or later; $(PG_CONFIG) is of $(VERSION))
endif

# libpq, for one background worker alone.
LIBPQ_MODULE = snowid_libpq$(DLSUFFIX)
EXTRA_CLEAN += $(LIBPQ_MODULE)
all: $(LIBPQ_MODULE)
$(LIBPQ_MODULE): src/directory/postgresql.cpp snowid.control Makefile
	@mkdir -p build/$(<D)
	@echo '  $(CXX)  $<'
	$(CXX) $(CXXFLAGS) $(PG_CXXFLAGS) -DSNOWID_VERSION='"$(EXTVERSION)"' -fPIC -shared $(PG_CPPFLAGS) -isystem $(shell $(PG_CONFIG) --includedir) -MF build/src/directory/postgresql.d \
	    $< $(LDFLAGS) -Wl,--as-needed -L$(shell $(PG_CONFIG) --libdir) -lpq -o $@
-include build/src/directory/postgresql.d
install: install-libpq install-read
uninstall: uninstall-libpq uninstall-read
.PHONY: install-libpq uninstall-libpq install-read uninstall-read
install-libpq: $(LIBPQ_MODULE) installdirs
	$(INSTALL_SHLIB) $(LIBPQ_MODULE) '$(DESTDIR)$(pkglibdir)/$(LIBPQ_MODULE)'
uninstall-libpq:
	rm -f '$(DESTDIR)$(pkglibdir)/$(LIBPQ_MODULE)'

# What psql and a monitoring system read.
READ         = plain/snowid.sql $(wildcard monitoring/*)
install-read:
	$(MKDIR_P) '$(DESTDIR)$(datadir)/snowid'
	$(INSTALL_DATA) $(addprefix $(srcdir)/,$(READ)) '$(DESTDIR)$(datadir)/snowid/'
uninstall-read:
	rm -rf '$(DESTDIR)$(datadir)/snowid'

# The .cpp files of a room are compiled as one unit, because the headers are most of what a file alone would compile. A unit
# is written again only if a file has come or gone.
build/%/room.cpp: FORCE
	@mkdir -p $(@D)
	@printf '#include "%s"\n' $(sort $(wildcard $*/*.cpp)) > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
FORCE:
.PHONY: FORCE
.PRECIOUS: build/%/room.cpp

# PostgreSQL's macros break the standard headers. So the prelude, which has those, comes first, except in the core. It is
# compiled once, for each compiler.
PRELUDE      = build/$(notdir $(lastword $(CXX)))/prelude.hpp
$(PRELUDE).gch:
	@mkdir -p $(@D)
	@echo '  $(CXX)  src/pg/prelude.hpp'
	@echo '#include "pg/prelude.hpp"' > $(PRELUDE)
	$(CXX) $(CXXFLAGS) $(CPPFLAGS) -x c++-header $(PRELUDE) -o $@
build/%/room.o: build/%/room.cpp $(PRELUDE).gch
	@echo '  $(CXX)  $*'
	$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(if $(filter src/core/%,$*),,-include $(PRELUDE)) -c $< -o $@
-include $(OBJS:.o=.d) $(PRELUDE).d
ifndef V
.SILENT: $(OBJS) $(PRELUDE).gch $(shlib) $(LIBPQ_MODULE) $(DATA_built)
endif

build/src/room.o: private CPPFLAGS += -DSNOWID_VERSION='"$(EXTVERSION)"'
build/src/room.o: snowid.control
$(shlib): exports.map build/objects
build/objects: FORCE
	@mkdir -p $(@D)
	@echo $(OBJS) | cmp -s - $@ || echo $(OBJS) > $@

$(SCRIPT): $(SQL_OBJECTS) $(WIDE_TYPE) $(SESSION_TYPE) $(SQL_TYPES) $(TIME_FILTERS) $(SQL_BODIES) $(SQL_RIGHTS) $(SQL_OWNERS) Makefile
	{ cat $(SQL_OBJECTS); \
	  for t in $(WIDE_TYPES); do \
	      echo $$t | { IFS=: read -r wide bytes; sed "s/WIDE/$$wide/g; s/BYTES/$$bytes/g" $(WIDE_TYPE); }; done; \
	  for wide in $(filter-out sno,$(WIDE_NAMES)); do sed "s/WIDE/$$wide/g" $(SESSION_TYPE); done; \
	  cat $(SQL_TYPES); \
	  for t in $(TIMED_TYPES); do \
	      echo $$t | { IFS=: read -r scheme type bound; \
	          sed "s/SCHEME/$$scheme/g; s/TYPE/$$type/g; s/BOUND/$$bound/g" $(TIME_FILTERS); }; done; \
	  $(EACH_WIDE) $(SQL_BODIES) $(SQL_RIGHTS); $(call owners_of,snowid); } > $@

# After the delta, an update takes every function whose body is SQL, the rights, and all comments as they are.
FUNCTIONS    = awk '/^CREATE (FUNCTION|PROCEDURE)/ { sub(/^CREATE/, "CREATE OR REPLACE"); inside = 1 } inside; /^(END)?( ?[$$][$$])?;$$|^    AS .*;$$/ { inside = 0 }'
COMMENTS     = awk '/^COMMENT ON / { inside = 1 } inside; /;$$/ { inside = 0 }'
$(filter snowid--%,$(UPDATES)): %: sql/upgrade/%.in $(SCRIPT)
	{ printf '%s\n' '\echo Use "ALTER EXTENSION snowid UPDATE" to load this file. \quit' 'SET LOCAL search_path = pg_catalog, pg_temp;'; \
	  cat $<; $(EACH_WIDE) $(SQL_BODIES) | $(FUNCTIONS); $(EACH_WIDE) $(SQL_RIGHTS); $(call owners_of,snowid); \
	  echo 'SET LOCAL search_path = @extschema@, pg_temp;'; $(COMMENTS) $(SCRIPT); } > $@
$(filter snowid_convert--%,$(UPDATES)): %: sql/upgrade/%.in $(CONVERT)
	{ printf '%s\n' '\echo Use "ALTER EXTENSION snowid_convert UPDATE" to load this file. \quit' 'SET LOCAL search_path = pg_catalog, pg_temp;'; \
	  cat $<; cat $(CONVERT_BODIES) | $(FUNCTIONS); cat $(CONVERT_RIGHTS); $(call owners_of,snowid_convert); $(COMMENTS) $(CONVERT); } > $@
$(filter snowid_directory--%,$(UPDATES)): %: sql/upgrade/%.in $(DIRECTORY)
	{ printf '%s\n' '\echo Use "ALTER EXTENSION snowid_directory UPDATE" to load this file. \quit'; \
	  cat $<; $(FUNCTIONS) $(DIRECTORY); $(COMMENTS) $(DIRECTORY); } > $@

$(CONVERT): $(CONVERT_PARTS) $(SQL_OWNERS) Makefile
	{ cat $(CONVERT_PARTS); $(call owners_of,snowid_convert); } > $@

$(DIRECTORY): $(DIRECTORY_PARTS) Makefile
	{ printf '%s\n' '\echo Use "CREATE EXTENSION snowid_directory" to load this file. \quit'; cat $(DIRECTORY_PARTS); \
	  for t in worker fleet; do echo "SELECT pg_catalog.pg_extension_config_dump('snowid_directory.$$t', '');"; done; } > $@
# The same for a server that takes no extension's files.
snowid_directory.sql: $(DIRECTORY_PARTS) Makefile
	{ echo 'BEGIN;'; echo 'CREATE SCHEMA snowid_directory;'; cat $(DIRECTORY_PARTS); echo 'COMMIT;'; } > $@

# The core's own tests -----------------------------------------------------------------------------------------------

SANITIZE    ?=
ONLY        ?=
UNIT_DIR     = build/unit$(if $(SANITIZE),-$(subst $(comma),-,$(SANITIZE)))$(addprefix -,$(ONLY))
UNIT_FLAGS   = -std=c++20 $(if $(ONLY),-O2,-Og) -g1 -Wall -Wextra -Wshadow -Wconversion -Wpedantic -Werror -I. -Isrc -Itest/unit \
               -MMD -MP $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all)
CORE_SRCS    = $(wildcard src/core/*/*.cpp)
UNIT_TESTS   = $(wildcard test/unit/*.cpp test/unit/*/*.cpp)
# What the models show is a matter of the models, which take long, and not of the code that sanitizers look at. The thread sanitizer can
# find something only in files that start threads.
MODEL_TESTS  = $(filter %model_test.cpp,$(UNIT_TESTS))
THREAD_TESTS = $(shell grep -lE '\#include (<(thread|future)>|"threads.hpp")' $(UNIT_TESTS))
UNIT_SRCS    = $(CORE_SRCS) $(or $(if $(ONLY),$(MODEL_TESTS)),$(if $(filter thread,$(SANITIZE)),$(THREAD_TESTS)),$(filter-out $(MODEL_TESTS),$(UNIT_TESTS)))
UNIT_OBJS    = $(patsubst %/,$(UNIT_DIR)/%/room.o,$(sort $(dir $(UNIT_SRCS))))
CORE_OBJS    = $(filter $(UNIT_DIR)/src/%,$(UNIT_OBJS))
comma        = ,

# Here too the files of a folder are one unit.
$(UNIT_DIR)/%/room.cpp: FORCE
	@mkdir -p $(@D)
	@printf '#include "%s"\n' $(foreach file,$(UNIT_SRCS),$(if $(filter $*/,$(dir $(file))),$(file))) > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
.PRECIOUS: $(UNIT_DIR)/%/room.cpp

$(UNIT_DIR)/src/%/room.o: $(UNIT_DIR)/src/%/room.cpp
	$(CXX) $(UNIT_FLAGS) -c $< -o $@

# GoogleTest's headers are half of what most tests compile, so they are compiled once. With that, gcc 12 sees faults in
# std::string that are not there.
UNIT_HEADER  = $(UNIT_DIR)/gtest.hpp
$(UNIT_HEADER).gch:
	@mkdir -p $(@D)
	echo '#include <gtest/gtest.h>' > $(UNIT_HEADER)
	$(CXX) $(UNIT_FLAGS) -x c++-header $(UNIT_HEADER) -o $@

$(UNIT_DIR)/test/%/room.o: $(UNIT_DIR)/test/%/room.cpp $(UNIT_HEADER).gch
	$(CXX) $(UNIT_FLAGS) -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -include $(UNIT_HEADER) -c $< -o $@

$(UNIT_DIR)/core_test: $(UNIT_OBJS)
	$(CXX) $(UNIT_FLAGS) $^ -o $@ -lgtest_main -lgtest -lcrypto -pthread

-include $(UNIT_OBJS:.o=.d)

# The model of a fleet is no part of the unit tests: it runs for seconds.
FLEET_MODEL  = build/fleet/model_test
$(FLEET_MODEL): test/fleet/model/model_test.cpp $(CORE_OBJS)
	@mkdir -p $(@D)
	$(CXX) $(UNIT_FLAGS) -Itest/fleet $(filter %.cpp %.o,$^) -o $@ -lgtest_main -lgtest -pthread

build/fleet/churn: test/fleet/churn/churn.cpp $(CORE_OBJS)
	@mkdir -p $(@D)
	$(CXX) $(UNIT_FLAGS) -isystem $(shell $(PG_CONFIG) --includedir) -isystem /usr/include/postgresql $(filter %.cpp %.o,$^) -o $@ -lpq -pthread

-include $(FLEET_MODEL:=.d) build/fleet/churn.d

FUZZ_CXX    ?= clang++-14
FUZZ_SECONDS ?= 5
FUZZ_FLAGS   = -std=c++20 -O1 -g -Wall -Wextra -Wshadow -Wconversion -Wpedantic -Werror -Isrc -Itest/unit -Itest/fuzz \
               -MMD -MP -fsanitize=fuzzer,address
FUZZERS      = $(patsubst test/fuzz/%.cpp,build/fuzz/%,$(wildcard test/fuzz/*_fuzz.cpp))

build/fuzz/%: test/fuzz/%.cpp
	@mkdir -p $(@D)
	$(FUZZ_CXX) $(FUZZ_FLAGS) $(filter %.cpp,$^) -o $@

build/fuzz/layout_fuzz: src/core/layout/layout_text.cpp src/core/text/time_text.cpp
build/fuzz/inspect_fuzz: $(CORE_SRCS)

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

build/cli/snowid: FORCE
	@$(MAKE) -C cli

.PHONY: help unit fleet-model fuzz bench simulation lint format sql directory-sql dist distcheck freeze
help: ## what can be made
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile | column -t -s '|'
	@echo '  all, install, installcheck, clean  as with every PGXS extension'
unit: $(UNIT_DIR)/core_test ## GoogleTest on the core; SANITIZE=thread or address,undefined for a sanitised one, ONLY=models for the models, of SNOWID_ROUNDS per cent
	seq $(PROCESSORS) | GTEST_BRIEF=1 GTEST_TOTAL_SHARDS=$(PROCESSORS) xargs -P 0 -I {} sh -c 'GTEST_SHARD_INDEX=$$(({} - 1)) exec $<'
fleet-model: $(FLEET_MODEL) ## 5000 random runs of a fleet, or SNOWID_ROUNDS per cent of them, and the planted faults
	$<
fuzz: $(FUZZERS) ## libFuzzer on every text form and on layouts, FUZZ_SECONDS each
	printf '%s\n' $^ | xargs -P $(PROCESSORS) -I {} env {} -max_len=64 -max_total_time=$(FUZZ_SECONDS) -verbosity=0 -print_final_stats=1
bench: $(BENCHES) ## what one call into the core costs
	set -e; for bench in $^; do $$bench --benchmark_min_time=0.2; done
simulation: build/bench/timeline_simulation ## the timeline on servers of up to 1024 cores
	$<
lint: $(DATA_built) ## the rules that a script can check
	tools/lint
format: ## lay out every C++ file
	@clang-format -i $(shell git ls-files '*.cpp' '*.hpp')
sql: $(DATA_built) ## the extension script, for a reader
	@echo $(abspath $<)
directory-sql: snowid_directory.sql ## the directory of a fleet as a script for psql, where no extension can be installed
	@echo $(abspath $<)
dist: ## the zip for PGXN, of the last commit
	git archive --format=zip --prefix=snowid-$(EXTVERSION)/ -o snowid-$(EXTVERSION).zip HEAD
DIST        ?= build/dist
# Not optimised: the build shows that no file is missing. PGXN's client wants a folder for libraries that it could write to.
distcheck: dist ## the zip's own checks, and an installation of it by PGXN's client into a folder of its own
	rm -rf $(DIST)
	mkdir -p $(DIST)/installed $(shell $(PG_CONFIG) --libdir)
	unzip -q snowid-$(EXTVERSION).zip -d $(DIST)
	cd $(DIST)/snowid-$(EXTVERSION) && tools/check_meta && tools/check_versions
	MAKEFLAGS='-j$(PROCESSORS) CXXFLAGS=-O0 DESTDIR=$(abspath $(DIST))/installed' pgxn install --yes --nosudo --pg_config $(PG_CONFIG) ./snowid-$(EXTVERSION).zip
	ls -l $(DIST)/installed$(pkglibdir)/snowid.so $(addprefix $(DIST)/installed$(datadir)/,extension/$(SCRIPT) extension/$(CONVERT) snowid/snowid.sql)
freeze: $(DATA_built) ## keep the scripts of the versions that are released now, and the updates to them
	@mkdir -p sql/released
	cp $(SCRIPT) $(CONVERT) $(DIRECTORY) sql/released/
	for update in $(UPDATES); do mv $$update sql/upgrade/ && rm sql/upgrade/$$update.in; done
