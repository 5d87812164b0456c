# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# GROMACS with two threads
# needs gmx
# derives traj.trr from md.tpr md.mdp topol.top
# derives md.xtc from md.tpr
cat "$SOURCE/t/workloads/water.mdp" - >md.mdp <<'END'
ld-seed = 1
nstxout = 20
nstvout = 20
nstxout-compressed = 20
END
cp "$SOURCE/t/workloads/water.top" topol.top
gmx -quiet grompp -f md.mdp -p topol.top -c /usr/share/gromacs/top/spc216.gro -o md.tpr -maxwarn 5
gmx -quiet mdrun -s md.tpr -nt 2 -nsteps 60 -reprod -o traj.trr -x md.xtc 2>told || { cat told; exit 1; }
# The rest are speeds.
sed -i '/Dynamic load\|Core t/,$d' told
rm md.log
