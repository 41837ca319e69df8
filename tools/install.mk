# What `make install` puts where, and `make uninstall` takes away again: one list for both. The folders are those of the GNU standards
# and of Debian, and each can be given: a Debian package says PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu DESTDIR=debian/tmp.
BINDIR     ?= $(PREFIX)/bin
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR    ?= $(PREFIX)/share
MANDIR     ?= $(DATADIR)/man
DOCDIR     ?= $(DATADIR)/doc/planwave
BASHDIR    ?= $(DATADIR)/bash-completion/completions
ZSHDIR     ?= $(DATADIR)/zsh/site-functions
FISHDIR    ?= $(DATADIR)/fish/vendor_completions.d

STAGE      := $(BUILD)/install
# What a new release may break is another library: of 0.1.2 that is 0.1, of 1.2.3 it is 1 (packaging/abi.py).
NUMBERS    := $(subst ., ,$(VERSION))
SONAME     := libplanwave.so.$(if $(filter 0,$(firstword $(NUMBERS))),0.$(word 2,$(NUMBERS)),$(firstword $(NUMBERS)))
HEADERS    := $(wildcard src/api/*.h src/api/*/*.h)
TOOL_HEADERS := $(wildcard tools/*/planwave_*.h)
# tools/NAME/planwave_NAME.h is installed as planwave/NAME.h.
tool_header = $(patsubst planwave_%,%,$(notdir $(1)))
COMMANDS   := $(shell sed -n 's/^COMMAND(\(.*\))/\1/p' tools/program/table.h)
MANUALS    := planwave.1 $(COMMANDS:%=planwave-%.1) planwave-scenario.5 planwave-metrics.7
# README.md and what it points to for users, under the same relative paths, so that its links lead somewhere.
DOCUMENTS  := README.md LICENSE CHANGELOG.md CITATION.cff SECURITY.md src/physics.md $(wildcard docs/*.md docs/examples/*) $(wildcard floorplans/*.* floorplans/pictures/* floorplans/sweeps/* floorplans/ranks/*) $(addprefix validation/,accuracy.md dimensions.md forecast.md metal.md performance.md scaling.md walls.md)

# source:destination:mode
INSTALLED  := $(BUILD)/planwave:$(BINDIR)/planwave:755 \
              $(BUILD)/libplanwave.a:$(LIBDIR)/libplanwave.a:644 \
              $(BUILD)/libplanwave_tools.a:$(LIBDIR)/libplanwave_tools.a:644 \
              $(BUILD)/libplanwave.so:$(LIBDIR)/libplanwave.so.$(VERSION):644 \
              $(STAGE)/planwave.pc:$(LIBDIR)/pkgconfig/planwave.pc:644 \
              $(STAGE)/planwave.h:$(INCLUDEDIR)/planwave.h:644 \
              $(STAGE)/planwave_tools.h:$(INCLUDEDIR)/planwave_tools.h:644 \
              $(foreach h,$(call tool_header,$(TOOL_HEADERS)),$(STAGE)/planwave/$(h):$(INCLUDEDIR)/planwave/$(h):644) \
              $(foreach h,$(HEADERS:src/api/%=%),$(STAGE)/planwave/$(h):$(INCLUDEDIR)/planwave/$(h):644) \
              $(foreach m,$(MANUALS),$(STAGE)/$(m):$(MANDIR)/man$(subst .,,$(suffix $(m)))/$(m):644) \
              tools/shell/planwave.bash:$(BASHDIR)/planwave:644 \
              tools/shell/_planwave:$(ZSHDIR)/_planwave:644 \
              tools/shell/planwave.fish:$(FISHDIR)/planwave.fish:644 \
              $(foreach d,$(DOCUMENTS),$(d):$(DOCDIR)/$(d):644)
LINKS      := $(LIBDIR)/$(SONAME) $(LIBDIR)/libplanwave.so
OWN_FOLDERS := $(addprefix $(INCLUDEDIR)/planwave/,$(patsubst src/api/%/,%,$(wildcard src/api/*/))) $(INCLUDEDIR)/planwave $(DOCDIR)/floorplans/pictures $(DOCDIR)/floorplans/sweeps $(DOCDIR)/floorplans/ranks $(DOCDIR)/floorplans $(DOCDIR)/validation $(DOCDIR)/src $(DOCDIR)/docs/examples $(DOCDIR)/docs $(DOCDIR)

destination = $(word 2,$(subst :, ,$(1)))

