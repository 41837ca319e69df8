# planwave. `make help` lists the targets; everything is built into build/.
#   CUDA=auto|0|1   with the CUDA backend when nvcc and a GPU are here, or SMS is given (auto); without; or with it anyway
#   MPI=auto|0|1    with MPI when pkg-config knows a library (ompi-c, mpich; auto), without, or insist
#   SMS=sm_80 ...   the GPUs to compile kernels for, or `all`; default: this machine's GPU, without one sm_90. PTX serves later ones
#   ISA=all|native  inner loops for every processor, the best is chosen at run time (all); or for this machine alone (also avx2, ...)
#   SANITIZE=address,undefined   build with sanitizers, into build/sanitize
#   V=1             show whole commands
# ccache is used where it is installed.
.DEFAULT_GOAL := all
comma := ,

CUDA     ?= auto
MPI      ?= auto
ISA      ?= all
SANITIZE ?=
CC       ?= gcc
BUILD    := build$(if $(SANITIZE),/sanitize-$(subst $(comma),-,$(SANITIZE)))
PREFIX   ?= /usr/local
VERSION  := $(shell sed -n 's/.*PW_VERSION "\(.*\)"/\1/p' src/api/base.h)
PUBLIC   := $(shell find src/api tools -name 'planwave_*.h' -o -path 'src/api/*.h' | LC_ALL=C sort)
INTERFACE := $(shell cat $(PUBLIC) | sha256sum | cut -c 1-64)
COMMIT   := $(shell git describe --always --dirty --abbrev=10 2>/dev/null || echo unknown)

# ---- tools and libraries -------------------------------------------------------------------------------------------
PACKAGES := gcc make pkg-config libhdf5-dev libfftw3-dev libpng-dev zlib1g-dev libyaml-dev libcmocka-dev gnuplot-nox \
            libjpeg-dev libtiff-dev libzip-dev libjansson-dev libexpat1-dev libglpk-dev libcivetweb-dev poppler-utils
LIBRARIES := hdf5 fftw3 libpng zlib libjpeg libtiff-4 libzip jansson expat

CCACHE   ?= $(shell command -v ccache 2>/dev/null)
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
# No contraction: every fused multiply-add is written out, so that all backends give the same bits.
# With sanitizers line numbers alone for the debugger: the tests are linked one by one, and took 2.3 GB with all of -g.
CFLAGS   ?= $(if $(SANITIZE),-O1 -g1,-O2 -g)
# Folders are left out of objects: they are the same wherever they are compiled, and ccache knows them from every clone.
override CFLAGS += -ffile-prefix-map=$(CURDIR)=. -std=c17 -D_GNU_SOURCE -fPIC -fopenmp -ffp-contract=off -fno-math-errno -fno-trapping-math $(WARNINGS) \
            -Isrc -Itools -I. $(shell pkg-config --cflags $(LIBRARIES) 2>/dev/null) $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer $(if $(findstring clang,$(CC)),-Wno-pass-failed))
# As needed: a program that reads no drawings wants none of their libraries.
LDFLAGS  += -fopenmp -Wl,--as-needed $(if $(SANITIZE),-fsanitize=$(SANITIZE))
# libyaml goes into programs statically: it is small, and machines with a GPU often lack it.
LDLIBS   += -lhdf5_hl $(shell pkg-config --libs $(LIBRARIES) 2>/dev/null) -lglpk -lcivetweb -lm
YAML     := -l:libyaml.a

# Kernels take minutes to compile, so they are left out where nothing could run them. /dev/dxg is the GPU of WSL.
NVCC     := $(shell command -v nvcc 2>/dev/null)
GPU      := $(wildcard /dev/nvidia[0-9]* /dev/dxg)
ifeq ($(CUDA),auto)
  USE_CUDA := $(if $(NVCC),$(if $(GPU)$(SMS),1,0),0)
  ifeq ($(MAKELEVEL)$(NVCC:%=yes)$(USE_CUDA),0yes0)
    $(info nvcc is here but no GPU: this build has no CUDA kernels. `make CUDA=1` compiles them.)
  endif
else
  USE_CUDA := $(CUDA)
endif

# Ranks (src/backend/mpi): Open MPI, else MPICH.
MPI_LIBRARY := $(firstword $(foreach name,ompi-c mpich,$(shell pkg-config --exists $(name) 2>/dev/null && echo $(name))))
ifeq ($(MPI),auto)
  USE_MPI := $(if $(MPI_LIBRARY),1,0)
