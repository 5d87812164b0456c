/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* doctor.c - what recording needs, looked at one by one */
#include "prov/doctor.h"

#include <dirent.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/conf.h"
#include "base/err.h"
#include "base/path.h"
#include "base/service.h"
#include "config.h"
#include "engine/engine.h"
#include "engine/kernel_look.h"
#include "prov/table.h"

static struct finding ok(const char *what)
{
	return (struct finding){ VERDICT_OK, what, NULL };
}

static struct finding warn(const char *what, const char *advice)
{
	return (struct finding){ VERDICT_WARN, what, advice };
}

static struct finding no(const char *what, const char *advice)
{
	return (struct finding){ VERDICT_NO, what, advice };
}

static struct finding look_at_settings(struct context *c)
{
	if (c->conf_error)
		return no(c->conf_error, "correct this line; 'man prov.conf' lists the settings");
	return ok("settings are readable; 'prov config' lists them");
}

static struct finding look_at_system(struct context *c)
{
	struct utsname u;

	if (uname(&u) < 0)
		return warn("the kernel does not say what it is", NULL);
	return ok(arena_printf(&c->arena, "%s %s on %s, glibc %s", u.sysname, u.release, u.machine,
			       gnu_get_libc_version()));
}

static struct finding look_at_library(struct context *c)
{
	static const char *const folders[] = { PROV_SHIM_DIR, PROV_BUILD_SHIM_DIR };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		const char *path = arena_printf(&c->arena, "%s/libprov-preload.so", folders[i]);

		if (access(path, R_OK) == 0)
			return ok(path);
	}
	/* an installation that was moved keeps it elsewhere: the trial run decides */
	return warn(arena_printf(&c->arena, "the library that programs load is not in %s",
				 PROV_SHIM_DIR),
		    "if the trial run below fails, install prov again: 'make install'");
}

/* One that works is enough; what each says is told. */
static struct finding look_at_engines(struct context *c)
{
	const struct engine_ops *e;
	struct buf said = { 0 };
	const char *text;
	bool able = false;

	for (size_t i = 0; (e = engine_at(i)); i++) {
		struct buf why = { 0 };

		able |= e->probe(&why) == 0;
		buf_printf(&said, "%s%s: %s", i ? "; " : "", e->name, why.size ? why.data : "");
		buf_release(&why);
	}
	text = arena_str(&c->arena, said.size ? said.data : "no engine is built in");
	buf_release(&said);
	return able ? ok(text) : no(text, "nothing can be recorded on this machine");
}

/* Most users may not load programs, and record without, or ask the node service: that
 * is no trouble. */
static struct finding look_at_kernel(struct context *c)
{
#ifdef PROV_EBPF
	struct buf said = { 0 };
	int r = kernel_look(&said);
	const char *text = arena_str(&c->arena, said.data);

	buf_release(&said);
	if (r == 0)
		return ok(arena_printf(&c->arena, "takes the programs of ebpf: %s", text));
	return ok(arena_printf(&c->arena, "does not take the programs of ebpf from %s: %s",
			       geteuid() ? "you" : "here", text));
#else
	return ok("the engine ebpf is not part of this prov: when it was built, " PROV_EBPF_LACKS);
#endif
}

static struct finding look_at_recording(struct context *c)
{
	return doctor_self_test(c);
}

/* The folder that "prov run" takes for its session files, NULL none. */
static const char *session_folder(void)
{
	const char *const places[] = { conf_text("session.dir"), getenv("XDG_RUNTIME_DIR"),
				       "/dev/shm", getenv("TMPDIR"), "/tmp" };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (places[i] && places[i][0] == '/' && access(places[i], W_OK | X_OK) == 0)
			return places[i];
	return NULL;
}

static struct finding look_at_memory(struct context *c)
{
	const char *wish = conf_text("session.dir"), *dir = session_folder();
	char free_text[SIZE_TEXT_SIZE], need_text[SIZE_TEXT_SIZE];
	uint64_t free_bytes, need = (uint64_t)conf_size("arena.max");
	struct statvfs fs;

	if (!dir || statvfs(dir, &fs) < 0)
		return no("there is no folder for session files",
			  "set session.dir to a tmpfs folder you can write to");
	if (wish[0] && strcmp(wish, dir))
		return warn(arena_printf(&c->arena, "%s cannot be written, %s is used", wish, dir),
			    "set session.dir to a tmpfs folder you can write to");
	if (!path_on_memory(dir))
		return warn(
			arena_printf(&c->arena, "%s is not in memory: recording is slower", dir),
			"set session.dir to a tmpfs folder");
	free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	size_text(free_bytes, free_text);
	size_text(need, need_text);
	if (free_bytes < need)
		return warn(arena_printf(&c->arena, "%s has %s free, one run may take %s", dir,
					 free_text, need_text),
			    "free some of it, or lower the setting arena.max");
	return ok(arena_printf(&c->arena, "%s is in memory, %s free", dir, free_text));
}

static struct finding look_at_store_folder(struct context *c, const char *where)
{
	char *dir = arena_str(&c->arena, where);
	struct stat st;
	char *slash;

