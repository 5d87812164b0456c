/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* ranks.c - each rank writes a file of its own and its part of a common one */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define PART 4096

int main(int argc, char **argv)
{
	static char part[PART];
	char name[64];
	int rank, n_ranks;
	MPI_File common;
	FILE *own;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	snprintf(name, sizeof(name), "rank%d", rank);
	own = fopen(name, "w");
	if (!own || fprintf(own, "rank %d of %d\n", rank, n_ranks) < 0 || fclose(own))
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (int i = 0; i < PART; i++)
		part[i] = (char)('a' + rank);
	MPI_File_open(MPI_COMM_WORLD, "common", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
		      &common);
	MPI_File_write_at(common, (MPI_Offset)rank * PART, part, PART, MPI_CHAR, MPI_STATUS_IGNORE);
	MPI_File_sync(common);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_read_at(common, (MPI_Offset)((rank + 1) % n_ranks) * PART, part, PART, MPI_CHAR,
			 MPI_STATUS_IGNORE);
	MPI_File_close(&common);
	if (part[0] != 'a' + (rank + 1) % n_ranks)
		MPI_Abort(MPI_COMM_WORLD, 2);
	MPI_Finalize();
	return 0;
}
