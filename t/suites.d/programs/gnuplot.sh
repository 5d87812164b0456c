# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# gnuplot
# needs gnuplot
# derives curve.svg from curve.dat
seq 100 | awk '{ print $1, $1 * $1 }' >curve.dat
gnuplot -e 'set term svg; set output "curve.svg"; plot "curve.dat" with lines; print GPVAL_DATA_Y_MAX'
