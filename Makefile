# make            build/ventus and the libraries
# make demo       set up the machine, build, run the kernels of test/run
# make check      set up the machine, build, run every test (T=FILE... for some; E=ENGINE: launches on that one)
# make bench      measure
# make install    PREFIX=/usr/local, LIBDIR=PREFIX/lib; DESTDIR honoured
# make accuracy   errors of the device library's functions; STEP=1 for all floats, COUNT=N doubles, pairs of halves
# make m=MODE ... another mode: dbg, asan, tsan, hostile; it builds in build-MODE
# make CC=clang B=build-clang ...    another compiler, another place
# make V=1 ...    shows the commands
#
# Packages are installed by demo and check (test/runner/setup.sh); a plain make only
# builds and says what is missing.

VERSION := 0.1.0
SONAME := libventus.so.0
m ?= rel
B ?= build$(if $(filter-out rel,$m),-$m)
PREFIX ?= /usr/local

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
MODE_rel := -O2 -g
MODE_dbg := -O0 -g -DDEBUG
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
MODE_asan := -O1 -g -DDEBUG $(SANITIZE)
MODE_tsan := -O0 -g1 -DDEBUG -fsanitize=thread -fno-omit-frame-pointer
# soon built, and its programs soon begin: what a trap was, asan says
MODE_hostile := -O0 -g1 -DDEBUG -DHOSTILE $(SANITIZE) -fsanitize-undefined-trap-on-error
ifeq ($(MODE_$m),)
$(error no mode '$m': rel, dbg, asan, tsan, hostile)
endif
CPPFLAGS += -I. -Isrc -Iinclude -I$B/gen -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -DPREFIX='"$(PREFIX)"'
CFLAGS ?=
# what the tree needs of the compiler: traps and flags of floats are observed
ALLCFLAGS := -std=gnu17 $(MODE_$m) $(WARN) -fPIC -fvisibility=hidden -fno-math-errno -ffp-contract=off \
             -pthread $(CFLAGS)
LDLIBS := -ljansson -lm -ldl -pthread

# a line for each step, where neither V=1 nor -s is given: $(call say,CC,what)command
say = $(if $(filter 1,$V)$(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS)))),,@printf '  %-7s %s\n' '$1' '$2';)

.DEFAULT_GOAL := all

# --- what there is -------------------------------------------------------------

# whether a program that includes the header compiles, and with the library links
header = $(shell printf '\043include <$1>\n' | $(CC) $(CPPFLAGS) -E -o /dev/null -xc - 2>/dev/null && echo yes)
library = $(shell echo 'int main(void) { return 0; }' | $(CC) -o /dev/null -xc - $1 2>/dev/null && echo yes)

# what nothing goes without
PACKAGES := $(if $(shell command -v $(firstword $(filter-out ccache,$(CC)))),$(if $(call header,stdio.h),,libc6-dev) \
            $(if $(call header,jansson.h),,libjansson-dev),$(CC))
packages:
	@$(if $(strip $(PACKAGES)),echo 'missing: $(strip $(PACKAGES)) (install the package, or let make setup do it)'; exit 1,:)

# LLVM 19 or newer, found by its llvm-config; LLVM_CONFIG= (empty) leaves the compiler out
LLVM_CONFIG ?= $(firstword $(foreach v,$(or $(VENTUS_LLVM),19 20 21 22),$(shell command -v llvm-config-$v)))
ifneq ($(LLVM_CONFIG),)
LLVM_HEADERS := $(wildcard $(shell $(LLVM_CONFIG) --includedir)/llvm-c/Core.h)
LLVM_CLANG := $(if $(LLVM_HEADERS),$(firstword $(wildcard $(shell $(LLVM_CONFIG) --bindir)/clang)))
endif

