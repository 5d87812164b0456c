# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# make.mk - many small compilations at once, with dependencies between them
OBJECTS := $(foreach n,1 2 3 4 5 6 7 8,unit$(n).o)

program: $(OBJECTS)
	$(CC) -o $@ $^
	./$@ >result || true

unit1.c:
	echo 'int main(void) { return 0; }' >$@

unit%.c: seed
	sed s/N/$*/g seed >$@.tmp
	mv $@.tmp $@

seed:
	echo 'int unitN(void) { return N; }' >$@

%.o: %.c
	$(CC) -O1 -c -o $@ $<