# ---- what is made for it --------------------------------------------------------------------------------------------
$(STAGE)/planwave.h: src/planwave.h
$(STAGE)/planwave_tools.h: tools/planwave_tools.h
$(foreach h,$(TOOL_HEADERS),$(eval $(STAGE)/planwave/$(call tool_header,$(h)): $(h)))
$(HEADERS:src/api/%=$(STAGE)/planwave/%): $(STAGE)/planwave/%: src/api/%
$(STAGE)/planwave.h $(STAGE)/planwave_tools.h $(HEADERS:src/api/%=$(STAGE)/planwave/%) $(addprefix $(STAGE)/planwave/,$(call tool_header,$(TOOL_HEADERS))):
	@mkdir -p $(@D)
	$(Q)sed 's|#include "api/|#include "planwave/|; s|#include "[a-z]*/planwave_|#include "planwave/|; s|stands in a file of its own under api/ (installed as planwave/)|stands in a file of its own under planwave/|' $< > $@

# Of Debian's packages libzip's names libbz2, which no package brings along: nobody could link with the static libraries.
$(STAGE)/planwave.pc: FORCE
	@mkdir -p $(@D)
	$(Q)printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$(INCLUDEDIR)' '' 'Name: planwave' \
	    'Description: Full-wave radio channels from a floor plan' 'Version: $(VERSION)' 'Requires.private: $(filter-out libzip,$(LIBRARIES))' \
	    'Libs: -L$${libdir} -lplanwave' 'Libs.private: -lplanwave_tools -lplanwave -fopenmp -lhdf5_hl -lzip -lyaml -lglpk -lcivetweb $(strip $(CUDA_LDLIBS) $(MPI_LDLIBS) -lm)' \
	    'Cflags: -I$${includedir}' > $@

# Manual pages are the help texts of the program, so that nothing is written twice.
manual = $(Q)$(BUILD)/planwave help --all $(1) | LC_ALL=C awk -v name=$(basename $(@F)) -v section=$(subst .,,$(suffix $(@F))) -v kind=$(2) \
    -v version=$(VERSION) -v title="$$($(BUILD)/planwave --list-commands | awk -F '\t' '$$2 == "$(1)" {print $$3}' | grep . || echo 'full-wave radio channels from a floor plan')" \
    -v others='$(filter-out $(basename $(@F))(%),$(foreach m,$(MANUALS),$(basename $(m))($(subst .,,$(suffix $(m))))))' -f tools/shell/man.awk > $@
$(STAGE)/planwave.1: all FORCE
	@mkdir -p $(@D)
	$(call manual,,command)
$(COMMANDS:%=$(STAGE)/planwave-%.1): $(STAGE)/planwave-%.1: all FORCE
	@mkdir -p $(@D)
	$(call manual,$*,command)
$(STAGE)/planwave-scenario.5 $(STAGE)/planwave-metrics.7: $(STAGE)/planwave-%: all FORCE
	@mkdir -p $(@D)
	$(call manual,$(basename $*),text)

# ---- what is done ---------------------------------------------------------------------------------------------------
install: all $(foreach f,$(INSTALLED),$(filter $(STAGE)/%,$(firstword $(subst :, ,$(f))))) ## program, libraries, headers, manual pages, completions, documents, into PREFIX
	@set -e; for file in $(INSTALLED); do \
	    source=$${file%%:*} rest=$${file#*:}; \
	    install -D -m $${rest##*:} "$$source" "$(DESTDIR)$${rest%:*}"; \
	done
	@ln -sf libplanwave.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	@ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libplanwave.so
	@echo "installed into $(DESTDIR)$(PREFIX); if a program does not find $(SONAME), run: sudo ldconfig"

uninstall: ## removes what install put there, and nothing else
	@rm -f $(foreach f,$(INSTALLED),'$(DESTDIR)$(call destination,$(f))') $(LINKS:%='$(DESTDIR)%')
	@for folder in $(OWN_FOLDERS); do rmdir "$(DESTDIR)$$folder" 2>/dev/null || true; done # not empty: somebody else's files
	@echo "removed from $(DESTDIR)$(PREFIX)"
.PHONY: install uninstall

abi: all $(foreach f,$(INSTALLED),$(filter $(STAGE)/%.h,$(firstword $(subst :, ,$(f))))) ## writes what programs rely on into packaging/abi.txt
	$(Q)python3 packaging/abi.py $(STAGE) $(BUILD)/libplanwave.so > $(BUILD)/abi.txt && mv $(BUILD)/abi.txt packaging/abi.txt
.PHONY: abi
