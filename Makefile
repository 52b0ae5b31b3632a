# SPDX-License-Identifier: GPL-2.0-only
# For people. The modules themselves are described by Kbuild and the Makefiles
# below drivers/; kbuild reads those, never this one.

# Neither kbuild nor make can have spaces in names of files.
ifneq ($(words $(CURDIR) $(KDIR)),$(if $(KDIR),2,1))
$(error A path with a space in it: "$(CURDIR)"$(if $(KDIR), or "$(KDIR)"). Move the sources to one without)
endif

KDIR ?= /lib/modules/$(shell uname -r)/build
prefix ?= /usr/local
# Where the modules of the project are, and nothing else.
installed := updates/pcounter

# In a kernel tree these come from Kconfig.
config := CONFIG_PCOUNTER=m CONFIG_PCOUNTER_LAB=m CONFIG_PCOUNTER_SIM=m
# The scripts call make for other kernels: nothing of this call is for them.
script := @env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL

.PHONY: modules tables modules_install modules_uninstall kernel-headers tools tools_install tools_uninstall \
	install uninstall dist live events pages html clean check check-all check-live recipes soak mutate demo bench picture \
	compile_commands.json help

modules: kernel-headers
	+$(MAKE) -C $(KDIR) M=$(CURDIR) $(config) $@

# Files that are made from scripts/tables/, if the scripts are here. Each build makes the files
# that it needs.
top := .
-include scripts/tables.mk

tables: $(tables)

# What is installed for an image of a system is for that system's depmod.
modules_install: kernel-headers
	+$(MAKE) -C $(KDIR) M=$(CURDIR) $(config) INSTALL_MOD_PATH=$(DESTDIR) INSTALL_MOD_DIR=$(installed) $@
	$(if $(DESTDIR),,depmod $(release))

modules_uninstall: kernel-headers
	rm -rf $(DESTDIR)/lib/modules/$(release)/$(installed)
	$(if $(DESTDIR),,depmod $(release))

release = $(shell cat $(KDIR)/include/config/kernel.release)

install: modules tools
	+$(MAKE) modules_install
	+$(MAKE) tools_install

uninstall: modules_uninstall tools_uninstall

kernel-headers:
	@test -e $(KDIR)/Makefile || { \
		echo "No kernel headers at $(KDIR)." >&2; \
		echo "For the running kernel: apt-get install linux-headers-$$(uname -r)" >&2; \
		echo "For another one: make KDIR=/usr/src/linux-headers-VERSION" >&2; \
		exit 1; }

tools:
	$(MAKE) -C tools/pcounter O=$(CURDIR)/build/tools

tools_install:
	$(MAKE) -C tools/pcounter O=$(CURDIR)/build/tools DESTDIR=$(DESTDIR) prefix=$(prefix) install

tools_uninstall:
	$(MAKE) -C tools/pcounter O=$(CURDIR)/build/tools DESTDIR=$(DESTDIR) prefix=$(prefix) uninstall

dist:
	$(script) scripts/dist.sh

# A stick that boots any PC into pcounter.
live:
	$(script) scripts/live.sh

check-live:
	$(script) scripts/setup.sh demo
	$(script) tools/testing/guest/run-live --fresh

# perf's own lists of events. PMU_EVENTS=LINUX/tools/perf/pmu-events puts them into a kernel tree.
PMU_EVENTS ?= build/pmu-events

events:
	scripts/gen-perf.py $(PMU_EVENTS)

# The list of all signals, for people; tables in Documentation.
pages:
	scripts/gen-pages.py --signals build/pages
	scripts/gen-pages.py

# All pages, with that list among them. Any warning is an error.
html:
	rm -rf build/html build/html-source
	scripts/gen-pages.py --signals build/pages
	cp -r Documentation build/html-source
	cp build/pages/pcounter-signals.rst build/html-source/admin-guide/perf
	sphinx-build -q -E -W --keep-going -b html -d build/doctrees build/html-source build/html
	rm -rf build/html/.buildinfo build/html-source

