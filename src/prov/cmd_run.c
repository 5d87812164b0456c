/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* cmd_run.c - prov run: a program, recorded */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "aggregate/redact.h"
#include "base/conf.h"
#include "base/err.h"
#include "base/path.h"
#include "engine/engine.h"
#include "engine/granularity.h"
#include "ingest/ingest.h"
#include "model/key.h"
#include "prov/args.h"
#include "prov/child.h"
#include "record/recorder.h"

#define EXIT_CANNOT 125	/* as env(1): prov itself failed, not the program */

enum { OPT_NAME = 256, OPT_NOTE, OPT_NOTE_FILE, OPT_ENGINE, OPT_GRANULARITY, OPT_QUIET };

#define NOTE_MAX (16u << 20)	/* of --note-file; longer belongs into a file of the run */

static const struct option_row options[] = {
	{ OPT_NAME, "name", "NAME", "call the run NAME" },
	{ OPT_NOTE, "note", "KEY=VALUE", "keep a note with the run; may be repeated" },
	{ OPT_NOTE_FILE, "note-file", "KEY=FILE",
	  "likewise, with what FILE contains as the value" },
	{ OPT_ENGINE, "engine", "auto|preload|ebpf",
	  "how to record; auto takes the best that works here" },
	{ OPT_GRANULARITY, "granularity", GRANULARITY_WORDS,
	  "how finely to note accesses to files" },
	{ OPT_QUIET, "quiet", NULL, "no summary line, unless something went wrong" },
	{ 0 },
};

/* Tells programs of prov apart from the program they run: the guest library
 * leaves an executable alone that defines this. */
extern const char prov_is_not_recorded;
__attribute__((visibility("default"), used)) const char prov_is_not_recorded = 1;

struct wish {
	const char *name, *engine, *granularity;
	int32_t level;
	struct note *notes;
	size_t n_notes, note_room;
	bool quiet;
};

static int note_add(struct context *c, struct wish *w, const struct id *run, const char *text)
{
	const char *eq = strchr(text, '=');

	if (!eq || eq == text)
		return context_usage(c, "--note '%s' has no key; write --note KEY=VALUE", text);
	w->notes = arena_grow(&c->arena, w->notes, w->n_notes, &w->note_room, sizeof(*w->notes));
	w->notes[w->n_notes++] = (struct note){
		.run = *run,
		.key = arena_strn(&c->arena, text, (size_t)(eq - text)),
		.value = eq + 1,
	};
	return 0;
}

/* 0, or the negative errno of reading; *out lives in the arena. */
static int slurp(struct arena *a, const char *path, const char **out)
{
	struct buf b = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC), r = fd < 0 ? -errno : 0;

	while (r == 0 && b.size <= NOTE_MAX) {
		ssize_t n;

		buf_reserve(&b, 65536);
		n = read(fd, b.data + b.size, 65536);
		if (n < 0 && errno != EINTR)
			r = -errno;
		if (n == 0)
			break;
		b.size += n > 0 ? (size_t)n : 0;
	}
	if (r == 0 && b.size > NOTE_MAX)
		r = -EFBIG;
	if (r == 0 && memchr(b.data, 0, b.size))
		r = -EILSEQ;
	if (r == 0)
		*out = arena_strn(a, b.data, b.size);
	if (fd >= 0)
		(void)close(fd);
	buf_release(&b);
	return r;
}

static int note_add_file(struct context *c, struct wish *w, const struct id *run, const char *text)
{
	const char *path = strchr(text, '='), *value = "";
	int r;

	if (note_add(c, w, run, text))
		return EXIT_CANNOT;
	path++;
	r = slurp(&c->arena, path, &value);
	if (r < 0) {
		(void)context_usage(c, "--note-file: %s: %s", path,
				    r == -EILSEQ ? "holds NUL bytes, notes are text"
				    : r == -EFBIG ? "is larger than 16 MiB"
						  : strerror(-r));
		return EXIT_CANNOT;
	}
	w->notes[w->n_notes - 1].value = value;
	return 0;
}