else
  USE_MPI := $(MPI)
endif
PACKAGES += $(if $(filter 1,$(MPI)),openmpi-bin libopenmpi-dev)
ifeq ($(USE_MPI),1)
  MPI_CFLAGS := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(or $(MPI_LIBRARY),ompi-c)))
  MPI_LDLIBS := $(shell pkg-config --libs $(or $(MPI_LIBRARY),ompi-c))
  LDLIBS   += $(MPI_LDLIBS)
  NO_RANKS := src/backend/mpi/ranks_absent.c
else
  NO_RANKS := src/backend/mpi/ranks_mpi.c
endif

# ---- what is built -------------------------------------------------------------------------------------------------
SOURCES  := $(filter-out $(NO_RANKS),$(sort $(shell find src -name '*.c')))
# The CPU engines' inner loops, once per instruction set; chosen at run time.
MARCH    := src/backend/cpu/march/cpu_march.c src/backend/cpu/volume/volume_march.c
ISA_ALL  := baseline $(if $(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null)),avx2 avx512)
# What this machine's processor has, by the compiler's own macros.
ISA_BEST := $(shell echo | $(CC) -march=native -dM -E - 2>/dev/null | awk '{has[$$2] = 1} END {print \
              has["__AVX512F__"] && has["__AVX512VL__"] && has["__AVX512BW__"] && has["__AVX512DQ__"] ? "avx512" : \
              has["__AVX2__"] && has["__FMA__"] ? "avx2" : "baseline"}')
loops_of  = $(foreach march,$(MARCH),$(patsubst %,$(BUILD)/$(march:.c=)_%.o,$(1)))
ifeq ($(ISA),native) # all of them if they are there already: nothing is built twice
  ISAS   := $(if $(filter-out $(wildcard $(call loops_of,$(ISA_ALL))),$(call loops_of,$(ISA_ALL))),$(ISA_BEST),$(ISA_ALL))
else
  ISAS   := $(if $(filter all,$(ISA)),$(ISA_ALL),$(filter $(ISA_ALL),$(ISA)))
  $(if $(ISAS),,$(error ISA=$(ISA): allowed are all, native, $(ISA_ALL)))
endif
flags_baseline :=
flags_avx2     := -mavx2 -mfma
flags_avx512   := -mavx512f -mavx512vl -mavx512bw -mavx512dq -mfma -mprefer-vector-width=512
ifeq ($(USE_CUDA),1)
  # The architectures that this nvcc knows (CUDA 13 dropped sm_70); each takes minutes, so that all of them are for a release.
  KNOWN    := $(shell $(NVCC) --list-gpu-code)
  OWN      := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sort -u | sed 's/\.//; s/^/sm_/')
  SMS      ?= $(or $(filter $(KNOWN),$(OWN)),$(filter sm_90,$(KNOWN)),$(lastword $(KNOWN)))
  TARGETS  := $(if $(filter all,$(SMS)),$(filter $(KNOWN),sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120),$(SMS))
  GENCODE  := $(foreach sm,$(TARGETS:sm_%=%),-gencode arch=compute_$(sm),code=sm_$(sm))
  NEWEST   := $(patsubst sm_%,compute_%,$(lastword $(TARGETS)))
  NVCCFLAGS := -O3 -std=c++17 -fmad=false $(GENCODE) -gencode arch=$(NEWEST),code=$(NEWEST) -Isrc -I. \
              -Xcompiler -fPIC,-Wall,-fopenmp $(if $(word 2,$(TARGETS)),--threads 0)
  KERNELS  := $(patsubst %.cu,$(BUILD)/%.o,$(sort $(shell find kernels -name '*.cu')))
  CUDA_LIB := $(firstword $(wildcard $(dir $(NVCC))../lib64 $(dir $(NVCC))../targets/x86_64-linux/lib))
  CUDA_LDLIBS := -L$(CUDA_LIB) -lcudart_static -lstdc++ -ldl -lrt -lpthread
  LDLIBS   += $(CUDA_LDLIBS)
  CUDA_FACT := toolkit $(shell $(NVCC) --version | sed -n 's/.*release \([0-9.]*\).*/\1/p'), kernels for $(TARGETS)
