# What is given to others: the Python package as wheel and source, a Debian package, and `make release`, which makes them all.
# Packing is reproducible: times are that of the commit, names are in order.
GIVEN   := $(BUILD)/release
PACKING := $(BUILD)/packing
# Of a tarball, which knows no commit, the time of its files.
EPOCH    = $(or $(shell git log -1 --format=%ct 2>/dev/null),$(shell stat -c %Y src/api/base.h))
wheel sdist deb release: export SOURCE_DATE_EPOCH = $(EPOCH)

$(PACKING)/environment/made: packaging/requirements.txt
	python3 -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# HDF5 and libzip from their sources; the other libraries those of this system or, for another processor, of Debian 12 in a folder.
ARCH          ?= $(shell uname -m)
WHEEL_PACKING := $(PACKING)/$(ARCH)
WHEEL_ROOT    := $(CURDIR)/$(WHEEL_PACKING)/root
WHEEL_LIBRARIES := $(CURDIR)/$(WHEEL_PACKING)/libraries
ifeq ($(ARCH),$(shell uname -m))
  WHEEL_ENV   := PKG_CONFIG_PATH=$(WHEEL_LIBRARIES)/lib/pkgconfig AUDITWHEEL_LD_LIBRARY_PATH=$(WHEEL_LIBRARIES)/lib
  WHEEL_NEEDS := deps
else ifeq ($(ARCH),aarch64)
  TRIPLET     := $(ARCH)-linux-gnu
  WHEEL_PACKAGES := libc6-dev libgomp1 $(filter-out libhdf5-dev libzip-dev libcmocka-dev libopenmpi-dev,$(filter %-dev,$(PACKAGES)))
  WHEEL_LIBRARIES := $(WHEEL_ROOT)/libraries
  WHEEL_FOLDERS := $(WHEEL_ROOT)/usr/lib/$(TRIPLET):$(WHEEL_ROOT)/lib/$(TRIPLET)
  # The name of the platform as Python's own cross builds give it, and a `strip` for the other processor.
  WHEEL_ENV   := CC="$(TRIPLET)-gcc --sysroot=$(WHEEL_ROOT)" PATH=/usr/$(TRIPLET)/bin:$$PATH _PYTHON_HOST_PLATFORM=linux-$(ARCH) \
                 PKG_CONFIG_LIBDIR=$(WHEEL_LIBRARIES)/lib/pkgconfig:$(WHEEL_ROOT)/usr/lib/$(TRIPLET)/pkgconfig PKG_CONFIG_SYSROOT_DIR=$(WHEEL_ROOT) \
                 AUDITWHEEL_LD_LIBRARY_PATH=$(WHEEL_LIBRARIES)/lib:$(WHEEL_FOLDERS) PLANWAVE_ROOT=$(WHEEL_ROOT)
  WHEEL_NEEDS := $(if $(filter 1,$(PLANWAVE_CUDA)),no-kernels )$(WHEEL_ROOT)/made
else
  WHEEL_NEEDS := unknown-arch
endif
unknown-arch:
	@echo 'ARCH=$(ARCH): wheels are made for this machine ($(shell uname -m)) and for aarch64'; exit 2
no-kernels:
	@echo 'ARCH=$(ARCH): a wheel for another processor has no kernels for GPUs; leave PLANWAVE_CUDA=1 out'; exit 2
$(WHEEL_ROOT)/made: packaging/root.sh packaging/debian_apt.sh
	$(call ensure,command -v $(TRIPLET)-gcc >/dev/null,gcc-$(TRIPLET))
	@mkdir -p $(WHEEL_PACKING)
	packaging/root.sh $(@D) arm64 $(WHEEL_PACKAGES) > $(WHEEL_PACKING)/root.log 2>&1 || { tail -n 3 $(WHEEL_PACKING)/root.log; exit 1; }
	@touch $@

