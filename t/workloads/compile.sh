#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# compile.sh - a compiler driver: temporary files, an archive, a link, a run
set -e
cat >main.c <<'END'
#include <stdio.h>
#include "part.h"
int main(void) { FILE *f = fopen("made", "w"); return !f || fprintf(f, "%d\n", part()) < 0 || fclose(f); }
END
echo 'int part(void);' >part.h
echo '#include "part.h"
int part(void) { return 42; }' >part.c
gcc -O1 -c part.c
ar rcs libpart.a part.o
gcc -save-temps=obj -c -o main.o main.c
gcc -o main main.o -L. -lpart
strip main
./main
gcc -shared -fPIC -o libpart.so part.c
gcc -c missing.c 2>errors || true
