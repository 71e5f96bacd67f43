# SPDX-License-Identifier: Apache-2.0
#
# One Makefile, no recursion into folders, wildcards everywhere: a new source, test, fuzz target or
# asset touches no build file. `make help` lists the targets.
#
#   V=asan|ubsan|tsan|fuzz|release   a variant, built in build/V/ next to the others
#   B=DIR                            objects and program in DIR (DIR/sonde instead of ./sonde)
#   ARCH=arm64|riscv64|ppc64le       cross build in build/ARCH/
#   WITH_X=0|1                       leave out / insist on an optional library (see OPTIONAL)
#   FLOORS="base record"             only these folders of src/, and no program
#   WERROR=1  VERBOSE=1  CC= CFLAGS= LDFLAGS= PREFIX= DESTDIR=

VERSION := 0.1.0

# Optional libraries: WITH_X=0 leaves one out, WITH_X=1 insists, unset takes it when it is there.
OPTIONAL := DW IBERTY ZSTD LZMA TRACEEVENT
# Opened at run time when asked for, so nothing to detect; WITH_X=0 removes the code.
DLOPENED := DEBUGINFOD

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

# ---- machine and variant ---------------------------------------------------------------------

HOST_ARCH := $(patsubst aarch64,arm64,$(shell uname -m))
ARCH ?= $(HOST_ARCH)
override ARCH := $(patsubst aarch64,arm64,$(ARCH))
ifneq ($(ARCH),$(HOST_ARCH))
  TRIPLET_arm64 := aarch64-linux-gnu
  TRIPLET_riscv64 := riscv64-linux-gnu
  TRIPLET_ppc64le := powerpc64le-linux-gnu
  TRIPLET_x86_64 := x86_64-linux-gnu
  TRIPLET := $(TRIPLET_$(ARCH))
  ifeq ($(TRIPLET),)
    $(error ARCH=$(ARCH) is not known: arm64, riscv64, ppc64le or x86_64)
  endif
  CC := $(TRIPLET)-gcc
  AR := $(TRIPLET)-ar
  PKG_CONFIG := env PKG_CONFIG_LIBDIR=/usr/lib/$(TRIPLET)/pkgconfig:/usr/share/pkgconfig pkg-config
endif

VARIANT_NAME := $(or $(V),default)
FLAGS_default := -O2
FLAGS_release := -O2 -DNDEBUG -D_FORTIFY_SOURCE=2 -fstack-protector-strong -ffile-prefix-map=$(CURDIR)=.
FLAGS_asan := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_ubsan := -O1 -fsanitize=undefined -fno-sanitize-recover=all
FLAGS_tsan := -O1 -fsanitize=thread
FLAGS_fuzz := -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
	-DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
VARIANT_FLAGS := $(FLAGS_$(VARIANT_NAME))
ifeq ($(VARIANT_FLAGS),)
  $(error V=$(V) is not known: asan, ubsan, tsan, fuzz or release)
endif
ifeq ($(origin CC),default)
  CC := $(if $(filter fuzz,$(VARIANT_NAME)),clang,gcc)
endif
ifneq ($(filter default undefined,$(origin AR)),)
  AR := ar
endif
PKG_CONFIG ?= pkg-config

ifndef B
  ifeq ($(ARCH),$(HOST_ARCH))
    B := build/$(VARIANT_NAME)
    PROGRAM := $(if $(V),$(B)/sonde,sonde)
  else
    B := build/$(ARCH)$(if $(V),-$(V))
  endif
endif
PROGRAM ?= $(B)/sonde

# ---- what there is ---------------------------------------------------------------------------