	if (!strncmp(dir, "sqlite:", 7))
		dir += 7;
	while ((slash = strrchr(dir, '/')) && slash > dir) {
		*slash = 0;
		if (access(dir, F_OK) == 0)
			break;
	}
	if (stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
		errno = ENOTDIR;
	else if (access(dir, W_OK | X_OK) == 0)
		return ok(
			arena_printf(&c->arena, "%s: not made yet, the first run makes it", where));
	return no(arena_printf(&c->arena, "%s: no store can be made below %s: %s", where, dir,
			       strerror(errno)),
		  "set PROV_STORE to a file in a folder you can write to");
}

static struct finding look_at_store(struct context *c)
{
	const char *where = path_store(&c->arena);
	struct store_info info;
	char size[SIZE_TEXT_SIZE];
	int r;

	if (!where)
		return no(arena_str(&c->arena, fail_text()), "set PROV_STORE to a file");
	r = store_open(where, STORE_READ, &c->store);
	if (r == -ENOENT || r == -ENOTDIR)
		return look_at_store_folder(c, where);
	if (r == 0)
		r = store_info(c->store, &c->arena, &info);
	if (r < 0)
		return no(arena_str(&c->arena, fail_text()),
			  "nothing can be asked or kept until this is solved");
	if (access(where, F_OK) == 0 && access(where, W_OK) < 0)
		return warn(arena_printf(&c->arena, "%s can be read but not written", where),
			    "new runs wait beside it; set PROV_STORE to keep them elsewhere");
	return ok(arena_printf(&c->arena, "%s: %" PRIu64 " runs, %" PRIu64 " programs, %s", where,
			       info.runs, info.executions, size_text((uint64_t)info.bytes, size)));
}

/* Who is asked besides the own store. */
static struct finding look_at_node(struct context *c)
{
	const char *path = service_path();
	bool wished = strcmp(conf_text("node"), "auto") != 0;
	struct store_info info;
	struct store *s = NULL;
	struct finding f;
	int r;

	if (!path)
		return ok("the node service is not asked: the setting node is off");
	r = store_open(arena_printf(&c->arena, "node:%s", path), STORE_READ, &s);
	if (r == -ENOENT && !wished)
		return ok(arena_printf(
			&c->arena, "%s: no node service here; only the store is asked", path));
	if (r == 0)
		r = store_info(s, &c->arena, &info);
	if (r == 0)
		f = ok(arena_printf(&c->arena,
				    "%s: asked besides the store; you may see %" PRIu64
				    " runs, %" PRIu64 " programs",
				    path, info.runs, info.executions));
	else
		f = warn(arena_str(&c->arena, fail_text()),
			 "answers come from your store only; 'node = off' asks no node service");
	store_close(s);
	return f;
}

static struct finding look_at_spool(struct context *c)
{
	const char *dir = path_spool(&c->arena);
	struct dirent *e;
	size_t n = 0;
	DIR *d = dir ? opendir(dir) : NULL;

	if (!d)
		return ok("no journals wait to be taken in");
	while ((e = readdir(d)))
		n += e->d_name[0] != '.';
	closedir(d);
	if (!n)
		return ok("no journals wait to be taken in");
	return warn(arena_printf(&c->arena, "%s: %zu journals wait, or belong to runs going on",
				 dir, n),
		    "'prov log' takes in those of runs that are over");
}

static struct finding look_at_environment(struct context *c)
{
	const char *preload = getenv("LD_PRELOAD");

	if (getenv("LD_AUDIT"))
		return warn("LD_AUDIT is set: other libraries may stand before ours",
			    "unset it if records have gaps");
	if (preload && preload[0])
		return warn(arena_printf(&c->arena, "LD_PRELOAD is set: %s", preload),
			    "prov keeps it and loads beside it; unset it if records have gaps");
	return ok("nothing in the environment is in the way");
}

static struct finding look_at_privileges(struct context *c)
{
	(void)c;
	return ok("ptrace, Yama and root are not needed");
}

static struct finding look_at_graphviz(struct context *c)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		size_t n = strcspn(path, ":");
		const char *dot = arena_printf(&c->arena, "%.*s/dot", (int)n, path);

		if (n && access(dot, X_OK) == 0)
			return ok(arena_printf(&c->arena, "%s draws SVG", dot));
		path += n + (path[n] == ':');
	}
	return warn("Graphviz is not installed: 'prov graph' can write .dot but not .svg",
		    "install it: apt install graphviz, or dnf install graphviz");
}

const struct check doctor_checks[] = {
	{ "settings", look_at_settings },
	{ "system", look_at_system },
	{ "library", look_at_library },
	{ "engines", look_at_engines },
	{ "kernel", look_at_kernel },
	{ "memory", look_at_memory },
	{ "recording", look_at_recording },
	{ "store", look_at_store },
	{ "node", look_at_node },
	{ "journals", look_at_spool },
	{ "environment", look_at_environment },
	{ "privileges", look_at_privileges },
	{ "pictures", look_at_graphviz },
	{ NULL, NULL },
};