# the OpenCL runtime needs headers (opencl-headers, ocl-icd-opencl-dev)
CLSRC := $(wildcard src/cl/*.c)
HAS_CL := $(call header,CL/cl_icd.h)
# and programs that use it the loader
HAS_LOADER := $(if $(HAS_CL),$(call library,-lOpenCL))
# sweeps keep their results in SQLite (libsqlite3-dev)
HAS_SQLITE := $(and $(call header,sqlite3.h),$(call library,-lsqlite3))
# pictures as arguments of `ventus run` may be PNG (libpng-dev)
HAS_PNG := $(and $(call header,png.h),$(call library,-lpng))
# what knows LLVM is in the program of the compiler's process alone (tool/cc1)
LLSRC := $(wildcard src/ll/*.c)
# likewise what makes host code with LLVM, in the program of the maker (tool/jit1)
JITSRC := $(addprefix src/jit/,codemaker.c translate.c diverge.c instruction.c linear.c carried.c repeat.c arith.c canonical.c fence.c hostfloat.c hostdouble.c product.c pair.c reach.c vecmem.c lanes.c stream.c helpers.c words.c cluster.c)
LIBSRC := $(filter-out $(CLSRC) $(LLSRC) $(JITSRC),$(wildcard src/*/*.c))
TOOLSRC := $(wildcard tool/*.c)
CLTESTSRC := $(wildcard test/opencl/*_test.c)
# tests that call a part of the compiler which knows LLVM
LLTESTSRC := test/unit/apart_test.c test/unit/converge_test.c test/unit/expand_test.c test/unit/front_test.c test/unit/grouping_test.c test/unit/kernel_table_test.c test/unit/lower_debug_test.c test/unit/lower_test.c test/unit/rewrite_test.c test/unit/rounds_test.c
TESTSRC := $(filter-out $(if $(HAS_LOADER),,$(CLTESTSRC)) $(if $(LLVM_CLANG),,$(LLTESTSRC)),$(wildcard test/*/*_test.c))
FUZZSRC := $(filter-out $(if $(HAS_CL),,test/fuzz/fuzz_binary.c) $(if $(LLVM_CLANG),,test/fuzz/fuzz_maker.c),$(wildcard test/fuzz/fuzz_*.c))
CRT0 := $(patsubst lib/%.s,$B/gen/%.c,$(wildcard lib/crt0*.s))
GENSRC := $(CRT0) $B/gen/machines.c

LIBOBJ := $(LIBSRC:%.c=$B/%.o) $(GENSRC:.c=.o)
ARCH := $(shell $(CC) -dumpmachine 2>/dev/null)
TESTS := $(TESTSRC:%.c=$B/%)

all: $B/ventus $B/libventus.so
ifneq ($(LLVM_CLANG),)
all: $B/ventus-cc1 $B/libventus-clang.so $B/libventus-pages.so $B/ventus-jit1
else
all: no-compiler
endif
no-compiler:
	@echo 'no clang and LLVM of version 19 or newer (packages clang-19, llvm-19-dev): the compiler (ventus-cc1) is left out'
all: $(if $(HAS_SQLITE),,no-sqlite)
no-sqlite:
	@echo 'no sqlite3.h (package libsqlite3-dev): ventus sweep has nowhere to keep its results, and says so'
all: $(if $(HAS_PNG),,no-png)
no-png:
	@echo 'no png.h (package libpng-dev): ventus run reads and writes pictures as PGM and PPM only'
all: $(if $(HAS_CL),$B/libventus-opencl.so $B/ventus.icd,no-opencl)
no-opencl:
	@echo 'no CL/cl_icd.h (packages opencl-headers, ocl-icd-opencl-dev): the OpenCL runtime is left out'

$B/ventus: $(TOOLSRC:%.c=$B/%.o) $B/libventus.a
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) $(LDFLAGS) -o $@ $^ $(if $(HAS_SQLITE),-lsqlite3) $(if $(HAS_PNG),-lpng) $(LDLIBS)
$B/tool/sweep_store.o: CPPFLAGS += $(if $(HAS_SQLITE),-DHAVE_SQLITE)
$B/tool/raster.o: CPPFLAGS += $(if $(HAS_PNG),-DHAVE_PNG)
$B/libventus.a: $(LIBOBJ)
	@rm -f $@
	$(call say,AR,$@)ar rcs $@ $^
# the driver: everything that vt_* reaches
$B/libventus.so: $(LIBOBJ)
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--no-undefined -o $@ $^ $(LDLIBS)
	@ln -sf libventus.so $B/$(SONAME)

# the OpenCL runtime: only what the loader looks up is visible, and it stays loaded because it has
# threads.  OCL_ICD_VENDORS=$B/ventus.icd finds it without an installation
$B/libventus-opencl.so: $(CLSRC:%.c=$B/%.o) $B/libventus.a
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) $(LDFLAGS) -shared -Wl,-z,nodelete -Wl,--exclude-libs,ALL -Wl,-Bsymbolic -Wl,--no-undefined \
	    -o $@ $^ $(LDLIBS)
