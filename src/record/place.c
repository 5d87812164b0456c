/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* place.c - where a run is kept, and what surrounds a session */
#include "record/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/conf.h"
#include "base/err.h"
#include "base/path.h"
#include "config.h"
#include "prov/segment.h"
#include "record/recorder.h"

/* What the environment may say about a run and its reproduction; everything
 * else in it is nobody's business. */
static const char env_allow[] =
	"PATH\0HOME\0USER\0LOGNAME\0SHELL\0LANG\0LANGUAGE\0LC_*\0TZ\0TMPDIR\0HOSTNAME\0"
	"LD_LIBRARY_PATH\0LD_PRELOAD\0LOADEDMODULES\0_LMFILES_\0MODULEPATH\0"
	"OMP_*\0GOMP_*\0KMP_*\0MKL_*\0OPENBLAS_*\0BLIS_*\0OMPI_COMM_*\0OMPI_MCA_*\0"
	"PMI_RANK\0PMI_SIZE\0PMIX_RANK\0PMIX_NAMESPACE\0MPICH_*\0I_MPI_*\0UCX_*\0"
	"SLURM_*\0PBS_*\0LSB_*\0FLUX_JOB_*\0FLUX_TASK_*\0SGE_*\0JOB_ID\0JOB_NAME\0COBALT_*\0"
	"CUDA_*\0NVIDIA_VISIBLE_DEVICES\0HIP_*\0ROCR_*\0HDF5_*\0NETCDF_*\0GMX_*\0GMXLIB\0"
	"CONDA_*\0VIRTUAL_ENV\0PYTHONPATH\0PYTHONHOME\0PYTHONHASHSEED\0R_LIBS\0R_LIBS_USER\0"
	"R_HOME\0JULIA_*\0JAVA_HOME\0CLASSPATH\0PERL5LIB\0CC\0CXX\0FC\0CFLAGS\0CXXFLAGS\0"
	"FFLAGS\0FCFLAGS\0LDFLAGS\0APPTAINER_NAME\0SINGULARITY_NAME\0MALLOC_*\0"
	"GLIBC_TUNABLES\0NUMEXPR_*\0SOURCE_DATE_EPOCH\0";

/* What the guest library could not look up or has no room for. */
static bool env_name_fits(const char *name, size_t n, size_t used)
{
	return name[0] >= 'A' && name[0] <= '_' && used + n + 2 <= PROV_ENV_ROOM;
}

struct strings place_env(struct arena *a, struct buf *trouble)
{
	struct buf b = { 0 };
	const char *extra = conf_text("env.allow");
	struct strings out;

	buf_append(&b, env_allow, sizeof(env_allow) - 1);
	while (*extra) {
		size_t n = strcspn(extra, ", ");

		if (n && env_name_fits(extra, n, b.size)) {
			buf_append(&b, extra, n);
			buf_char(&b, 0);
		} else if (n) {
			buf_printf(trouble,
				   "env.allow: %.*s is not recorded: names begin with a capital "
				   "or _, and all of them have 3 KiB\n", (int)n, extra);
		}
		extra += n + (extra[n] != 0);
	}
	out = (struct strings){ arena_copy(a, b.data, b.size), b.size };
	buf_release(&b);
	return out;
}

const char *place_library(struct arena *a)
{
	static const char name[] = "libprov-preload.so";
	const char *installed = arena_printf(a, "%s/%s", PROV_SHIM_DIR, name);
	const char *built = arena_printf(a, "%s/%s", PROV_BUILD_SHIM_DIR, name);
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *moved;
	char *slash;

	self[n > 0 ? n : 0] = 0;
	if (n > 0 && !strncmp(self, PROV_BUILD_DIR "/", sizeof(PROV_BUILD_DIR)) &&
	    access(built, R_OK) == 0)
		return built;
	if (access(installed, R_OK) == 0)
		return installed;
	/* an installation that was moved as a whole: bin/prov, LIBDIR/prov/... */
	slash = n > 0 ? strrchr(self, '/') : NULL;
	if (slash)
		*slash = 0;
	moved = arena_printf(a, "%s/../%s/prov/%s", self, PROV_LIBDIR, name);
	return access(moved, R_OK) == 0 ? path_real(a, moved) : installed;
}

const char *place_folder(struct arena *a, const char *place, const struct id *run,
			 struct buf *trouble)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR"), *tmp = getenv("TMPDIR");
	const char *places[] = { place ? place : conf_text("session.dir"), runtime, "/dev/shm",
				 tmp, "/tmp" };
	char id[ID_TEXT_SIZE];
	int err = ENOENT;

	id_text(ID_RUN, run, id);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		/* the path must fit into what the guest library keeps of it */
		bool usable = places[i] && places[i][0] == '/' && strlen(places[i]) <= 400;
		const char *dir;

		if (i == 0 && places[i][0] && !usable)
			buf_str(trouble, "session.dir is not used: it is an absolute path of at "
					 "most 400 bytes\n");
		if (!usable)
			continue;
		dir = arena_printf(a, "%s/prov-%u-%.17s", places[i], (unsigned)getuid(), id);
		if (mkdir(dir, 0700) == 0)
			return dir;
		err = errno;
	}
	(void)fail(err,
		   "no folder for shared memory: %s; set session.dir to one that is writable, "
		   "best on tmpfs", strerror(err));
	return NULL;
}

int recorder_place_own(struct arena *a, struct recorder_place *out)
{
	*out = (struct recorder_place){
		.store = path_store(a), .spool = path_spool(a), .traces = path_traces(a)
	};
	return out->store ? 0 : -ENOENT;
}