# Every processor of this kind, no CUDA unless asked. A wheel with kernels has objects of its own, and a name of its own:
# planwave-0.1.0+cuda13-... (python/version.py).
WHEEL_KIND := $(if $(filter 1,$(PLANWAVE_CUDA)),-cuda)
wheel: $(WHEEL_NEEDS) $(PACKING)/environment/made ## the Python package with all the libraries that it needs, into build/release; ARCH=aarch64; PLANWAVE_CUDA=1: with kernels
	$(call ensure,command -v readelf >/dev/null && command -v cmake >/dev/null && test -f /usr/share/keyrings/debian-archive-keyring.gpg,binutils cmake debian-archive-keyring)
	@mkdir -p $(WHEEL_PACKING)
	TRIPLET=$(TRIPLET) ROOT=$(WHEEL_ROOT) packaging/libraries.sh $(WHEEL_LIBRARIES) > $(WHEEL_PACKING)/libraries.log 2>&1 || \
	    { tail -n 3 $(WHEEL_PACKING)/libraries.log; exit 1; }
	rm -rf $(WHEEL_PACKING)/wheel $(WHEEL_PACKING)/licences
	env -u MAKEFLAGS -u MAKELEVEL $(WHEEL_ENV) ISA=all PLANWAVE_BUILD=$(WHEEL_PACKING)/objects$(WHEEL_KIND) \
	    PLANWAVE_LICENCES=$(WHEEL_PACKING)/licences \
	    $(PACKING)/environment/bin/python -m build --no-isolation --wheel --outdir $(WHEEL_PACKING)/wheel .
	umask 022 && export $(WHEEL_ENV) && PATH=$(CURDIR)/$(PACKING)/environment/bin:$$PATH \
	    auditwheel repair --strip --zip-compression-level 9 --wheel-dir $(GIVEN) $(WHEEL_PACKING)/wheel/planwave-$(VERSION)*.whl
	packaging/bundled.py --hold $(GIVEN)/planwave-$(VERSION)*_$(ARCH).whl
	cp $(WHEEL_PACKING)/licences/sbom.cdx.json $(GIVEN)/planwave-$(VERSION)$(WHEEL_KIND)-$(ARCH).cdx.json

# As root; another processor is played by qemu-user.
check-wheel: $(BUILD)/planwave ## the wheel of `make wheel` in a clean root of Debian 12, minutes; ARCH=aarch64
	$(call ensure,command -v debootstrap >/dev/null$(if $(TRIPLET), && test -e /proc/sys/fs/binfmt_misc/qemu-$(ARCH)),debootstrap$(if $(TRIPLET), qemu-user-static binfmt-support))
	@BUILD=$(BUILD) packaging/check_wheel.sh $(GIVEN)/planwave-$(VERSION)-*_$(ARCH).whl

sdist: $(PACKING)/environment/made ## the source, which `pip install` and `make` build, into build/release
	$(PACKING)/environment/bin/python -m build --no-isolation --sdist --outdir $(GIVEN) .

# In a copy of the tree, where dpkg finds debian/ in the root. DEB_OBJECTS=FOLDER: what was compiled there is taken.
DEB_NAME := planwave-$(VERSION)
deb: deps ## Debian packages of program, library and headers, into build/release
	$(call ensure,command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null,build-essential debhelper fakeroot)
	rm -rf $(PACKING)/deb && mkdir -p $(PACKING)/deb/$(DEB_NAME) $(GIVEN)
	git ls-files -z | tar -c --null -T - | tar -x -C $(PACKING)/deb/$(DEB_NAME)
	cp -r packaging/debian $(PACKING)/deb/$(DEB_NAME)/debian
	cd $(PACKING)/deb/$(DEB_NAME) && env -u MAKEFLAGS -u MAKELEVEL PLANWAVE_BUILD=$(abspath $(DEB_OBJECTS)) \
	    DEB_BUILD_OPTIONS=noautodbgsym dpkg-buildpackage -b -us -uc
	cp $(PACKING)/deb/*.deb $(GIVEN)

# Debian's packages have no CUDA, whatever is compiled here: the toolkit's libraries are in none of its packages.
check-packages: deps ## the Debian packages of what is compiled here, and the wheel of `make test-python`, solve the demo to the same bits
	$(call ensure,command -v lintian >/dev/null,lintian)
	+@CUDA=0 MPI=$(USE_MPI) $(MAKE) --no-print-directory deb DEB_OBJECTS=$(BUILD)
	+@CUDA=$(USE_CUDA) MPI=$(USE_MPI) $(MAKE) --no-print-directory all
	@BUILD=$(BUILD) packaging/check.sh

release: deps ## wheels, source and Debian packages of a revision without changes, with licences, SBOM and checksums, into build/release
	@[ -z "$$(git status --porcelain)" ] || { echo "there are changes that are in no commit:"; git status --short; exit 1; }
	@tag=$$(git tag --points-at HEAD --list 'v*'); [ -z "$$tag" ] || [ "$$tag" = v$(VERSION) ] || { echo "the tag is $$tag, PW_VERSION $(VERSION)"; exit 1; }
	@for log in CHANGELOG.md packaging/debian/changelog CITATION.cff; do \
	    grep -qE '(^## |\(|^version: )$(VERSION)' $$log || { echo "$$log says nothing of $(VERSION)"; exit 1; }; done
	rm -rf $(GIVEN)
	+@$(MAKE) --no-print-directory sdist wheel deb
	+@$(MAKE) --no-print-directory wheel ARCH=aarch64
	cd $(GIVEN) && sha256sum * > SHA256SUMS
	@cat $(GIVEN)/SHA256SUMS
.PHONY: wheel unknown-arch no-kernels check-wheel sdist deb check-packages release