# By name, so that it needs no headers and leaves nothing of any kernel's.
clean:
	find . -name .git -prune -o -type f \( -name '*.o' -o -name '*.o.d' -o -name '*.a' \
		-o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c' -o -name '.*.cmd' \
		-o -name modules.order -o -name Module.symvers \) -exec rm -f {} +
	rm -rf build compile_commands.json
	@$(foreach dir,$(dir $(wildcard tools/testing/*/Makefile tools/testing/*/*/Makefile)),$(MAKE) -C $(dir) clean;)

# VERBOSE=1 shows more than what is not good.
check:
	$(script) scripts/check.sh

check-all:
	$(script) scripts/check.sh --all

# Status bars and monitors of Debian 12, and nvtop, show a virtual GPU.
recipes:
	$(script) tools/testing/guest/run-recipes

# TIME is in seconds, for each of the kernels with checkers; a third of it is how long
# a guest records at the full rate, of its own seconds, which are longer. After them comes
# the rest that takes too long for each whole run: more guests, monitors, other compilers and
# C libraries, and other machines, on which all unit tests run big-endian.
soak:
	$(script) tools/testing/guest/run-tests --soak $(or $(TIME),1800) $(if $(SEED),--seed $(SEED))
	$(script) tools/testing/bench/run --soak $$(($(or $(TIME),1800) / 3))
	$(script) scripts/setup.sh soak
	$(script) tools/testing/guest/run-tests --long
	$(script) tools/testing/guest/run-packages --release 13
	$(script) tools/testing/guest/run-recipes
	$(script) scripts/compilers.sh
	$(script) scripts/cross.sh

# Fields of tables whose change no unit test notices.
mutate:
	$(script) tools/testing/mutate/mutate.py $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(ALL),--all) '$(TABLES)'

demo:
	$(script) scripts/demo.sh

# Instructions of a guest, and ratios of them; how fast reports are.
bench:
	$(MAKE) -C tools/testing/bench O=$(CURDIR)/build/bench
	build/bench/report
	build/bench/model
	$(script) tools/testing/bench/run

# For editors and language servers.
compile_commands.json:
	$(script) scripts/compile-commands.py

picture:
	$(MAKE) -C tools/testing/unit quick=yes picture

help:
	@echo 'make                   build pcounter.ko, pcounter_lab.ko and pcounter_sim.ko for the running kernel'
	@echo 'make KDIR=DIR          build them for the kernel whose headers or build tree is DIR'
	@echo 'make W=1 C=2           with extra warnings, with sparse (passed on to kbuild)'
	@echo 'make install           build and install modules and program [DESTDIR=DIR] [prefix=/usr/local]'
	@echo 'make uninstall         remove them again'
	@echo 'make modules_install   install the modules, for the kernel of KDIR'
	@echo 'make tools             build the program pcounter (scripts/setup.sh tools installs what it needs)'
	@echo 'make tools_install     install it, its manual pages and completion'
	@echo 'make dist              write build/dist/pcounter-VERSION.tar.gz, with generated pages'
	@echo 'make live              make build/pcounter-live.img, a stick that boots a PC into pcounter'
	@echo 'make check-live        boot it by BIOS and UEFI, on virtual GPUs, and take its reports'
	@echo 'make events            write events and metrics for perf to build/pmu-events'
	@echo 'make events PMU_EVENTS=LINUX/tools/perf/pmu-events   write them into a kernel tree'
	@echo 'make pages             write the list of all signals to build/pages, and generated tables anew'
	@echo 'make html              write all of Documentation, and that list, as HTML to build/html'
	@echo 'make demo              boot a virtual machine with a virtual GPU and run perf in it'
	@echo 'make check             the most telling tests of every kind, on three chips, in a quarter of an hour'
	@echo 'make check-all         every test for every kernel and chip that ends within an hour'
	@echo 'make recipes           status bars, monitors and nvtop show a virtual GPU'
	@echo 'make soak TIME=SECONDS SEED=N   fuzzers, hotplug and hostile GPUs for that time, and the longest tests'
	@echo 'make mutate            print the fields of tables whose change no unit test notices'
	@echo 'make bench             measure the cost of counting, reading, recording and reports'
	@echo 'make compile_commands.json   write the compiler command of each file, for editors'
	@echo 'make picture           draw the picture in Documentation anew'
	@echo 'make clean             remove all build results; the cache of kernels stays'
