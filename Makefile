# Few targets over CMake, Ninja and CTest. Work from a bare Debian 12: what is missing is installed as
# a Debian package (NO_INSTALL=1 only lists it and exits 3). HIDE_CUDA=1: as if the machine had no CUDA
# toolkit. BUILD=FOLDER: build there. EXCEPT=REGEX: tests that `make test` leaves out.

PREFIX ?= /usr/local
HIDE_CUDA ?= 0
ifeq ($(HIDE_CUDA),1)
BUILD ?= build-hidden
run = scripts/without-cuda.sh
else
BUILD ?= build
run =
endif
groups = build cuda
owned = scripts/owned.sh $(BUILD)
test_groups = fuzz offload openmp browser schema mpi slurm libraries package

.PHONY: help demo test test-quick test-packages bench accuracy install uninstall package site build product configure packages format check-format clean

help:
	@echo 'make demo          build, profile an example on a simulated GPU, show the report'
	@echo 'make test          build and run all tests, as many at a time as there are cores'
	@echo 'make test-quick    without those of tests/slow.txt'
	@echo 'make bench         simulation speed beside plain C'
	@echo 'make accuracy      counts beside those of a real H200'
	@echo 'make install       install what is built under PREFIX (default /usr/local; DESTDIR stands before it)'
	@echo 'make uninstall     remove what the last make install installed'
	@echo 'make package       a Debian package and an archive that runs where it is unpacked, in the build folder'
	@echo 'make site          the pages of docs/ as HTML, in the build folder'
	@echo 'make format        format the C files; check-format only looks'
	@echo 'make clean         remove the build folder'
	@echo 'With HIDE_CUDA=1 as if there were no CUDA toolkit; NO_INSTALL=1 installs no packages.'

packages:
	@scripts/install-packages.sh $(groups)

configure: packages
	@$(owned) $(run) cmake -S . -B $(BUILD) -G Ninja --log-level=WARNING >/dev/null

build: configure
	@$(owned) $(run) scripts/build.sh $(BUILD)

product: configure
	@$(owned) $(run) scripts/build.sh $(BUILD) product

demo: product
	@$(owned) $(run) scripts/demo.sh $(BUILD)

# What only some tests need, group by group; what cannot be installed is skipped by them.
test-packages:
	@scripts/install-packages.sh --optional $(test_groups)

test: packages test-packages build
	@$(owned) $(run) scripts/run-tests.sh $(BUILD) $(if $(EXCEPT),-E '$(EXCEPT)')

test-quick: build
	@$(owned) $(run) scripts/run-tests.sh $(BUILD) -LE slow

bench: product
	@$(run) ninja -C $(BUILD) --quiet warplens-speed
	@$(run) $(BUILD)/bench/warplens-speed bench/speed/kernels.ptx
	@$(run) bench/speed/profiles.sh $(BUILD)

accuracy: product
	@$(run) ninja -C $(BUILD) --quiet accuracy_compare
	@$(run) tests/accuracy/run.sh $(BUILD)
	@$(run) tests/accuracy/whatif.sh $(BUILD)
	@$(run) tests/accuracy/advice_gains.sh $(BUILD)
	@$(run) tests/accuracy/headlines.sh $(BUILD)
	@$(run) tests/accuracy/timeline.sh $(BUILD)
	@$(run) tests/accuracy/ladders.sh $(BUILD)

# Builds nothing that is built already, so that root may install what a user has built.
install:
	@[ -x $(BUILD)/warplens ] || $(MAKE) --no-print-directory product
	@umask 022 && DESTDIR='$(DESTDIR)' cmake --install $(BUILD) --prefix '$(PREFIX)' >/dev/null
	@echo 'Installed: $(DESTDIR)$(PREFIX)/bin/warplens'

uninstall:
	@scripts/uninstall.sh $(BUILD) '$(DESTDIR)'

package: product
	@scripts/install-packages.sh package
	@cd $(BUILD) && cpack >cpack.log || { cat cpack.log; exit 1; }
	@ls $(BUILD)/warplens*.deb $(BUILD)/warplens*.tar.gz

site:
	@scripts/install-packages.sh site
	@scripts/site.sh $(BUILD)/site

format:
	@scripts/install-packages.sh format
	@scripts/format.sh

check-format:
	@scripts/install-packages.sh --optional format
	@scripts/format.sh --check

clean:
	@rm -rf $(BUILD)