$B/ventus.icd: $B/libventus-opencl.so
	@echo $(abspath $<) >$@

$B/%.o: %.c | packages
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ALLCFLAGS) $(CPPFLAGS) -MMD -MP -c -o $@ $<
# the lane loops, for each level of the host's vector instructions (src/sim/lane.h)
ifneq ($(filter x86_64%,$(ARCH)),)
$B/src/sim/lane_avx2.o: LEVEL := -mavx2 -mfma -mbmi2
$B/src/sim/lane_avx512.o: LEVEL := -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mbmi2 -mprefer-vector-width=512
endif
# the checks look at rows of lanes too
$B/src/check/%.o: ALLCFLAGS += $(if $(filter rel,$m),-O3)
# clang says which loops it leaves scalar (division): known
NOTES := $(if $(findstring clang,$(CC)),-Wno-pass-failed)
$B/src/sim/lane_%.o: src/sim/lane_%.c | packages
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ALLCFLAGS) $(if $(filter rel,$m),-O3) $(LEVEL) $(NOTES) $(CPPFLAGS) -MMD -MP -c -o $@ $<
$B/gen/%.o: $B/gen/%.c
	$(call say,CC,$<)$(CC) $(ALLCFLAGS) $(CPPFLAGS) -c -o $@ $<

# --- made from text: crt0 and the machine descriptions ---------------------------