else
  CUDA_FACT := not in this build
  KERNELS  := $(BUILD)/kernels/absent.o
endif
# Make begins with what stands first: kernels, then the inner loops, take longest.
LOOPS    := $(call loops_of,$(ISAS)) $(BUILD)/src/problem/spectra/spectra.o $(patsubst %,$(BUILD)/src/backend/reference/%.o,backend_reference volume)
OBJECTS  := $(KERNELS) $(LOOPS) $(filter-out $(LOOPS),$(patsubst %.c,$(BUILD)/%.o,$(filter-out $(MARCH),$(SOURCES))))
# Applications stand on planwave.h alone; a command of one, cmd_NAME.c, belongs to the program.
APPLICATIONS := $(patsubst %/,%,$(filter-out tools/program/ tools/commands/ tools/demo/ tools/shell/,$(wildcard tools/*/)))
COMMAND_SOURCES := $(wildcard tools/program/*.c tools/commands/*.c tools/commands/*/*.c $(APPLICATIONS:%=%/cmd_*.c))
TOOLS    := $(COMMAND_SOURCES:%.c=$(BUILD)/%.o)
APPLICATION_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(COMMAND_SOURCES),$(sort $(shell find $(APPLICATIONS) -name '*.c'))))

# Tests written before what they ask for is there: they fail, and stand here until they pass. `make ahead` runs them.
AHEAD    := tests/hard_plans/test_hard_plans.sh
TESTS    := $(patsubst %.c,$(BUILD)/%,$(filter-out $(AHEAD) $(if $(filter 0,$(USE_CUDA)),%/test_gpu_faults.c),$(wildcard tests/*/test_*.c)))
# What several cases of validation share; every other file there is a case, or a benchmark (bench/).
VALIDATION_SHARED := $(wildcard validation/support/*.c validation/support/*/*.c) validation/plan_a/plan_a_reference.c
VALIDATION := $(patsubst %.c,$(BUILD)/%,$(filter-out $(VALIDATION_SHARED) validation/bench/%,$(wildcard validation/*/*.c)))

Q   := $(if $(V),,@)
say  = $(if $(V),,@printf '%-6s %s\n' '$(1)' $@)

# The core, and the applications that stand on it; in this order they are linked.
ARCHIVES := $(BUILD)/libplanwave_tools.a $(BUILD)/libplanwave.a

all: $(BUILD)/planwave $(ARCHIVES) $(BUILD)/libplanwave.so ## the program and the libraries

$(BUILD)/planwave: $(ARCHIVES) $(TOOLS) $(BUILD)/yaml
	$(call say,$(CC))
	$(Q)$(CC) $(LDFLAGS) -o $@ $(TOOLS) $(ARCHIVES) $(YAML) $(LDLIBS)
$(BUILD)/libplanwave.a: $(OBJECTS) $(BUILD)/members
$(BUILD)/libplanwave_tools.a: $(APPLICATION_OBJECTS) $(BUILD)/members
$(ARCHIVES):
	@rm -f $@
	$(call say,ar)
	$(Q)ar rcsD $@ $(filter %.o,$^)
# The shared library does without MPI: programs that load it are not started by mpirun.
SHARED   := $(OBJECTS:%/ranks_mpi.o=%/ranks_absent.o) $(APPLICATION_OBJECTS)
$(BUILD)/libplanwave.so: $(SHARED) $(BUILD)/members $(BUILD)/soname src/planwave.map
	$(call say,$(CC))
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=src/planwave.map -o $@ $(SHARED) -lyaml $(LDLIBS)

# Both as the wheel has them, side by side: the program stands on the library, so that nothing is there twice.
$(BUILD)/python/libplanwave.so: $(SHARED) $(BUILD)/members src/planwave.map
	@mkdir -p $(@D)
	$(call say,$(CC))
	$(Q)$(CC) $(LDFLAGS) -s -shared -Wl,-soname,$(@F) -Wl,--version-script=src/planwave.map -o $@ $(SHARED) -lyaml $(LDLIBS)
$(BUILD)/python/planwave: $(TOOLS) $(BUILD)/python/libplanwave.so
	$(call say,$(CC))
	$(Q)$(CC) $(LDFLAGS) -s -Wl,-rpath,'$$ORIGIN' -o $@ $(TOOLS) $(@D)/libplanwave.so -lyaml $(LDLIBS)

# With the address sanitizer the inner loops stay plain, or every test that solves takes 30 times as long. Tests of the loops are linked
# with loops that are watched, of the instructions that this machine runs: the others are the same lines. A check of every address where it
# stands would take gcc minutes; checks that are called take a third of that.
MARCH_CFLAGS = $(if $(findstring address,$(SANITIZE)),$(filter-out -fsanitize=%,$(CFLAGS)),$(CFLAGS)) $(if $(findstring thread,$(SANITIZE)),-O1,-O3) -g1
$(BUILD)/watched/%.o: private override MARCH_CFLAGS = $(CFLAGS) $(if $(findstring clang,$(CC)),-mllvm -,--param )asan-instrumentation-with-call-threshold=0
define march_rule
$(2)/$(1:.c=)_%.o: $(1) $(BUILD)/flags_c
	@mkdir -p $$(@D)
	$$(call say,$(CC))
	$$(Q)$(CCACHE) $(CC) $$(MARCH_CFLAGS) $$(flags_$$*) -DISA=$$* -MMD -MP -c -o $$@ $$<
endef
$(foreach march,$(MARCH),$(foreach folder,$(BUILD) $(BUILD)/watched,$(eval $(call march_rule,$(march),$(folder)))))
# With line numbers alone for the debugger, and without the rest of -O3 for the reference, these take half as long to compile.
VECTORS := -ftree-vectorize $(if $(findstring clang,$(CC)),,-fvect-cost-model=dynamic)
# Vectors for the plain loops of the reference, and the compiler's own in the spectra: how functions would pass them is no matter, all are
# inlined. With sanitizers these would take minutes, and so would calls of fmaf(): what they check runs where it was made.
$(BUILD)/src/backend/reference/backend_reference.o $(BUILD)/src/backend/reference/volume.o: private override CFLAGS += $(VECTORS) -g1 $(if $(SANITIZE),-march=native)
$(BUILD)/src/problem/spectra/spectra.o: private override CFLAGS += $(if $(SANITIZE),-O1 -march=native,-O3) -g1 -Wno-psabi
# The parts of the page go into the program as they stand, one after another.
$(BUILD)/tools/report/report_page.o: $(wildcard tools/report/page/* tools/page/*)
$(BUILD)/tools/serve/live_page.o: $(wildcard tools/serve/page/* tools/page/*)
$(BUILD)/src/base/status.o: $(BUILD)/commit $(BUILD)/interface
$(BUILD)/src/base/status.o: private override CFLAGS += -DPW_COMMIT='"$(COMMIT)"' -DPW_INTERFACE='"$(INTERFACE)"'
$(BUILD)/src/backend/cpu/backend_cpu.o: $(BUILD)/isas
$(BUILD)/src/backend/cpu/backend_cpu.o: private override CFLAGS += $(ISAS:%=-DISA_%)
$(BUILD)/src/backend/mpi/ranks_mpi.o: private override CFLAGS += $(MPI_CFLAGS)
$(BUILD)/src/base/file/build_facts.o: $(BUILD)/cuda
$(BUILD)/src/base/file/build_facts.o: private override CFLAGS += -DPW_CUDA='"$(CUDA_FACT)"'
$(BUILD)/%.o: %.c $(BUILD)/flags_c
	@mkdir -p $(@D)
	$(call say,$(CC))
	$(Q)$(CCACHE) $(CC) $(CFLAGS) -MMD -MP -c -o $@ $<
$(BUILD)/%.o: %.cu $(BUILD)/flags_nvcc
	@mkdir -p $(@D)
	$(call say,nvcc)
	$(Q)$(CCACHE) $(NVCC) $(NVCCFLAGS) -MMD -MP -c -o $@ $<
# The program for compute-sanitizer's racecheck, which follows barriers of whole blocks alone (kernels/wide/wide_block.h).
WHOLE := $(patsubst %,$(BUILD)/whole/%.o,kernels/resident/wide_resident kernels/border/wide_border kernels/streamed/streamed kernels/volume/sweep/volume_sweep)
$(WHOLE): $(BUILD)/whole/%.o: %.cu $(BUILD)/flags_nvcc
	@mkdir -p $(@D)
	$(call say,nvcc)
	$(Q)$(CCACHE) $(NVCC) $(NVCCFLAGS) -DWHOLE_BARRIERS -MMD -MP -c -o $@ $<
$(BUILD)/planwave_racecheck: $(WHOLE) $(ARCHIVES) $(TOOLS)
	$(call say,$(CC))
	$(Q)$(CC) $(LDFLAGS) -o $@ $(TOOLS) $(WHOLE) $(ARCHIVES) $(YAML) $(LDLIBS)
# A program with kernels, as far as it shows, and no GPU: tests/solver/test_fallback.sh.
$(BUILD)/tests/solver/planwave_no_gpu: $(BUILD)/tests/solver/no_gpu.o $(ARCHIVES) $(TOOLS)
	$(call say,$(CC))
	$(Q)$(CC) $(LDFLAGS) -o $@ $(TOOLS) $< $(ARCHIVES) $(YAML) $(LDLIBS)
# Ordinary plans, made up and solved; tests/ordinary/test_ordinary_plans.sh runs a few of them.
$(BUILD)/tests/ordinary/ordinary_plans: $(patsubst %,$(BUILD)/tests/ordinary/%.o,ordinary_plan result_error)
# Hard ones, likewise; all of them are a case of validation.
HARD     := $(patsubst %,$(BUILD)/tests/hard_plans/%.o,hard_plan hard_trial plan_error)
$(BUILD)/tests/hard_plans/hard_plans $(BUILD)/validation/metal/hard_plans: $(HARD)
# A test program. A function __wrap_NAME in one of its objects takes the calls of NAME, so that tests of faults can make them fail.
FAULTY := $(patsubst %,$(BUILD)/tests/%,program/test_faults program/test_room_faults solver/test_gpu_faults)
$(FAULTY): $(patsubst %,$(BUILD)/tests/faults/%.o,faults faults_disk faults_job)
$(filter-out %/test_gpu_faults,$(FAULTY)): $(BUILD)/tests/faults/faults_memory.o
$(BUILD)/tests/solver/test_gpu_faults: $(BUILD)/tests/faults/gpu_trap.o
$(BUILD)/tests/solver/test_gpu_faults.o: private override CFLAGS += -isystem $(dir $(NVCC))../include
ifneq ($(findstring address,$(SANITIZE)),)
  LOOP_TESTS := boundary/test_layers horizontal/test_horizontal parts/test_parts poles/test_poles run/test_workers solver/test_cpu \
                solver/test_simulation volume/test_volume_cpu
  $(LOOP_TESTS:%=$(BUILD)/tests/%): $(MARCH:%.c=$(BUILD)/watched/%_$(ISA_BEST).o)
endif
$(BUILD)/tests/%: $(BUILD)/tests/%.o $(ARCHIVES)
	$(call say,$(CC))
	$(Q)$(CC) $(LDFLAGS) $$(nm $(filter %.o,$^) | sed -n 's/.* T __wrap_/-Wl,--wrap=/p') -o $@ $(filter %.o,$^) \
	    $(ARCHIVES) -lcmocka $(YAML) $(LDLIBS)
$(BUILD)/validation/%: $(BUILD)/validation/%.o $(VALIDATION_SHARED:%.c=$(BUILD)/%.o) $(ARCHIVES)
	$(call say,$(CC))
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(ARCHIVES) $(YAML) $(LDLIBS)

# Installs the packages $(2) when the check $(1) fails, or says what to install.
define ensure
@if $(1); then exit 0; fi; \
if ! command -v apt-get >/dev/null; then echo "missing; Debian calls it: $(2)"; exit 1; fi; \
if [ "$$(id -u)" -eq 0 ]; then as=; elif sudo -n true 2>/dev/null; then as=sudo; \
else echo "missing; please run: sudo apt-get install $(2)"; exit 1; fi; \
echo "installing $(2)"; \
$$as apt-get update -q && $$as env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -q --no-install-recommends $(2)
endef

# Notes, rewritten only when they change: new flags rebuild what is compiled with them, a new list of members the libraries, a new
# revision what carries it.
$(BUILD)/flags_c: NOTE = $(CC) $(filter-out -ffile-prefix-map=%,$(CFLAGS)) $(foreach isa,$(ISA_ALL),$(flags_$(isa)))
$(BUILD)/flags_nvcc: NOTE = $(NVCC) $(NVCCFLAGS)
$(BUILD)/flags_c: | $(if $(filter 1,$(USE_CUDA)),$(BUILD)/flags_nvcc) # else C would be begun before the kernels, which take longest
$(BUILD)/members: NOTE = $(patsubst $(BUILD)/%,%,$(OBJECTS) $(APPLICATION_OBJECTS))
$(BUILD)/isas: NOTE = $(ISAS)
$(BUILD)/yaml: NOTE = $(YAML)
$(BUILD)/soname: NOTE = $(SONAME)
$(BUILD)/commit: NOTE = $(COMMIT)
$(BUILD)/interface: NOTE = $(INTERFACE)
$(BUILD)/cuda: NOTE = $(CUDA_FACT)
$(addprefix $(BUILD)/,flags_c flags_nvcc members soname isas yaml commit interface cuda): FORCE
	@mkdir -p $(@D)
	@echo '$(NOTE)' | cmp -s - $@ || echo '$(NOTE)' > $@
FORCE:

# Make must not try to build what it includes.
MAKEFLAGS += --no-builtin-rules
%.d: ;
-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)

# ---- what is done --------------------------------------------------------------------------------------------------
# Flags are read from pkg-config when make starts, so what may have to be installed first goes on in a make of its own.
AGAIN = +@$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

deps: ## installs what is missing (Debian, Ubuntu; as root or with sudo)
	$(call ensure,pkg-config --exists $(LIBRARIES) yaml-0.1 cmocka && $(if $(filter 1,$(MPI)),{ pkg-config --exists ompi-c || pkg-config --exists mpich; } && ) $(CC) -include glpk.h -include civetweb.h -E -x c /dev/null >/dev/null 2>&1 && $(CC) --version >/dev/null && command -v gnuplot >/dev/null && command -v pdftocairo >/dev/null,$(PACKAGES))

test: deps ## every test on the CPU backends; closes with "N passed, M failed"
	$(AGAIN) run-tests
# What SKIP names is not built either.
run-tests: all $(foreach test,$(TESTS),$(if $(filter $(notdir $(test)),$(SKIP)),,$(test))) $(addprefix $(BUILD)/tests/,ordinary/ordinary_plans hard_plans/hard_plans solver/planwave_no_gpu)
	@BUILD=$(BUILD) SKIP='$(SKIP) $(notdir $(AHEAD:.c=))' tests/run.sh

T ?=
check-one: deps ## one test in seconds, and only what it needs is linked: make check-one T=test_raster
	@[ -n '$(T)' ] || { echo 'which test? for example: make check-one T=test_raster'; exit 2; }
	$(AGAIN) run-check-one
ONE := $(filter %/$(T),$(TESTS))
run-check-one: $(if $(T),$(if $(ONE),$(ONE),all))
	@BUILD=$(BUILD) ONLY='$(T)' tests/run.sh

ahead: deps ## the tests of what is asked for and not there yet
	$(AGAIN) run-ahead
run-ahead: $(AHEAD:%.c=$(BUILD)/%) $(BUILD)/tests/hard_plans/hard_plans
	@for test in $(AHEAD:%.c=$(BUILD)/%); do BUILD=$(BUILD) $$test || failed=1; done; [ -z "$$failed" ]

BACKEND  ?= cpu
validate: deps ## every claim against its law: [BACKEND=reference|cpu|cuda] [CASE=slab] [QUICK=1]
	$(AGAIN) run-validate
run-validate: $(VALIDATION)
	@BUILD=$(BUILD) validation/run.sh '$(BACKEND)' '$(CASE)' '$(QUICK)'

test-python: deps ## the Python package, in an environment of its own; says skipped where pip reaches nothing
	$(AGAIN) run-test-python
run-test-python: all
	@BUILD=$(BUILD) python/tests/run.sh

# The site and its tutorials, in a Python environment of their own. A notebook is run again when it or the library has changed.
DOCS      := $(BUILD)/docs
NOTEBOOKS := $(wildcard docs/notebooks/*.py)
$(DOCS)/environment/made: docs/requirements.txt
	@mkdir -p $(DOCS)
	python3 -m venv $(DOCS)/environment
	$(DOCS)/environment/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@
$(DOCS)/environment/rays: $(DOCS)/environment/made # 700 MB
	$(DOCS)/environment/bin/python -m pip install --quiet --disable-pip-version-check sionna-rt deepmimo
	@touch $@
$(DOCS)/environment/installed: $(DOCS)/environment/made $(BUILD)/planwave $(BUILD)/libplanwave.so $(wildcard python/*.py python/planwave/*.py) pyproject.toml $(if $(RAYS),$(DOCS)/environment/rays)
	$(DOCS)/environment/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --force-reinstall .
	@touch $@
$(DOCS)/notebooks/done: docs/notebooks.py $(NOTEBOOKS) $(DOCS)/environment/installed
	PATH=$(CURDIR)/$(DOCS)/environment/bin:$$PATH python docs/notebooks.py $(NOTEBOOKS) --to $(DOCS)/notebooks
	@touch $@

notebooks: deps ## runs the tutorials (docs/notebooks), about a minute on two quiet cores; RAYS=1: with sionna-rt and deepmimo
	$(AGAIN) run-notebooks
run-notebooks: $(DOCS)/notebooks/done

docs: deps ## the site, into build/docs/site: commands, Python, C, physics, how right, how fast; tutorials if `make notebooks` ran them
	$(AGAIN) run-docs
run-docs: $(DOCS)/environment/made $(BUILD)/planwave
	$(DOCS)/environment/bin/python docs/build.py --program $(BUILD)/planwave --notebooks $(DOCS)/notebooks --to $(DOCS)
	cd $(DOCS) && NO_MKDOCS_2_WARNING=1 environment/bin/mkdocs build --quiet
	@if grep -rEl --include='*.html' '<(script|img|iframe)[^>]* src="?https?:|<link[^>]*(stylesheet|icon|preload)[^>]* href="?https?:' $(DOCS)/site; then echo "pages that want a network"; exit 1; fi
	@echo "Look at it: python3 -m http.server --bind 127.0.0.1 --directory $(DOCS)/site"

test-gpu: deps ## the CUDA backend: bit for bit the reference, faults, kills; says skipped where there is no GPU
	$(AGAIN) run-test-gpu
run-test-gpu: all $(BUILD)/tests/ordinary/ordinary_plans $(filter %/test_gpu %/test_gpu_state %/test_gpu_compute %/test_gpu_volume %/test_gpu_half %/test_gpu_poles %/test_gpu_boundary %/test_gpu_parts %/test_gpu_gradients %/test_gpu_faults,$(TESTS)) $(if $(filter 1,$(USE_CUDA)),$(BUILD)/planwave_racecheck)
	@BUILD=$(BUILD) tests/gpu.sh

# What is killed tells the sanitizers nothing; what the long solves, the ordinary plans, a browser and ranks make the program do, others
# do with less. An error in a formula is no matter of theirs, nor is a limit in seconds.
LONG_SOLVES := test_physics test_metal test_metal_cut test_metal_exact test_metal_ez test_metal_sheets test_metal_volume test_sheets test_sheet_rows \
               test_lossy_walls test_thick_walls test_wall_layers test_plausible test_forecast test_own_decay test_direct_delay test_cases test_poles test_sides \
               test_mur test_pmc test_delay_guard test_gradients test_joint test_variants test_uncertainty test_arrays test_narrow_band \
               test_vector_array test_walk test_walls test_slide test_poles_scenario test_volume_places test_volume_calibrate \
               test_volume_job.sh test_heights_solved.sh test_ordinary_plans.sh test_install.sh
sanitize: deps ## the tests under the address and undefined-behaviour sanitizers, but for the long solves and the kills
	$(AGAIN) run-tests SANITIZE=address,undefined CUDA=0 SKIP='$(LONG_SOLVES) test_kill.sh test_live_page.sh test_ranks.sh test_slurm.sh test_server_limits'

# Tests that use threads. clang's OpenMP tells ThreadSanitizer through Archer what barriers order; gcc's does not, and would need
# suppressions. That races are seen, and barriers too, is shown first.
THREADED := test_workers test_cpu test_volume_cpu test_simulation test_raster test_volume_medium test_channel test_channel_metrics test_coverage test_report test_frames
ARCHER    = $(wildcard $(shell clang -print-resource-dir 2>/dev/null)/../../libarcher.so)
WATCHED   = OMP_NUM_THREADS=4 KMP_BLOCKTIME=0 OMP_TOOL_LIBRARIES=$(ARCHER) TSAN_OPTIONS=ignore_noninstrumented_modules=1
# The baseline alone: this sanitizer does not watch loads and stores of more than 16 bytes.
sanitize-threads: deps ## the tests that use threads under the thread sanitizer
	$(call ensure,test -n "$(ARCHER)" && clang -print-file-name=libclang_rt.tsan-x86_64.a | grep -q /,clang libclang-rt-dev libomp-dev)
	$(AGAIN) run-sanitize-threads CC=clang SANITIZE=thread CUDA=0 ISA=baseline
run-sanitize-threads: $(filter $(addprefix %/,$(THREADED)),$(TESTS)) $(BUILD)/tests/program/race
	@if $(WATCHED) $(BUILD)/tests/program/race > /dev/null 2>&1; then echo "a race made on purpose was not seen"; exit 1; fi
	@$(WATCHED) $(BUILD)/tests/program/race ordered > /dev/null
	@BUILD=$(BUILD) ONLY='$(THREADED)' $(WATCHED) tests/run.sh

FUZZ_SECONDS ?= 60
FUZZERS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/fuzz/fuzz_*.c))
$(BUILD)/tests/fuzz/fuzz_%: LDFLAGS += -fsanitize=fuzzer
fuzz: deps ## hostile files made by libFuzzer, FUZZ_SECONDS (60) for each kind; what breaks something is left in build/
	$(call ensure,command -v clang >/dev/null && clang -print-file-name=libclang_rt.fuzzer-x86_64.a | grep -q /,clang libclang-rt-dev)
	$(AGAIN) run-fuzz CC=clang SANITIZE=fuzzer-no-link,address,undefined CUDA=0 ISA=baseline
run-fuzz: $(FUZZERS)
	@BUILD=$(BUILD) tests/fuzz/fuzz.sh $(FUZZ_SECONDS) $(FUZZERS)

# The demo builds the inner loops for this machine alone.
demo: deps ## from a floor plan to maps and channels, into demo/; compiled for this machine's processor
	$(AGAIN) run-demo ISA=native
run-demo: $(BUILD)/planwave
	@PLANWAVE=$(BUILD)/planwave tools/demo/demo.sh

demo-3d: deps ## the same flat with its ceiling, in three dimensions
	$(AGAIN) run-demo-3d ISA=native
run-demo-3d: $(BUILD)/planwave
	@PLANWAVE=$(BUILD)/planwave tools/demo/demo_3d.sh

bench: all ## cell updates per second of every scheme, without and with running spectra
	$(BUILD)/planwave bench --scheme all
	$(BUILD)/planwave bench --scheme all --frequencies 16

lint: deps ## clang-format, clang-tidy, the order of the rooms; every finding an error
	$(call ensure,command -v clang >/dev/null && command -v clang-format >/dev/null && command -v clang-tidy >/dev/null,clang clang-format clang-tidy libomp-dev)
	$(AGAIN) run-lint
run-lint: $(filter-out $(KERNELS),$(OBJECTS)) # who calls whom is read from what is built
	@BUILD=$(BUILD) tests/lint/rooms.sh
	@python3 tests/check_tools.py --hold
	@clang-format --dry-run -Werror $(FORMATTED)
	@printf '%s\n' $(SOURCES) $(wildcard tools/*.c tools/*/*.c tools/*/*/*.c validation/*/*.c validation/*/*/*.c) | \
	    FLAGS='$(filter-out -ffile-prefix-map=%,$(CFLAGS)) $(MPI_CFLAGS) -DISA=baseline' xargs -P $(shell nproc) -n 4 tests/lint/tidy.sh

check-tools: ## which packages of Python and which programs of the tests and the validation are here
	@python3 tests/check_tools.py

FORMATTED = $(shell find src kernels tools tests validation -name '*.[ch]' -o -name '*.cu')
format: ## clang-format over the tree
	@clang-format -i $(FORMATTED)

include tools/install.mk
include packaging/packages.mk

clean: ## removes build/ and demo/
	rm -rf build demo

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(filter-out %.d,$(MAKEFILE_LIST)) | sed 's/:.*##/\t/' | expand -t 18

.PHONY: all deps fuzz run-fuzz test run-tests check-one run-check-one ahead run-ahead test-python run-test-python notebooks run-notebooks docs run-docs test-gpu run-test-gpu validate run-validate sanitize sanitize-threads run-sanitize-threads demo run-demo bench lint run-lint check-tools format clean help FORCE
.SECONDARY:
