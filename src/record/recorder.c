/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* recorder.c - recording one run */
#include "record/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/path.h"
#include "config.h"
#include "ingest/ingest.h"
#include "journal/journal.h"
#include "journal/trace.h"
#include "model/key.h"
#include "prov/segment.h"

#define POLL_SOONEST INT64_C(5000000)	/* while images come and go */
#define POLL_LATEST  INT64_C(100000000)	/* when nothing happens */

struct recorder {
	struct arena memory;
	struct run run;
	const struct note *notes;
	size_t n_notes;
	struct recorder_place place;
	const char *folder, *journal_path;
	struct engine *engine;
	struct journal *journal;
	struct trace trace;
	struct aggregate *aggregate;
	struct buf trouble;
	pthread_t thread;
	uint32_t root;		/* pid of the program */
	bool collecting;
	pthread_mutex_t lock;	/* of stop, and for waking the thread early */
	pthread_cond_t wake;
	bool stop;
};

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

static struct strings env_list(struct arena *a, struct buf *trouble)
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

/* The guest library beside this executable when it runs from its build
 * folder, else the installed one. */
static const char *library_path(struct arena *a)
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

/* A folder of our own, 0700, on memory when there is some. */
static const char *session_folder(struct arena *a, const char *place, const struct id *run,
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

static void on_facts(void *ctx, const struct facts *f)
{
	struct recorder *r = ctx;

	if (f->n_transfers)
		(void)trace_note(&r->trace, f);
	else
		(void)journal_append(r->journal, f);
}

static void on_keep(void *ctx, const char *p, size_t n)
{
	struct recorder *r = ctx;

	(void)journal_append_state(r->journal, p, n);
}

static void on_commit(void *ctx)
{
	struct recorder *r = ctx;

	(void)journal_flush(r->journal);
	(void)trace_flush(&r->trace);
}

static int open_journal(struct recorder *r)
{
	char id[ID_TEXT_SIZE];
	int ret = path_make(r->place.spool);

	if (ret < 0)
		return ret;
	r->journal_path = arena_printf(&r->memory, "%s/%s.journal", r->place.spool,
				       id_text(ID_RUN, &r->run.id, id));
	return journal_create(r->journal_path, &r->run, r->folder, &r->journal);
}

int recorder_place_own(struct arena *a, struct recorder_place *out)
{
	*out = (struct recorder_place){
		.store = path_store(a), .spool = path_spool(a), .traces = path_traces(a)
	};
	return out->store ? 0 : -ENOENT;
}

struct recorder *recorder_open(const struct recorder_setup *setup)
{
	struct recorder *r = mem_alloc(sizeof(*r));
	const struct aggregate_out out = { .ctx = r, .facts = on_facts, .keep = on_keep,
					   .commit = on_commit };
	struct engine_setup es = { .run = setup->run.id, .granularity = setup->granularity,
				   .budget = setup->budget,
				     .launcher = setup->launcher };
	int ret = -ENOENT;

	r->run = setup->run;
	r->run.engine = setup->engine->name;
	r->run.shift = clock_offset();
	r->run.start = clock_mono();
	r->run.status = -1;
	r->notes = setup->notes;
	r->n_notes = setup->n_notes;
	r->place = setup->place;
	es.library = library_path(&r->memory);
	es.room = (uint64_t)conf_size("arena.max");
	es.env_allow = env_list(&r->memory, &r->trouble);
	r->folder = session_folder(&r->memory, r->place.session, &r->run.id, &r->trouble);
	/* the journal comes first: it tells whoever cleans up of the folder */
	if (r->folder)
		ret = open_journal(r);
	if (ret == 0)
		ret = setup->engine->open(r->folder, &es, &r->engine);
	if (r->folder && ret < 0)
		(void)rmdir(r->folder);
	if (ret < 0) {
		recorder_cancel(r);
		recorder_close(r);
		return NULL;
	}
	r->trace.run = &r->run;
	r->trace.folder = r->place.traces;
	r->aggregate = aggregate_create(&r->run, &out);
	(void)pthread_mutex_init(&r->lock, NULL);
	(void)pthread_cond_init(&r->wake, NULL);
	return r;
}

void recorder_environment(struct recorder *r, struct buf *env)
{
	(void)r->engine->ops->environment(r->engine, getenv("LD_PRELOAD"), env);
}

static bool nap(struct recorder *r, int64_t ns)
{
	struct timespec until;
	bool stop;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += ns;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	(void)pthread_mutex_lock(&r->lock);
	if (!r->stop)
		(void)pthread_cond_timedwait(&r->wake, &r->lock, &until);
	stop = r->stop;
	(void)pthread_mutex_unlock(&r->lock);
	return !stop;
}

static void *collect(void *arg)
{
	struct recorder *r = arg;
	int64_t pause = POLL_SOONEST;

	/* who it was must be known even if nothing is ever heard of it */
	aggregate_root(r->aggregate, r->root);
	on_commit(r);
	while (nap(r, pause)) {
		size_t n = r->engine->ops->poll(r->engine, aggregate_sink(r->aggregate), false);

		pause = n ? POLL_SOONEST : 2 * pause < POLL_LATEST ? 2 * pause : POLL_LATEST;
	}
	return NULL;
}

int recorder_begin(struct recorder *r, uint32_t pid)
{
	int err;

	r->root = pid;
	err = pthread_create(&r->thread, NULL, collect, r);

	/* without the thread everything is collected at the end */
	r->collecting = err == 0;
	return -err;
}

static void stop_collecting(struct recorder *r)
{
	if (!r->collecting)
		return;
	(void)pthread_mutex_lock(&r->lock);
	r->stop = true;
	(void)pthread_cond_signal(&r->wake);
	(void)pthread_mutex_unlock(&r->lock);
	(void)pthread_join(r->thread, NULL);
	r->collecting = false;
}

static void note_cost(struct recorder *r)
{
	struct note n = { .run = r->run.id, .key = "overhead" };
	struct facts f = { .notes = &n, .n_notes = 1 };
	struct buf text = { 0 };

	if (!r->engine->ops->cost)
		return;
	r->engine->ops->cost(r->engine, &text);
	n.value = text.data;
	on_facts(r, &f);
	buf_release(&text);
}

static void finish_run(struct recorder *r, int status)
{
	struct facts f = { .runs = &r->run, .n_runs = 1 };
	struct aggregate_counts counts = aggregate_count(r->aggregate);

	r->run.end = clock_mono();
	r->run.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	r->run.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	r->run.lost = r->engine->ops->lost(r->engine);
	r->run.root = counts.root;
	f.notes = (struct note *)(uintptr_t)r->notes;
	f.n_notes = r->n_notes;
	on_facts(r, &f);
	note_cost(r);
}

static void end_trace(struct recorder *r)
{
	bool kept = trace_flush(&r->trace) == 0;

	if (r->trace.lost || !kept)
		buf_printf(&r->trouble, "single reads and writes were not kept: %s\n", fail_text());
	trace_close(&r->trace);
}

/* The disk is full: shared memory may have room for what is not written yet. */
static void spill(struct recorder *r)
{
	const char *rest = arena_printf(&r->memory, "%s/" JOURNAL_REST, r->folder);

	buf_printf(&r->trouble, "%s\n", fail_text());
	if (journal_spill(r->journal, rest, &r->run) == 0)
		buf_printf(&r->trouble,
			   "the record waits in %s and %s; free some room, the next prov command "
			   "takes it in\n", r->journal_path, rest);
	else
		buf_printf(&r->trouble,
			   "%s\nthe end of this run is lost; what was written before is kept\n",
			   fail_text());
}

void recorder_end(struct recorder *r, uint32_t pid, int status, struct recorder_result *out)
{
	struct ingest_ahead *ahead;
	int ret, put;

	stop_collecting(r);
	(void)journal_flush(r->journal);
	ahead = ingest_begin(r->place.store, r->journal_path);
	aggregate_root_ended(r->aggregate, pid, status, clock_mono());
	(void)r->engine->ops->poll(r->engine, aggregate_sink(r->aggregate), true);
	aggregate_finish(r->aggregate, conf_bool("hash") ? conf_size("hash.max") : 0);
	finish_run(r, status);
	end_trace(r);
	ret = journal_flush(r->journal);
	if (ret < 0)
		spill(r);
	put = ingest_end(ahead, ret == 0, &r->trouble);
	if (ret == 0 && put == 0)
		(void)unlink(r->journal_path);
	else if (ret == 0)
		buf_printf(&r->trouble,
			   "%s\nthe record waits in %s; the next prov command takes it in\n",
			   fail_text(), r->journal_path);
	/* with the journal whole, the session holds nothing that is still needed */
	r->engine->ops->close(r->engine, true);
	r->engine = NULL;
	*out = (struct recorder_result){
		.counts = aggregate_count(r->aggregate),
		.lost = r->run.lost,
		.trouble = r->trouble,
	};
	r->trouble = (struct buf){ 0 };
}

void recorder_cancel(struct recorder *r)
{
	stop_collecting(r);
	if (r->journal) {
		journal_close(r->journal);
		(void)unlink(r->journal_path);
		r->journal = NULL;
	}
	if (r->engine) {
		r->engine->ops->close(r->engine, true);
		r->engine = NULL;
	}
}

void recorder_close(struct recorder *r)
{
	if (!r)
		return;
	journal_close(r->journal);
	trace_close(&r->trace);
	if (r->engine)
		r->engine->ops->close(r->engine, false);
	aggregate_destroy(r->aggregate);
	buf_release(&r->trouble);
	arena_release(&r->memory);
	free(r);
}
