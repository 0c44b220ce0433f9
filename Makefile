# make            build/ventus and the libraries
# make demo       set up the machine, build, run the kernels of test/run
# make check      set up the machine, build, run every test (T=FILE... for some)
# make bench      measure
# make install    PREFIX=/usr/local, DESTDIR honoured
# make m=MODE ... another mode: dbg, asan, hostile; it builds in build-MODE
# make CC=clang B=build-clang ...    another compiler, another place
#
# Packages are installed by demo and check (check/setup.sh); a plain make only
# builds and says what is missing.

VERSION := 0.1.0
SONAME := libventus.so.0
m ?= rel
B ?= build$(if $(filter-out rel,$m),-$m)
PREFIX ?= /usr/local

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
MODE_rel := -O2 -g
MODE_dbg := -O0 -g -DDEBUG
MODE_asan := -O1 -g -DDEBUG -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
MODE_hostile := $(MODE_asan) -DHOSTILE
ifeq ($(MODE_$m),)
$(error no mode '$m': rel, dbg, asan, hostile)
endif
CPPFLAGS += -I. -Isrc -Iinclude -I$B/gen -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -DPREFIX='"$(PREFIX)"'
CFLAGS ?=
# what the tree needs of the compiler: traps and flags of floats are observed
ALLCFLAGS := -std=gnu17 $(MODE_$m) $(WARN) -fPIC -fvisibility=hidden -fno-math-errno -ffp-contract=off \
             -pthread $(CFLAGS)
LDLIBS := -ljansson -lm -pthread

# --- what there is -------------------------------------------------------------

