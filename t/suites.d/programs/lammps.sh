# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# LAMMPS with two processes of MPI
# needs lmp mpirun
# derives atoms.lammpstrj from in.melt
# derives restart.100 from in.melt
# derives thermo from in.melt
cat >in.melt <<'END'
units lj
lattice fcc 0.8442
region box block 0 6 0 6 0 6
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 4711
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0
fix move all nve
dump positions all custom 50 atoms.lammpstrj id x y z
dump_modify positions sort id
restart 100 restart
thermo 50
run 100
END
mpirun -np 2 lmp -in in.melt -screen none -log all.log
# The rest are speeds.
sed -n '/^Step/,/^Loop/ { /^Loop/!p }' all.log >thermo
rm all.log
cat thermo