/* " or NAME" for each that was built. */
static const char *engine_names(struct arena *a)
{
	const char *names = "";

	for (size_t i = 0; engine_at(i); i++)
		if (!i || strcmp(engine_at(i)->name, engine_at(i - 1)->name))
			names = arena_printf(a, "%s or %s", names, engine_at(i)->name);
	return names;
}

static int read_options(struct context *c, struct args *a, struct wish *w, const struct id *run)
{
	int o;

	while ((o = args_next(a)) > 0) {
		switch (o) {
		case OPT_NAME:
			w->name = a->value;
			break;
		case OPT_NOTE:
			if (note_add(c, w, run, a->value))
				return EXIT_CANNOT;
			break;
		case OPT_NOTE_FILE:
			if (note_add_file(c, w, run, a->value))
				return EXIT_CANNOT;
			break;
		case OPT_ENGINE:
			w->engine = a->value;
			break;
		case OPT_GRANULARITY:
			w->granularity = a->value;
			break;
		case OPT_QUIET:
			w->quiet = true;
			break;
		default:
			break;
		}
	}
	if (o < 0)
		return a->status == EXIT_USAGE ? EXIT_CANNOT : -1;
	if (!engine_find(w->engine)) {
		(void)context_usage(c, "there is no engine '%s' in this prov; use auto%s",
				    w->engine, engine_names(&c->arena));
		return EXIT_CANNOT;
	}
	if (!granularity_find(w->granularity, &w->level)) {
		(void)context_usage(c,
				    "there is no granularity '%s'; use all, first-last, "
				    "open-close or off",
				    w->granularity);
		return EXIT_CANNOT;
	}
	if (a->n_operands == 0) {
		(void)context_usage(c, "which program? write: prov run -- COMMAND [ARGUMENT...]");
		return EXIT_CANNOT;
	}
	return 0;
}

static const char *user_name(struct arena *a)
{
	const struct passwd *pw = getpwuid(getuid());

	return pw ? arena_str(a, pw->pw_name) : arena_printf(a, "%u", (unsigned)getuid());
}

/* The command line as it may be kept. */
static struct strings pack(struct arena *a, char **argv)
{
	struct buf all = { 0 }, clean = { 0 };
	struct strings s;

	for (; *argv; argv++)
		buf_append(&all, *argv, strlen(*argv) + 1);
	s = (struct strings){ all.data, all.size };
	redact_argv(&s, conf_text("redact"), &clean);
	s = (struct strings){ arena_copy(a, clean.data, clean.size), clean.size };
	buf_release(&all);
	buf_release(&clean);
	return s;
}

static const char *current_folder(struct arena *a)
{
	char *cwd = getcwd(NULL, 0);
	const char *s = arena_str(a, cwd ? cwd : "");

	free(cwd);
	return s;
}