# host programs link only what comes before them, so that they can make the rest
HOSTSRC := $(wildcard src/base/*.c src/isa/*.c src/obj/*.c src/asm/*.c)
$B/host/as: host/as.c $(HOSTSRC:%.c=$B/%.o)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) $(CPPFLAGS) -o $@ $^ $(LDLIBS)
$B/host/embed: host/embed.c
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) $(CPPFLAGS) -o $@ $<
# the tables of documents
DOCSRC := $(wildcard src/base/*.c src/isa/*.c)
$B/host/tables: host/tables.c $(DOCSRC:%.c=$B/%.o)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) $(CPPFLAGS) -o $@ $^ -lm
$B/gen/%.elf: lib/%.s $B/host/as
	@mkdir -p $(@D)
	$(call say,GEN,$@)$B/host/as $< $@
$(CRT0): $B/gen/%.c: $B/gen/%.elf $B/host/embed
	$(call say,GEN,$@)$B/host/embed $*_object $< >$@
$B/gen/machines.c: $(wildcard lib/machine/*.machine) $B/host/embed
	@mkdir -p $(@D)
	$(call say,GEN,$@)$B/host/embed machine $(filter %.machine,$^) >$@

$B/gen/prologue.c: lib/opencl/prologue.h $B/host/embed
	@mkdir -p $(@D)
	$(call say,GEN,$@)$B/host/embed front_prologue $< >$@

# --- the compiler and its device library ----------------------------------------------

ifneq ($(LLVM_CLANG),)
LLVM_VERSION := $(shell $(LLVM_CONFIG) --version)
LLVM_CFLAGS := -isystem $(shell $(LLVM_CONFIG) --includedir)
LLVM_SHARED := -L$(shell $(LLVM_CONFIG) --libdir) -lLLVM-$(firstword $(subst ., ,$(LLVM_VERSION)))
# LLVM's archives start 10 ms earlier than its shared library, which has a million words to relocate; what they
# need of the system is taken where it is, for compression and XML are not used
LLVM_PARTS := core passes linker bitreader bitwriter
JIT_PARTS := core passes native
LLVM_SYSTEM := -Wl,--as-needed $(shell $(LLVM_CONFIG) --link-static --system-libs $(LLVM_PARTS) 2>/dev/null | \
               sed 's,-lzstd,-l:libzstd.so.1,; s,-lxml2,-l:libxml2.so.2,; s,[^ ]*libz3[^ ]*,,') -l:libstdc++.so.6
LLVM_ARCHIVES := $(wildcard $(shell $(LLVM_CONFIG) --libdir)/libLLVMPasses.a)
llvm_static = -no-pie -Wl,--gc-sections $(shell $(LLVM_CONFIG) --link-static --ldflags --libs $1 2>/dev/null)
HAS_ARCHIVES := $(and $(LLVM_ARCHIVES),$(call library,$(LLVM_SYSTEM)))
llvm_libs = $(if $(HAS_ARCHIVES),$(call llvm_static,$1) $(LLVM_SYSTEM),$(LLVM_SHARED))
$(LLSRC:%.c=$B/%.o): CPPFLAGS += $(LLVM_CFLAGS)
$B/src/comp/client.o: CPPFLAGS += -DCLANG='"$(LLVM_CLANG)"'

$B/ventus-cc1: $B/tool/cc1/cc1.o $(LLSRC:%.c=$B/%.o) $B/gen/devlib.o $B/gen/prologue.o $B/gen/warm_bitcode.o $B/libventus.a
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) $(LDFLAGS) -o $@ $^ $(call llvm_libs,$(LLVM_PARTS)) $(LDLIBS)
$B/gen/warm_source.c: tool/cc1/warm.cl $B/host/embed
	@mkdir -p $(@D)
	$(call say,GEN,$@)$B/host/embed warm_source $< >$@
$B/gen/warm.bc: tool/cc1/warm.cl
	@mkdir -p $(@D)
	$(call say,CL,$<)$(LLVM_CLANG) -cc1 -triple spir-unknown-unknown -x cl -cl-std=CL1.2 -O2 -disable-llvm-passes \
	    -finclude-default-header -fdeclare-opencl-builtins -cl-kernel-arg-info -emit-llvm-bc -o $@ $<
$B/gen/warm_bitcode.c: $B/gen/warm.bc $B/host/embed
	$(call say,GEN,$@)$B/host/embed warm_bitcode $< >$@
# goes into a process of clang, which has no sanitizers
CLANGSRC := tool/cc1/clang_server.c src/ll/clang_job.c src/proc/serve.c src/proc/wire.c src/proc/stack.c src/proc/confine.c src/proc/share.c \
            $B/gen/warm_source.c
$B/libventus-clang.so: $(CLANGSRC) $(wildcard src/proc/*.h src/ll/clang_job.h src/comp/*.h src/base/base.h)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) -std=gnu17 -O2 -g $(WARN) -fPIC -fvisibility=hidden $(CPPFLAGS) $(LDFLAGS) -shared -Wl,--no-undefined -o $@ $(CLANGSRC) -ldl -pthread
# likewise, and it has no C library
$B/libventus-pages.so: tool/cc1/clang_pages.c
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) -std=gnu17 -O2 -g $(WARN) -fPIC -fvisibility=hidden -fno-stack-protector \
	    $(CPPFLAGS) $(LDFLAGS) -shared -nostdlib -Wl,--no-undefined -o $@ $<

$(JITSRC:%.c=$B/%.o): CPPFLAGS += $(LLVM_CFLAGS)
$B/ventus-jit1: $B/tool/jit1/jit1.o $(JITSRC:%.c=$B/%.o) $B/libventus.a
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) $(LDFLAGS) -o $@ $^ $(call llvm_libs,$(JIT_PARTS)) $(LDLIBS)

DEVLIB := $(patsubst lib/opencl/%,$B/devlib/%.bc,$(basename $(wildcard lib/opencl/*.cl lib/opencl/*.ll)))
CLFLAGS := -triple spir-unknown-unknown -x cl -cl-std=CL3.0 -O2 -disable-llvm-passes -Isrc -Ilib -Ilib/opencl -Wno-atomic-alignment
# of src only the rows that programs for the machine must know
ABIROWS := src/isa/abi.h src/isa/abi.def src/isa/csr.def src/isa/image.h src/isa/image.def \
           src/isa/pipe.h src/isa/pipe.def
$B/devlib/%.bc: lib/opencl/%.cl $(wildcard lib/*.h lib/opencl/*.h) $(ABIROWS)
	@mkdir -p $(@D)
	$(call say,CL,$<)$(LLVM_CLANG) -cc1 $(CLFLAGS) -emit-llvm-bc -o $@ $<
$B/devlib/%.bc: lib/opencl/%.ll
	@mkdir -p $(@D)
	$(call say,CL,$<)$(LLVM_CLANG) -cc1 -triple spir-unknown-unknown -x ir -emit-llvm-bc -o $@ $<
$B/host/devlib: host/devlib.c
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) $(CPPFLAGS) $(LLVM_CFLAGS) -o $@ $< $(LLVM_SHARED)
# split writes only what differs from before, so that a change optimises again only the parts that it reaches
$B/gen/devlib.bc: $(DEVLIB) $B/host/devlib
	@mkdir -p $(@D) $B/devlib/whole
	$(call say,GEN,$@)$B/host/devlib split $@ $B/devlib/whole $(DEVLIB)
$B/devlib/whole/%.bc: $B/gen/devlib.bc ;
$B/devlib/part/%.bc: $B/devlib/whole/%.bc
	@mkdir -p $(@D)
	$(call say,OPT,$@)$B/host/devlib optimise $< $@
$B/gen/devlib.s: $(DEVLIB:$B/devlib/%=$B/devlib/part/%) $B/host/devlib
	$(call say,GEN,$@)$B/host/devlib pack $B/gen/devlib $(filter %.bc,$^)
$B/gen/devlib.o: $B/gen/devlib.s
	$(call say,CC,$<)$(CC) -c -o $@ $<
endif

# --- host programs in OpenCL ------------------------------------------------------

EXAMPLES := $(patsubst examples/%.c,$B/examples/%,$(wildcard examples/*.c))
examples: all $(if $(HAS_LOADER),$(EXAMPLES))
$B/examples/%: examples/%.c $(wildcard examples/*.h)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) -o $@ $< -lOpenCL -lm

# --- tests ---------------------------------------------------------------------

$B/test/%: $B/test/%.o $B/libventus.a
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) -Wl,-rpath,'$$ORIGIN/../..' -o $@ $(filter %.o,$^) $(filter %.a,$^) -lcmocka $(LDLIBS)
# their compilation takes longer than what they do themselves, but for the three named
$B/test/%_test.o: ALLCFLAGS += $(if $(filter rel,$m),$(if $(filter %/facts_test.o %/fp_test.o %/alloc_test.o,$@),,-O0))
# memory of the compiler by test/kit/guard.h
GUARDED := -Wl,--wrap=ir_alloc,--wrap=ir_grow_
GUARDTESTS := cc debuginfo fold lack lanes layout lower lower_debug registers strength uniform
$(GUARDTESTS:%=$B/test/unit/%_test): LDLIBS += $(GUARDED)
# through the system's loader
$B/test/opencl/%: $B/test/opencl/%.o $B/libventus.a
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) -Wl,-rpath,'$$ORIGIN/../..' -o $@ $^ -lOpenCL -lcmocka $(LDLIBS)
# the model that executed instructions are compared with
$B/test/unit/exec_test $B/test/unit/simt_test: $B/test/kit/exec_ref.o
# programs of two engines
$B/test/unit/jit_test $B/test/unit/jit_memory_test $B/test/unit/jit_rows_test $B/test/unit/jit_linear_test $B/test/unit/jit_rounds_test $B/test/unit/jit_record_test $B/test/unit/jit_lanes_test $B/test/unit/jit_matrix_test $B/test/unit/jit_sides_test $B/test/unit/region_blocks_test $B/test/unit/jit_engine_test: $B/test/kit/asmgen.o $B/test/kit/twins.o
ifneq ($(LLVM_CLANG),)
$(LLTESTSRC:%.c=$B/%.o): CPPFLAGS += $(LLVM_CFLAGS)
$(LLTESTSRC:%.c=$B/%): LDLIBS += $(LLVM_SHARED)
$(LLTESTSRC:%.c=$B/%): $B/src/ll/converge.o $B/src/ll/callers.o
$B/test/unit/rounds_test: $B/src/ll/rounds.o
$B/test/unit/grouping_test: $B/src/ll/grouping.o $B/src/ll/kernel_table.o $(filter $B/src/ll/lower%,$(LLSRC:%.c=$B/%.o))
$B/test/unit/apart_test: $(patsubst %,$B/src/ll/%.o,asyncnotes firstvalues indexnotes straynotes)
$B/test/unit/front_test: $(patsubst %,$B/src/ll/%.o,front build_options clang_job source_line) $B/gen/prologue.o
$B/test/unit/kernel_table_test $B/test/unit/lower_test $B/test/unit/lower_debug_test: $(filter $B/src/ll/lower%,$(LLSRC:%.c=$B/%.o)) $B/src/ll/kernel_table.o
$B/test/unit/rewrite_test: $(patsubst %,$B/src/ll/%.o,bytes components extremes indexnotes kernel_table pointers prepare relaxed retype rounds spaces unroll) $(filter $B/src/ll/lower%,$(LLSRC:%.c=$B/%.o))
endif
# kernels of test/cc, by our compiler; by another implementation of OpenCL: make peer
OCLTESTS := $(wildcard test/cc/*_test.c)
$(OCLTESTS:%.c=$B/%): $B/test/cc/%: $B/test/cc/%.o $B/test/kit/oclkit.o $B/test/kit/ocldrv.o $B/libventus.a
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) -Wl,-rpath,'$$ORIGIN/../..' -o $@ $^ -lcmocka $(LDLIBS)
PEERTESTS := $(filter-out %_clang_test %_cl20_test %_atomic64_test %_bits_test %_half_test %_subgroup_test,$(OCLTESTS:test/cc/ocl_%.c=$B/test/cc/peer_%))
$(PEERTESTS): $B/test/cc/peer_%: $B/test/cc/ocl_%.o $B/test/kit/oclkit.o $B/test/kit/oclpeer.o $B/libventus.a
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) -o $@ $^ -lcmocka -lOpenCL $(LDLIBS)
# random programs, by our compiler and the host's
$B/test/fuzz/ccfuzz: $B/test/fuzz/ccfuzz.o $B/test/kit/ccgen.o $B/test/kit/ocldrv.o $B/libventus.a
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) -rdynamic -Wl,-rpath,'$$ORIGIN/../..' -o $@ $^ $(LDLIBS)
$B/test/fuzz/peer_fuzz: $B/test/fuzz/ccfuzz.o $B/test/kit/ccgen.o $B/test/kit/oclpeer.o $B/libventus.a
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) -rdynamic -o $@ $^ -lOpenCL $(LDLIBS)
peer: $(PEERTESTS)
	@for t in $^; do $$t || exit 1; done
# what scripts run besides, made before them because they run side by side
BYSCRIPTS := $B/host/tables $(if $(LLVM_CLANG),$B/test/fuzz/ccfuzz $B/test/accuracy/accuracy $B/test/accuracy/convert $B/test/accuracy/vectors $B/test/accuracy/exact $B/test/accuracy/double \
             $B/test/accuracy/fp16 $B/test/accuracy/arithmetic) \
             $(if $(HAS_LOADER),$(EXAMPLES))
# programs of benchmarks, which are built with the tests so that they stay whole
BENCHES := $B/bench/cc_bench $B/bench/jit_bench $B/bench/recode $(if $(HAS_LOADER),$B/bench/cl_bench $B/bench/kinds_bench $B/bench/many_bench)
# with T only the C tests that are named
tests: $(if $(T),$(filter $(patsubst %.c,$B/%,$(wildcard $T)),$(TESTS)),$(TESTS) $(BYSCRIPTS) $(BENCHES)) all
ifneq ($(call header,cmocka.h),yes)
$(TESTS:%=%.o): | no-cmocka
endif
no-cmocka:
	@echo 'missing: libcmocka-dev (install the package, or let make setup do it)'; exit 1

setup:
	@sh test/runner/setup.sh
# the second make sees the packages that the first installed
check: setup
	@$(MAKE) --no-print-directory m=$m B=$B check-only
check-only: tests
	@B=$B CC="$(CC)" m=$m LLVM_CONFIG="$(LLVM_CONFIG)" $(if $E,VENTUS_ENGINE=$E KIT_ENGINE=$E) sh test/runner/check.sh $(T)
demo: setup
	@$(MAKE) --no-print-directory m=$m B=$B examples
	@B=$B CC="$(CC)" m=$m sh test/runner/demo.sh
bench: all $(BENCHES)
	@B=$B sh bench/bench.sh
	@B=$B sh bench/cc.sh
	@B=$B sh bench/time.sh
ifneq ($(HAS_LOADER),)
	@B=$B sh bench/cl.sh
	@B=$B sh bench/kinds.sh
	@B=$B sh bench/many.sh
endif
$B/bench/cc_bench $B/bench/jit_bench $B/bench/recode: $B/bench/%: bench/%.c $B/libventus.a
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) $(CPPFLAGS) -o $@ $^ $(LDLIBS)
$B/bench/cl_bench: bench/cl_bench.c examples/example.h
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) -I. -D_GNU_SOURCE -o $@ $< -lOpenCL
$B/bench/kinds_bench $B/bench/many_bench: $B/bench/%: bench/%.c examples/example.h
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) -I. -D_GNU_SOURCE -o $@ $< -lOpenCL -lm

# --- the device library on the host: its accuracy -----------------------------------

STEP ?= 65521
COUNT ?= 1000000
DEVSRC := $(filter-out %/atomic.cl %/image.cl %/pipe.cl %/sync.cl %/subgroup.cl %/workgroup.cl %/workitem.cl,$(wildcard lib/opencl/*.cl))
DEVOBJ := $(DEVSRC:lib/opencl/%.cl=$B/devhost/%.o)
CLHOST := -target $(ARCH) $(if $(filter x86_64%,$(ARCH)),-mfma) -x cl -cl-std=CL3.0 -cl-no-stdinc \
          -Xclang -cl-ext=+__opencl_c_generic_address_space,+cl_khr_fp16,+cl_khr_fp64,+__opencl_c_fp64 -O2 -fPIC -Wall -Werror -Wno-psabi -Isrc -Ilib -Ilib/opencl -Itest/accuracy
$B/devhost/%.o: lib/opencl/%.cl lib/ventus.h $(wildcard lib/opencl/*.h) $(ABIROWS)
	@mkdir -p $(@D)
	$(call say,CL,$<)$(LLVM_CLANG) $(CLHOST) -c -o $@ $<
$B/devhost/run_%.o: test/accuracy/%.cl test/accuracy/%.def lib/ventus.h $(ABIROWS)
	@mkdir -p $(@D)
	$(call say,CL,$<)$(LLVM_CLANG) $(CLHOST) -c -o $@ $<
$B/test/accuracy/exact.o: ALLCFLAGS += -frounding-math
$(addprefix $B/test/accuracy/,accuracy convert vectors exact double fp16): $B/test/accuracy/%: $B/test/accuracy/%.o $B/devhost/run_%.o $(DEVOBJ)
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) -o $@ $^ -lm
# what needs no loops in OpenCL C
$B/test/accuracy/arithmetic: $B/test/accuracy/arithmetic.o $(DEVOBJ)
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) -o $@ $^ -lm
$B/test/unit/expand_test: $(patsubst %,$B/src/ll/%.o,halves libcalls kernel_table) $(filter $B/src/ll/lower%,$(LLSRC:%.c=$B/%.o)) $(DEVOBJ)
$B/test/unit/expand_test: LDLIBS += -lm
# errors of the mathematical functions (STEP=1: of every float), and what must be exact
accuracy: $(addprefix $B/test/accuracy/,accuracy convert vectors exact double fp16 arithmetic)
	@$B/test/accuracy/convert
	@$B/test/accuracy/vectors
	@$B/test/accuracy/exact
	@$B/test/accuracy/arithmetic $(COUNT)
	@$B/test/accuracy/accuracy $(STEP) $(NAMES)
	@$B/test/accuracy/double $(COUNT) $(NAMES)
	@$B/test/accuracy/fp16 $(COUNT) $(NAMES)

# documents with the tables of the rows as they are now, and their drawings
TABLED := $(shell grep -l '^<!-- generated' doc/*.md)
doc: $B/host/tables
	@for f in $(TABLED); do $< $$f >$B/table.md && cp $B/table.md $$f || exit 1; done
	@for f in doc/drawings/*.txt; do awk -f doc/drawings/draw.awk $$f >$${f%.txt}.svg || exit 1; done

# each header must stand alone
headers:
	@n=0; for h in $$(find src include -name '*.h' $(if $(HAS_CL),,! -path 'src/cl/*')); do \
	    case $$h in src/ll/lower* | src/jit/translate.h) [ "$(LLVM_CLANG)" ] || continue ;; esac; n=$$((n + 1)); \
	    $(CC) -std=gnu17 $(WARN) -Wno-unused-function $(CPPFLAGS) $(LLVM_CFLAGS) -fsyntax-only -x c $$h || exit 1; done; \
	    echo "$$n headers"
layers: all
	@B=$B sh test/runner/layers.sh
tidy:
	clang-tidy --quiet $(LIBSRC) $(CLSRC) $(TOOLSRC) -- -std=gnu17 $(CPPFLAGS)
format:
	clang-format -i $$(git ls-files '*.c') # headers keep their columns

# fuzz entry points need clang: make fuzz, then build-fuzz/fuzz_decode -max_total_time=600
fuzz:
	@$(MAKE) --no-print-directory CC=clang B=build-fuzz m=asan CFLAGS=-fsanitize=fuzzer-no-link \
	    $(FUZZSRC:test/fuzz/%.c=build-fuzz/%)
$B/fuzz_%: test/fuzz/fuzz_%.c $B/libventus.a
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) $(CPPFLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)
$B/fuzz_binary: $B/src/cl/container.o
$B/fuzz_maker: test/fuzz/fuzz_maker.c $(JITSRC:%.c=$B/%.o) $B/libventus.a
	$(call say,LD,$@)$(CC) $(ALLCFLAGS) $(CPPFLAGS) -fsanitize=fuzzer -o $@ $^ $(LLVM_SHARED) $(LDLIBS)

# --- installation ----------------------------------------------------------------

INSTALL ?= install
LIBDIR ?= $(PREFIX)/lib
OPENCLDIR ?= $(LIBDIR)
PKGCONFIG ?= $(LIBDIR)/pkgconfig
CMAKEDIR ?= $(LIBDIR)/cmake/ventus
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
DEST := $(DESTDIR)$(PREFIX)
MAN := $(wildcard doc/man/*.1)
ICDDIR ?= /etc/OpenCL/vendors
FILL = sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|'

install: all
	$(INSTALL) -d $(DEST)/bin $(DESTDIR)$(LIBDIR) $(DEST)/include/ventus $(DEST)/share/man/man1 \
	    $(DEST)/share/ventus/machine $(DESTDIR)$(PKGCONFIG) $(DESTDIR)$(CMAKEDIR) \
	    $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR)
	$(INSTALL) -m 755 $B/ventus $(DEST)/bin
	$(INSTALL) -m 755 $B/libventus.so $(DESTDIR)$(LIBDIR)/libventus.so.$(VERSION)
	ln -sf libventus.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libventus.so
	$(INSTALL) -m 644 include/ventus/*.h $(DEST)/include/ventus
	$(INSTALL) -m 644 lib/machine/*.machine $(DEST)/share/ventus/machine
	$(INSTALL) -m 644 $(MAN) $(DEST)/share/man/man1
	$(INSTALL) -m 644 tool/completion.bash $(DESTDIR)$(BASHDIR)/ventus
	$(INSTALL) -m 644 tool/completion.zsh $(DESTDIR)$(ZSHDIR)/_ventus
	$(INSTALL) -m 644 tool/completion.fish $(DESTDIR)$(FISHDIR)/ventus.fish
ifneq ($(LLVM_CLANG),)
	$(INSTALL) -d $(DEST)/libexec/ventus
	$(INSTALL) -m 755 $B/ventus-cc1 $B/libventus-clang.so $B/libventus-pages.so $B/ventus-jit1 $(DEST)/libexec/ventus
endif
ifneq ($(HAS_CL),)
	$(INSTALL) -d $(DESTDIR)$(ICDDIR) $(DESTDIR)$(OPENCLDIR)
	$(INSTALL) -m 755 $B/libventus-opencl.so $(DESTDIR)$(OPENCLDIR)
	echo $(OPENCLDIR)/libventus-opencl.so >$(DESTDIR)$(ICDDIR)/ventus.icd
endif
	$(FILL) lib/ventus.pc.in >$(DESTDIR)$(PKGCONFIG)/ventus.pc
	$(FILL) lib/ventus-config.cmake.in >$(DESTDIR)$(CMAKEDIR)/ventus-config.cmake
	$(FILL) lib/ventus-config-version.cmake.in >$(DESTDIR)$(CMAKEDIR)/ventus-config-version.cmake

uninstall:
	rm -f $(DESTDIR)$(OPENCLDIR)/libventus-opencl.so $(DESTDIR)$(ICDDIR)/ventus.icd
	rm -rf $(DESTDIR)$(CMAKEDIR)
	rm -f $(DEST)/bin/ventus $(DESTDIR)$(LIBDIR)/libventus.so* $(DESTDIR)$(PKGCONFIG)/ventus.pc \
	    $(MAN:doc/man/%=$(DEST)/share/man/man1/%) \
	    $(DESTDIR)$(BASHDIR)/ventus $(DESTDIR)$(ZSHDIR)/_ventus $(DESTDIR)$(FISHDIR)/ventus.fish
	rm -rf $(DEST)/include/ventus $(DEST)/share/ventus $(DEST)/libexec/ventus

clean:
	rm -rf $B

.PHONY: all accuracy packages no-opencl no-compiler no-sqlite no-png no-cmocka examples peer tests setup check check-only demo bench doc headers layers tidy format fuzz clean install uninstall
.SECONDARY:
-include $(shell find $B -name '*.d' 2>/dev/null)