LIBSRC := $(wildcard src/*/*.c)
TOOLSRC := $(wildcard tool/*.c)
TESTSRC := $(filter-out $(if $(wildcard src/ll/*.c),,check/ocl_%),$(wildcard check/*_test.c))
FUZZSRC := $(wildcard check/fuzz_*.c)
GENSRC := $B/gen/crt0.c $B/gen/machines.c

LIBOBJ := $(LIBSRC:%.c=$B/%.o) $(GENSRC:.c=.o)
ARCH := $(shell $(CC) -dumpmachine)
TESTS := $(TESTSRC:check/%.c=$B/check/%)

all: $B/ventus $B/libventus.so

$B/ventus: $(TOOLSRC:%.c=$B/%.o) $B/libventus.a
	$(CC) $(ALLCFLAGS) -o $@ $^ $(LDLIBS)
$B/libventus.a: $(LIBOBJ)
	@rm -f $@
	ar rcs $@ $^
# the driver: everything that vt_* reaches
$B/libventus.so: $(LIBOBJ)
	$(CC) $(ALLCFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--no-undefined -o $@ $^ $(LDLIBS)
	@ln -sf libventus.so $B/$(SONAME)

$B/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALLCFLAGS) $(CPPFLAGS) -MMD -MP -c -o $@ $<
# the lane loops, for each level of the host's vector instructions (src/sim/lane.h)
ifneq ($(filter x86_64%,$(ARCH)),)
$B/src/sim/lane_avx2.o: LEVEL := -mavx2 -mfma -mbmi2
$B/src/sim/lane_avx512.o: LEVEL := -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mbmi2 -mprefer-vector-width=512
endif
# clang says which loops it leaves scalar (division): known
NOTES := $(if $(findstring clang,$(CC)),-Wno-pass-failed)
$B/src/sim/lane_%.o: src/sim/lane_%.c
	@mkdir -p $(@D)
	$(CC) $(ALLCFLAGS) $(if $(filter rel,$m),-O3) $(LEVEL) $(NOTES) $(CPPFLAGS) -MMD -MP -c -o $@ $<
$B/gen/%.o: $B/gen/%.c
	$(CC) $(ALLCFLAGS) $(CPPFLAGS) -c -o $@ $<

# --- made from text: crt0 and the machine descriptions ---------------------------

# host programs link only what comes before them, so that they can make the rest
HOSTSRC := $(wildcard src/base/*.c src/isa/*.c src/obj/*.c src/asm/*.c)
$B/host/as: host/as.c $(HOSTSRC:%.c=$B/%.o)
	@mkdir -p $(@D)
	$(CC) $(ALLCFLAGS) $(CPPFLAGS) -o $@ $^ $(LDLIBS)
$B/host/embed: host/embed.c
	@mkdir -p $(@D)
	$(CC) $(ALLCFLAGS) $(CPPFLAGS) -o $@ $<
# the tables of doc/isa.md
DOCSRC := $(wildcard src/base/*.c src/isa/*.c)
$B/host/isadoc: host/isadoc.c $(DOCSRC:%.c=$B/%.o)
	@mkdir -p $(@D)
	$(CC) $(ALLCFLAGS) $(CPPFLAGS) -o $@ $^ -lm
$B/gen/crt0.elf: lib/crt0.s $B/host/as
	@mkdir -p $(@D)
	$B/host/as $< $@
$B/gen/crt0.c: $B/gen/crt0.elf $B/host/embed
	$B/host/embed crt0_object $B/gen/crt0.elf >$@
$B/gen/machines.c: $(wildcard lib/machine/*.machine) $B/host/embed
	@mkdir -p $(@D)
	$B/host/embed machine $(filter %.machine,$^) >$@

# --- tests ---------------------------------------------------------------------

$B/check/%: $B/check/%.o $B/libventus.a
	$(CC) $(ALLCFLAGS) -o $@ $^ -lcmocka $(LDLIBS)
# the model that executed instructions are compared with
$B/check/exec_test $B/check/simt_test: $B/check/exec_ref.o
# kernels of test/cc, by our compiler; by another implementation of OpenCL: make peer
OCLTESTS := $(wildcard check/ocl_*_test.c)
$(OCLTESTS:check/%.c=$B/check/%): $B/check/oclkit.o $B/check/ocldrv.o
PEERTESTS := $(filter-out %_clang_test %_cl20_test,$(OCLTESTS:check/ocl_%.c=$B/check/peer_%))
$(PEERTESTS): $B/check/peer_%: $B/check/ocl_%.o $B/check/oclkit.o $B/check/oclpeer.o $B/libventus.a
	$(CC) $(ALLCFLAGS) -o $@ $^ -lcmocka -lOpenCL $(LDLIBS)
# random programs, by our compiler and the host's
$B/check/ccfuzz: $B/check/ccfuzz.o $B/check/ccgen.o $B/check/ocldrv.o $B/libventus.a
	$(CC) $(ALLCFLAGS) -rdynamic -o $@ $^ $(LDLIBS)
$B/check/peer_fuzz: $B/check/ccfuzz.o $B/check/ccgen.o $B/check/oclpeer.o $B/libventus.a
	$(CC) $(ALLCFLAGS) -rdynamic -o $@ $^ -lOpenCL $(LDLIBS)
peer: $(PEERTESTS)
	@for t in $^; do $$t || exit 1; done
tests: $(TESTS) all

setup:
	@sh check/setup.sh
# the second make sees the packages that the first installed
check: setup
	@$(MAKE) --no-print-directory m=$m B=$B check-only
check-only: tests
	@B=$B CC="$(CC)" sh check/check.sh $(T)
demo: setup
	@$(MAKE) --no-print-directory m=$m B=$B all
	@B=$B sh check/demo.sh
bench: all
	@B=$B sh bench/bench.sh

# doc/isa.md with the tables of the rows as they are now
doc: $B/host/isadoc
	@$B/host/isadoc doc/isa.md >$B/isa.md && cp $B/isa.md doc/isa.md

# each header must stand alone
headers:
	@for h in $$(find src include -name '*.h'); do \
	    $(CC) -std=gnu17 $(WARN) -Wno-unused-function $(CPPFLAGS) -fsyntax-only -x c $$h || exit 1; done
layers:
	@sh check/layers.sh
tidy:
	clang-tidy --quiet $(LIBSRC) $(TOOLSRC) -- -std=gnu17 $(CPPFLAGS)
format:
	clang-format -i $$(git ls-files '*.c') # headers keep their columns

# fuzz entry points need clang: make fuzz, then build-fuzz/fuzz_decode -max_total_time=600
fuzz:
	@$(MAKE) --no-print-directory CC=clang B=build-fuzz m=asan CFLAGS=-fsanitize=fuzzer-no-link \
	    $(FUZZSRC:check/%.c=build-fuzz/%)
$B/fuzz_%: check/fuzz_%.c $B/libventus.a
	$(CC) $(ALLCFLAGS) $(CPPFLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

# --- installation ----------------------------------------------------------------

INSTALL ?= install
PKGCONFIG ?= $(PREFIX)/lib/pkgconfig
DEST := $(DESTDIR)$(PREFIX)
MAN := $(wildcard doc/man/*.1)

install: all
	$(INSTALL) -d $(DEST)/bin $(DEST)/lib $(DEST)/include/ventus $(DEST)/share/man/man1 \
	    $(DEST)/share/ventus/machine $(DEST)/share/bash-completion/completions $(DESTDIR)$(PKGCONFIG)
	$(INSTALL) -m 755 $B/ventus $(DEST)/bin
	$(INSTALL) -m 755 $B/libventus.so $(DEST)/lib/libventus.so.$(VERSION)
	ln -sf libventus.so.$(VERSION) $(DEST)/lib/$(SONAME)
	ln -sf $(SONAME) $(DEST)/lib/libventus.so
	$(INSTALL) -m 644 include/ventus/*.h $(DEST)/include/ventus
	$(INSTALL) -m 644 lib/machine/*.machine $(DEST)/share/ventus/machine
	$(INSTALL) -m 644 $(MAN) $(DEST)/share/man/man1
	$(INSTALL) -m 644 tool/completion.bash $(DEST)/share/bash-completion/completions/ventus
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' lib/ventus.pc.in >$(DESTDIR)$(PKGCONFIG)/ventus.pc

uninstall:
	rm -f $(DEST)/bin/ventus $(DEST)/lib/libventus.so* $(DESTDIR)$(PKGCONFIG)/ventus.pc \
	    $(MAN:doc/man/%=$(DEST)/share/man/man1/%) $(DEST)/share/bash-completion/completions/ventus
	rm -rf $(DEST)/include/ventus $(DEST)/share/ventus

clean:
	rm -rf $B

.PHONY: all tests peer setup check check-only demo bench doc headers layers tidy format fuzz clean install uninstall
.SECONDARY:
-include $(shell find $B -name '*.d' 2>/dev/null)