static void say_trouble(const struct context *c, const struct buf *trouble)
{
	const char *line = trouble->data;

	while (line && *line) {
		size_t n = strcspn(line, "\n");

		context_say(c, "%.*s", (int)n, line);
		line += n + (line[n] != 0);
	}
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static void say_summary(const struct id *run, const struct recorder_result *r)
{
	char id[ID_TEXT_SIZE];

	id_short(ID_RUN, run, id);
	fprintf(stderr,
		"prov: run %s: %zu process%s, %zu file%s read, %zu written, %" PRIu64
		" lost, %zu blind spot%s\n",
		id, r->counts.processes, r->counts.processes == 1 ? "" : "es", r->counts.files_read,
		plural(r->counts.files_read), r->counts.files_written, r->lost, r->counts.blind,
		plural(r->counts.blind));
}

static int run_unrecorded(const struct context *c, char **argv)
{
	struct child child;
	struct buf none = { 0 };
	int r, status;

	context_say(c, "%s", fail_text());
	context_say(c, "%s runs without being recorded", argv[0]);
	r = child_start(&child, argv, &none);
	if (r)
		return r;
	status = child_wait(&child);
	return child_leave_as(&child, status);
}

/* A 32-bit program's loader would complain of our library on standard error. */
static bool can_be_entered(struct arena *a, const char *name)
{
	const char *path = path_program(a, name);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	unsigned char ident[EI_NIDENT] = { 0 };

	if (fd < 0)
		return true;
	(void)!read(fd, ident, sizeof(ident));
	(void)close(fd);
	return memcmp(ident, ELFMAG, SELFMAG) != 0 || ident[EI_CLASS] != ELFCLASS32;
}

/* Of runs whose prov was killed; one that still runs is left to commands that
 * want to know. */
static void take_in_what_waits(const struct context *c, const struct recorder_place *place)
{
	struct buf messages = { 0 };

	(void)spool_recover(place->spool, place->store, true, &messages);
	say_trouble(c, &messages);
	buf_release(&messages);
}

static int run_recorded(struct context *c, struct recorder *rec, const struct recorder_setup *setup,
			char **argv, bool quiet)
{
	struct recorder_result result;
	struct child child;
	struct buf env = { 0 };
	int r, status;

	if (can_be_entered(&c->arena, argv[0]))
		recorder_environment(rec, &env);
	r = child_start(&child, argv, &env);
	buf_release(&env);
	if (r) {
		recorder_cancel(rec);
		recorder_close(rec);
		return r;
	}
	(void)recorder_begin(rec, (uint32_t)child.pid);
	status = child_wait(&child);
	recorder_end(rec, (uint32_t)child.pid, status, &result);
	say_trouble(c, &result.trouble);
	if (!quiet || result.lost || result.trouble.size)
		say_summary(&setup->run.id, &result);
	if (!result.trouble.size)
		take_in_what_waits(c, &setup->place);
	buf_release(&result.trouble);
	recorder_close(rec);
	return child_leave_as(&child, status);
}

/* A limit on file sizes (ulimit -f) must come back as an error to be told, not
 * as a signal to die of. */
static struct recorder *open_recorder(struct context *c, struct recorder_setup *setup)
{
	const struct timespec now = { 0 };
	struct recorder *rec;
	sigset_t big, before;

	if (recorder_place_own(&c->arena, &setup->place) < 0)
		return NULL;
	sigemptyset(&big);
	sigaddset(&big, SIGXFSZ);
	(void)sigprocmask(SIG_BLOCK, &big, &before);
	rec = recorder_open(setup);
	(void)sigtimedwait(&big, NULL, &now);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return rec;
}

static int run_main(struct context *c, int argc, char **argv)
{
	struct recorder_setup setup = { .run = { .id = run_id_new() } };
	struct args a = args_begin(c, argc, argv);
	struct wish w = { .name = "", .engine = conf_text("engine"),
			  .granularity = conf_text("granularity") };
	struct recorder *rec;
	int r = read_options(c, &a, &w, &setup.run.id);

	if (r)
		return r < 0 ? EXIT_YES : r;
	if (c->conf_error)
		context_say(c, "%s", c->conf_error);
	setup.run.name = w.name;
	setup.run.host = key_host();
	setup.run.boot = key_clock();
	setup.run.user = user_name(&c->arena);
	setup.run.uid = (uint32_t)getuid();
	setup.run.cwd = current_folder(&c->arena);
	setup.run.argv = pack(&c->arena, a.operands);
	setup.notes = w.notes;
	setup.n_notes = w.n_notes;
	setup.engine = engine_find(w.engine);
	setup.granularity = w.level;
	setup.budget = strtod(conf_text("overhead.max"), NULL) / 100;
	setup.launcher = (uint32_t)getpid();
	rec = open_recorder(c, &setup);
	/* what works in general may not for this one */
	if (!rec && !strcmp(w.engine, "auto") && setup.engine != &engine_preload) {
		context_say(c, "%s", fail_text());
		setup.engine = &engine_preload;
		rec = open_recorder(c, &setup);
	}
	if (!rec)
		return run_unrecorded(c, a.operands);
	return run_recorded(c, rec, &setup, a.operands, w.quiet);
}

const struct command cmd_run = {
	.name = "run",
	.usage = "[--name NAME] [--note KEY=VALUE]... [--note-file KEY=FILE]... "
		 "[--engine auto|preload|ebpf] [--granularity " GRANULARITY_WORDS "] [--quiet] -- "
		 "COMMAND [ARGUMENT...]",
	.summary = "run a program and record what it and all it starts read, write and rename",
	.options = options,
	.flags = COMMAND_STOPS | COMMAND_ANY_CONF,
	.main = run_main,
};
