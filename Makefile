# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# The usual names in front of Meson, which does the building: "meson setup
# build && meson test -C build" works as well for those who prefer it.

BUILD ?= build

all: $(BUILD)/build.ninja
	@meson compile -C $(BUILD)

# A configuration that fails half-way leaves no build.ninja, so it is tried
# again; the packages it lacks are named by tools/deps, not by Meson.
$(BUILD)/build.ninja:
	@command -v meson >/dev/null 2>&1 || tools/deps --missing build
	@meson setup $(BUILD) $(if $(PREFIX),--prefix=$(abspath $(PREFIX))) $(MESONFLAGS) || \
		{ tools/deps --missing build; exit 1; }

# Packages are installed before anything is configured, so that what was
# configured without an optional one (cmocka, scdoc) is not kept.
demo:
	@tools/deps build demo
	@$(MAKE) --no-print-directory all
	@BUILD=$(abspath $(BUILD)) demo/run

check:
	@tools/deps build demo check
	@BUILD=$(abspath $(BUILD)) tools/check $(ONLY)

bench:
	@tools/deps build bench
	@$(MAKE) --no-print-directory all
	@BUILD=$(abspath $(BUILD)) bench/run

suites:
	@tools/deps build check suites
	@$(MAKE) --no-print-directory all
	@BUILD=$(abspath $(BUILD)) t/suites --all $(ONLY)

fuzz:
	@tools/deps build check
	@tools/fuzz $(or $(SECONDS),60) $(ONLY)

# Meson installs where it was configured to; where the capture library lies is
# compiled in, so another PREFIX means another configuration.
install: $(BUILD)/build.ninja
	@$(if $(PREFIX),meson configure $(BUILD) -Dprefix=$(abspath $(PREFIX)))
	@meson compile -C $(BUILD)
	@meson install -C $(BUILD) --no-rebuild $(if $(DESTDIR),--destdir $(abspath $(DESTDIR)))

clean:
	@rm -rf $(BUILD) build-asan build-clang build-fuzz demo/out

help:
	@echo 'make                   build into $(BUILD)/'
	@echo 'make demo              record a real pipeline and ask where its result came from'
	@echo 'make check             run every test; as root, installs what they need'
	@echo 'make check ONLY=GLOB   only the tests whose name matches, such as ONLY="unit/*"'
	@echo 'make install           into PREFIX (/usr/local), below DESTDIR when given'
	@echo 'make bench             what recording costs: measured, baseline, ratio, budget'
	@echo 'make suites            applications and whole test suites of Debian, bare and recorded;'
	@echo '                       takes an hour or two and 700 MB; ONLY=WORD for one'
	@echo 'make fuzz SECONDS=60   each fuzz target for so long'
	@echo 'make clean             remove what was built'

.PHONY: all demo check bench suites fuzz install clean help
