#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# water.sh FOLDER - prepares water.tpr in FOLDER, input of "gmx mdrun"
set -e
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
gmx -quiet grompp -f "$here/water.mdp" -p "$here/water.top" -c "${GMXDATA:-/usr/share/gromacs}/top/spc216.gro" \
	-o water.tpr -maxwarn 5
