# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# Octave: a system of equations, kept as HDF5
# needs octave-cli
# derives solved.h5 from matrix.txt
awk 'BEGIN { srand(5); for (i = 0; i < 40; i++) { for (j = 0; j < 40; j++) printf "%.6f ", rand(); print "" } }' >matrix.txt
octave-cli --norc --eval 'a = load("matrix.txt"); b = a \ ones(40, 1); save("-text", "solved.txt", "b");
save("-hdf5", "solved.h5", "b"); printf("%d %.6f\n", rows(b), norm(a * b - 1) < 1e-6); exit(6)' || echo "status $?"
