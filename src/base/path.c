/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* path.c - where things lie, and paths as text */
#include "base/path.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/conf.h"
#include "base/err.h"

static const char *home_dir(void)
{
	const char *home = getenv("HOME");
	const struct passwd *pw;

	if (home && home[0] == '/')
		return home;
	pw = getpwuid(getuid());
	return pw && pw->pw_dir && pw->pw_dir[0] == '/' ? pw->pw_dir : NULL;
}

const char *path_store(struct arena *a)
{
	const char *store = conf_text("store");
	const char *state = getenv("XDG_STATE_HOME");
	const char *home;

	if (store[0])
		return store[0] == '/' || strchr(store, ':') ? arena_str(a, store)
							     : path_real(a, store);
	if (state && state[0] == '/')
		return arena_printf(a, "%s/prov/prov.db", state);
	home = home_dir();
	if (!home) {
		(void)fail(ENOENT, "there is no home folder to keep the store in: "
				   "set PROV_STORE to a file");
		return NULL;
	}
	return arena_printf(a, "%s/.local/state/prov/prov.db", home);
}

/* A folder beside the store. */
static const char *beside_store(struct arena *a, const char *name)
{
	const char *store = path_store(a);
	const char *slash;

	if (!store)
		return NULL;
	if (!strncmp(store, "sqlite:", 7))
		store += 7;
	slash = strrchr(store, '/');
	if (!slash)
		return name;
	return arena_printf(a, "%.*s/%s", (int)(slash - store), store, name);
}

const char *path_spool(struct arena *a)
{
	return beside_store(a, "spool");
}

const char *path_traces(struct arena *a)
{
	return beside_store(a, "traces");
}

int path_make(const char *dir)
{
	struct buf b = { 0 };
	int ret = 0;

	buf_str(&b, dir);
	for (char *p = b.data + 1; ret == 0; p++) {
		if (*p != '/' && *p)
			continue;
		char c = *p;

		*p = 0;
		if (mkdir(b.data, 0700) < 0 && errno != EEXIST)
			ret = fail(errno, "%s: cannot make this folder: %s",
				   b.data, strerror(errno));
		*p = c;
		if (!c)
			break;
	}
	buf_release(&b);
	return ret;
}

/* "/a/./b//../c" to "/a/c", in place. */
static void collapse(char *path)
{
	char *out = path;

	for (char *in = path; *in;) {
		size_t n;

		while (*in == '/')
			in++;
		n = strcspn(in, "/");
		if (n == 0)
			break;
		if (n == 2 && in[0] == '.' && in[1] == '.') {
			while (out > path && *--out != '/')
				;
		} else if (!(n == 1 && in[0] == '.')) {
			*out++ = '/';
			memmove(out, in, n);
			out += n;
		}
		in += n;
	}
	if (out == path)
		*out++ = '/';
	*out = 0;
}

const char *path_real(struct arena *a, const char *path)
{
	char *full, *real, *cut;

	real = realpath(path, NULL);
	if (real) {
		full = arena_str(a, real);
		free(real);
		return full;
	}
	if (path[0] == '/') {
		full = arena_str(a, path);
	} else {
		char *cwd = getcwd(NULL, 0);

		full = arena_printf(a, "%s/%s", cwd ? cwd : "", path);
		free(cwd);
	}
	collapse(full);
	/* resolve the longest part that exists, keep the rest as text */
	for (cut = strrchr(full, '/'); cut && cut > full;) {
		*cut = 0;
		real = realpath(full, NULL);
		*cut = '/';
		if (real) {
			const char *joined = arena_printf(a, "%s%s", real[1] ? real : "", cut);

			free(real);
			return joined;
		}
		do
			cut--;
		while (cut > full && *cut != '/');
	}
	return full;
}

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

const char *path_program(struct arena *a, const char *name)
{
	const char *dirs = getenv("PATH");

	if (strchr(name, '/'))
		return is_program(name) ? path_real(a, name) : NULL;
	/* what execvp(3) takes when there is no PATH */
	if (!dirs)
		dirs = "/bin:/usr/bin";
	for (;;) {
		size_t n = strcspn(dirs, ":");
		const char *path = n ? arena_printf(a, "%.*s/%s", (int)n, dirs, name) : name;

		if (is_program(path))
			return path_real(a, path);
		if (!dirs[n])
			return NULL;
		dirs += n + 1;
	}
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

bool path_on_memory(const char *dir)
{
	struct statfs fs;

	if (statfs(dir, &fs) < 0)
		return false;
	return fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC;
}