# FLOORS="base record" leaves out the others (and the program, which needs all of them).
SRCS := $(filter-out src/bpf/%,$(wildcard $(patsubst %,src/%/*.c,$(or $(FLOORS),*))))
MAIN := $(if $(FLOORS),,$(wildcard src/cmd/main.c))
ASSETS := $(wildcard $(patsubst %,src/%/assets/*,$(or $(FLOORS),*)))
OBJS := $(SRCS:%.c=$(B)/%.o) $(ASSETS:%=$(B)/%.o)
LIB := $(B)/libsonde.a
LIB_OBJS := $(filter-out $(B)/src/cmd/main.o,$(OBJS))

UNIT_SRCS := $(wildcard tests/unit/test_*.c)
UNIT_TESTS := $(UNIT_SRCS:%.c=$(B)/%)
# Other C files beside the tests are theirs in common; tests/tools/*.c are programs that scripts use.
TEST_LIB_SRCS := $(filter-out $(UNIT_SRCS),$(wildcard tests/unit/*.c tests/lib/*.c))
TEST_LIB_OBJS := $(TEST_LIB_SRCS:%.c=$(B)/%.o)
TOOLS := $(patsubst %.c,$(B)/%,$(wildcard tests/tools/*.c))
FUZZ_B := $(if $(filter file,$(origin B)),build,$(B))/fuzz
FUZZERS := $(patsubst %.c,$(B)/%,$(wildcard tests/fuzz/*.c))

# ---- flags -----------------------------------------------------------------------------------

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Wno-sign-conversion \
	$(if $(findstring clang,$(CC)),-Wno-missing-field-initializers -Wno-implicit-int-float-conversion) \
	$(if $(filter 1,$(WERROR)),-Werror)
CFLAGS ?= -g
# The program is one that people profile: it keeps its frame pointers and its symbols.
BASE_CFLAGS := -std=gnu17 -D_GNU_SOURCE -Isrc -DSONDE_VERSION='"$(VERSION)"' $(WARNINGS) \
	-fno-omit-frame-pointer -pthread
# Binding stays lazy and unused libraries go: all of them bound early cost 0.25 ms at every start.
BASE_LDFLAGS := -Wl,--as-needed -Wl,-z,lazy -Wl,--build-id -pthread

# Goals that must work before there is a compiler or a library.
BARE_GOALS := clean deps deps-test deps-bench demo check help lint format fuzz-smoke try-fuzzers bench distclean
ifneq ($(filter-out $(BARE_GOALS),$(or $(MAKECMDGOALS),all)),)

# Asked once and kept; again when a package has put something into these folders.
$(B)/config.mk: scripts/detect $(wildcard /usr/include /usr/lib/pkgconfig /usr/lib64/pkgconfig \
		/usr/lib/*-linux-gnu/pkgconfig)
	@mkdir -p $(@D)
	@CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' scripts/detect >$@.tmp && mv $@.tmp $@
	@echo "optional libraries:$$(for x in $(OPTIONAL); do \
		grep -q "^HAVE_$$x := 1" $@ && printf ' %s' $$x || printf ' (no %s)' $$x; done)"
include $(B)/config.mk

ifdef HAVE_ELF
ifneq ($(HAVE_ELF)$(HAVE_Z),11)
  $(error libelf or zlib not found for $(CC): `make deps$(if $(TRIPLET), ARCH=$(ARCH))` installs what is needed)
endif
define optional
  ifeq ($$(WITH_$(1))$$(HAVE_$(1)),10)
    $$(error WITH_$(1)=1, but the library is not there: make deps)
  endif
  USE_$(1) := $$(if $$(filter 0,$$(WITH_$(1))),0,$$(HAVE_$(1)))
  ifeq ($$(USE_$(1)),1)
    LIB_CFLAGS += -DHAVE_$(1) $$(CFLAGS_$(1))
    LIBS += $$(LIBS_$(1))
  endif
endef
$(foreach x,$(OPTIONAL),$(eval $(call optional,$(x))))
$(foreach x,$(DLOPENED),$(eval LIB_CFLAGS += $(if $(filter 0,$(WITH_$(x))),,-DHAVE_$(x))))
LIBS += $(LIBS_ELF) $(LIBS_Z) -ldl -lm
endif
endif

COMPILE = $(CC) $(BASE_CFLAGS) $(VARIANT_FLAGS) $(LIB_CFLAGS) $(CFLAGS) $(CPPFLAGS)
LINK = $(CC) $(VARIANT_FLAGS) $(CFLAGS) $(BASE_LDFLAGS) $(LDFLAGS)

ifneq ($(VERBOSE),)
else ifneq ($(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS)))),)
  say = @
else
  say = @printf '  %-5s %s\n' $(1) $(2);
endif

# ---- build -----------------------------------------------------------------------------------

.PHONY: all FORCE
all: $(if $(MAIN),$(PROGRAM),$(LIB))

# A file whose text is compared: objects are rebuilt when the flags change, archives when the list does.
$(B)/flags: FORCE
	@mkdir -p $(@D); echo '$(subst ','\'',$(COMPILE) $(LINK) $(LIBS))' | cmp -s - $@ || \
		echo '$(subst ','\'',$(COMPILE) $(LINK) $(LIBS))' >$@
$(B)/objects: FORCE
	@mkdir -p $(@D); echo '$(OBJS) $(TEST_LIB_OBJS)' | cmp -s - $@ || echo '$(OBJS) $(TEST_LIB_OBJS)' >$@

$(B)/%.o: %.c $(B)/flags
	$(call say,CC,$<) mkdir -p $(@D); $(COMPILE) -Itests -MMD -MP -c $< -o $@

# An asset becomes bytes between asset_NAME_start and asset_NAME_end (and a NUL behind them), where
# NAME is the file's name with every '.' and '-' turned into '_'.
define asset
$(B)/$(1).o: $(1) scripts/asset.S $(B)/flags
	$$(call say,ASSET,$$<) mkdir -p $$(@D); \
	$(CC) -c -DFILE='"$(1)"' -DNAME=asset_$(subst -,_,$(subst .,_,$(notdir $(1)))) scripts/asset.S -o $$@
endef
$(foreach x,$(ASSETS),$(eval $(call asset,$(x))))

$(LIB): $(LIB_OBJS) $(B)/objects
	$(call say,AR,$@) rm -f $@; $(AR) rcs $@ $(LIB_OBJS)

$(PROGRAM): $(OBJS) $(B)/objects
	$(call say,LINK,$@) mkdir -p $(@D); $(LINK) $(OBJS) $(LIBS) -o $@

# ---- tests -----------------------------------------------------------------------------------

# The targets that do everything use all CPUs, unless they were told how many.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

.PHONY: tests tools check check-built fuzzers try-fuzzers fuzz-smoke
$(B)/libtests.a: $(TEST_LIB_OBJS) $(B)/objects
	$(call say,AR,$@) rm -f $@; $(AR) rcs $@ $(TEST_LIB_OBJS)

$(B)/tests/unit/%: $(B)/tests/unit/%.o $(B)/libtests.a $(LIB)
	$(call say,LINK,$@) $(LINK) $^ $(LIBS_CMOCKA) $(LIBS) -o $@
$(B)/tests/tools/%: $(B)/tests/tools/%.o $(B)/libtests.a $(LIB)
	$(call say,LINK,$@) $(LINK) $^ $(LIBS) -o $@
$(B)/tests/fuzz/%: $(B)/tests/fuzz/%.o $(LIB)
	$(call say,LINK,$@) $(LINK) -fsanitize=fuzzer $^ $(LIBS) -o $@

tests: $(UNIT_TESTS) $(TOOLS)
tools: $(TOOLS)
fuzzers: $(FUZZERS)

# Everything, from whatever the machine has: installs, builds, tests. TESTS=... runs some of it.
check:
	@scripts/deps test
	@$(MAKE) $(JOBS) --no-print-directory check-built
check-built: all tests
	@$(if $(V),,$(MAKE) --no-print-directory try-fuzzers B=$(FUZZ_B))
	@SONDE_FUZZERS=$(FUZZ_B)/tests/fuzz tests/run --program $(PROGRAM) --build $(B) $(TESTS)

# The fuzz targets need clang with libFuzzer; without it tests/fuzz/smoke.sh says why it skips.
try-fuzzers:
	@if echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | \
		clang -fsanitize=fuzzer -x c - -o /dev/null 2>/dev/null; then \
		$(MAKE) --no-print-directory V=fuzz CC=clang B=$(B) fuzzers; fi
fuzz-smoke:
	@$(MAKE) --no-print-directory try-fuzzers B=$(FUZZ_B)
	@SONDE_FUZZERS=$(FUZZ_B)/tests/fuzz tests/run --build $(FUZZ_B) tests/fuzz/smoke.sh

# ---- the house -------------------------------------------------------------------------------

.PHONY: deps deps-test deps-bench demo lint format bench clean distclean help install uninstall
deps:
	@ARCH=$(if $(TRIPLET),$(ARCH)) scripts/deps build
deps-test:
	@scripts/deps test
deps-bench:
	@scripts/deps bench

demo:
	@scripts/deps demo
	@$(MAKE) $(JOBS) --no-print-directory all
	@demo/run ./sonde

lint:
	@scripts/lint
# All C files, by .clang-format.
format:
	@find src tests demo -name '*.[ch]' -not -path '*/assets/*' -print0 | xargs -0 -P 2 -n 16 clang-format -i
bench:
	@$(MAKE) $(JOBS) --no-print-directory all
	@scripts/bench $(BENCH)

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions

# The program stays unstripped: its own symbols are what `sonde test -w` is profiled by. Pages and
# completion come out of its option tables, so they are made by running it; a cross build installs
# those of GENERATOR=, a program for this machine, or none.
GENERATOR ?= $(if $(TRIPLET),,$(abspath $(PROGRAM)))
install: all
	install -D -m 755 $(PROGRAM) $(DESTDIR)$(BINDIR)/sonde
ifneq ($(GENERATOR),)
	install -d $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(COMPLETIONDIR)
	$(GENERATOR) help --generate man >$(DESTDIR)$(MANDIR)/man1/sonde.1
	set -e; for command in $$($(GENERATOR) --list-cmds); do \
		$(GENERATOR) help --generate man $$command >$(DESTDIR)$(MANDIR)/man1/sonde-$$command.1; done
	$(GENERATOR) help --generate bash >$(DESTDIR)$(COMPLETIONDIR)/sonde
endif
uninstall:
	rm -f $(DESTDIR)$(BINDIR)/sonde $(DESTDIR)$(MANDIR)/man1/sonde.1 $(DESTDIR)$(MANDIR)/man1/sonde-*.1 \
		$(DESTDIR)$(COMPLETIONDIR)/sonde

clean:
	rm -rf $(B) $(PROGRAM)
distclean:
	rm -rf build sonde

help:
	@sed -n 's/^# \{0,1\}//; 2,12p' Makefile
	@echo
	@echo 'make              build ./sonde'
	@echo 'make demo         install what is missing, build, profile the program in demo/, write flame.html'
	@echo 'make check        install what is missing, build, run every test (TESTS=path/... for some)'
	@echo 'make fuzz-smoke   a short run of every fuzz target'
	@echo 'make lint         layers, include cycles, headers, format, warnings, cppcheck'
	@echo 'make format       bring all C files into the format that lint checks'
	@echo 'make bench        speed next to perf, as ratios'
	@echo 'make deps         install what the build needs (deps-test, deps-bench: the tests, the bench)'
	@echo 'make install      PREFIX=/usr/local DESTDIR='

-include $(OBJS:.o=.d) $(TEST_LIB_OBJS:.o=.d) $(UNIT_TESTS:=.d) $(TOOLS:=.d) $(FUZZERS:=.d)
.SECONDARY:
