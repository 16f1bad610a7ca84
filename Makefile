# Lithe: `make demo` shows what it does, `make test` runs every test. Both install what is missing first.
BUILD := build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# A compiler that is newer than ours may warn where ours does not: only the checks of the project look for warnings, and
# stop at them.
WARNINGS := $(if $(CI),ON,OFF)
# Several files at a time: a whole build is faster. `make JOIN=OFF` is better while changing things.
JOIN ?= ON
CONFIGURE = cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release -DLITHE_WARNINGS=$(WARNINGS) \
  -DLITHE_WARNINGS_AS_ERRORS=$(WARNINGS) -DLITHE_JOIN_SOURCES=$(JOIN)
# Python packages that the module, its tests and its examples need: an environment of their own.
PYTHON := $(CURDIR)/$(BUILD)/python_tests

.PHONY: all build demo mpi test docs playground npm test-playground deb try-deb tarball try-tarball wheel try-wheel package-program format \
  install clean setup

all: build

setup:
	@tools/setup build

# The program (build/lithe), the library and the benchmarks.
build: setup
	@$(CONFIGURE) -DLITHE_BUILD_TESTS=OFF
	@cmake --build $(BUILD) -j $(JOBS)

demo: setup
	@$(CONFIGURE) -DLITHE_BUILD_TESTS=OFF
	@cmake --build $(BUILD) -j $(JOBS) --target lithe_program
	@$(BUILD)/lithe demo

# The program, and what `mpirun -n N lithe reduce` needs beside it: build/lithe_reduce_mpi.
mpi:
	@tools/setup build mpi
	@$(CONFIGURE) -DLITHE_BUILD_TESTS=OFF -DLITHE_MPI=ON
	@cmake --build $(BUILD) -j $(JOBS) --target lithe_program lithe_reduce_mpi

test:
	@tools/setup build test
	@LITHE_PYTHON="$(PYTHON)" tools/setup python
	@$(CONFIGURE) -DLITHE_BUILD_TESTS=ON -DLITHE_BUILD_PYTHON=ON -DPython_EXECUTABLE="$(PYTHON)/bin/python"
	@cmake --build $(BUILD) -j $(JOBS)
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

# The documentation site, build/site/index.html: works from disk, search included.
docs:
	@tools/setup build docs
	@$(CONFIGURE)
	@cmake --build $(BUILD) -j $(JOBS) --target lithe_program
	@tools/check_docs
	@tools/make_docs --program $(BUILD)/lithe
	@echo "The site: $(BUILD)/site/index.html"

# The engine in a web page that works from disk: build/playground/playground.html.
playground:
	@tools/setup playground
	@tools/make_playground $(JOBS)

# The same engine for node and browsers: build/lithe-wasm-VERSION.tgz, to be installed by npm.
npm: playground
	@tools/make_npm

# The page in Chromium, with the numbers of the program beside it. Not part of `make test`: emscripten alone takes longer
# to install and to run than the rest of the tests may.
test-playground: build npm
	@tools/setup test
	@tools/viewer_packages
	@LITHE_PROGRAM="$(CURDIR)/$(BUILD)/lithe" node --test tests/playground/

# The program for any processor of this architecture, for packages.
package-program: docs
	@tools/setup build docs package
	@cmake -S . -B build-package -G Ninja -DCMAKE_BUILD_TYPE=Release -DLITHE_NATIVE=OFF -DLITHE_JOIN_SOURCES=$(JOIN) \
	  -DLITHE_BUILD_TESTS=OFF
	@cmake --build build-package -j $(JOBS) --target lithe_program

# A Debian package with program, manual pages, completion, examples and docs: build/lithe_VERSION_ARCH.deb.
deb: package-program
	@tools/make_package deb

# The package on a bare Debian root, after lintian and a second packing; as root, for debootstrap and chroot.
try-deb: deb
	@tools/setup bare
	@tools/try_package --bare "$(CURDIR)/$(BUILD)/bare_package_root" $(BUILD)/lithe_*.deb

# The same without a package manager, all libraries included: build/lithe-VERSION-linux-ARCH.tar.gz.
tarball: package-program
	@tools/make_package tarball

# The archive on a bare root of another distribution, with a C library older than ours; as root.
try-tarball: tarball
	@tools/setup bare
	@tools/try_package --bare "$(CURDIR)/$(BUILD)/bare_ubuntu_root" --suite jammy --server http://archive.ubuntu.com/ubuntu \
	  $(BUILD)/lithe-*-linux-*.tar.gz

# A wheel for any Linux of this architecture with the same C library or a newer one: build/wheels. It has the module,
# the program and all foreign libraries. tools/make_wheel makes them for other Pythons as well.
wheel:
	@tools/setup build
	@LITHE_PYTHON="$(CURDIR)/$(BUILD)/wheel_environment" tools/setup wheel
	@tools/make_wheel "$(CURDIR)/$(BUILD)/wheel_environment"

# The wheel on a bare Debian root without compiler and packages; as root, for debootstrap and chroot.
try-wheel: wheel
	@tools/setup bare
	@tools/try_wheel --bare "$(CURDIR)/$(BUILD)/bare_root" $(BUILD)/wheels/*.whl

format:
	@tools/setup check
	@tools/format

install: build
	@cmake --install $(BUILD) --prefix "$(PREFIX)"

clean:
	@rm -rf $(BUILD) build-*
