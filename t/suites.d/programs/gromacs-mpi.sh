# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# GROMACS with two processes of MPI
# needs gmx_mpi mpirun
# derives traj.trr from md.tpr md.mdp topol.top
cat "$SOURCE/t/workloads/water.mdp" - >md.mdp <<'END'
ld-seed = 1
nstxout = 20
nstvout = 20
END
cp "$SOURCE/t/workloads/water.top" topol.top
gmx_mpi -quiet grompp -f md.mdp -p topol.top -c /usr/share/gromacs/top/spc216.gro -o md.tpr -maxwarn 5
mpirun -np 2 gmx_mpi -quiet mdrun -s md.tpr -ntomp 1 -nsteps 60 -reprod -o traj.trr 2>told || { cat told; exit 1; }
# The rest are speeds.
sed -i '/Dynamic load\|Core t/,$d' told
rm md.log
