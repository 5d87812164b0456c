/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* program.c - the name of the file that this process runs */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>

#include "image.h"
#include "sys.h"
#include "text.h"

#define NAME_MOST 512u	/* longer ones are left to the kernel */
#define LINKS_MOST 4
#define ARGS_PUSHED 10	/* by interpreters of interpreters, at most */

static const char *given IN_DATA;
static char *const *given_argv IN_DATA;

void program_given(const char *name, char *const *argv)
{
	given = name;
	given_argv = argv;
}

/* The interpreter of a script runs instead of the file that exec was given,
 * and whatever the kernel lets run like that gets that name as an argument. */
static int may_be_interpreted(void)
{
	for (int i = 1; i < ARGS_PUSHED && given_argv[i - 1] && given_argv[i]; i++)
		if (text_equal(given_argv[i], given))
			return 1;
	return 0;
}

/* Absolute, and no component is empty, "." or "..". */
static int is_plain(const char *path)
{
	if (*path != '/')
		return 0;
	while (*path) {
		const char *name = ++path;

		while (*path && *path != '/')
			path++;
		if (path == name || (name[0] == '.' && (path == name + 1 ||
							(name[1] == '.' && path == name + 2))))
			return 0;
	}
	return 1;
}

/* From the working folder if it is relative; 0 when that is too long. */
static int make_absolute(const char *path, char out[NAME_MOST])
{
	size_t at = 0, n;

	while (path[0] == '.' && path[1] == '/')
		path += 2;
	if (path[0] != '/') {
		long r = sys2(SYS_getcwd, out, NAME_MOST);

		if (r <= 0)
			return 0;
		at = (size_t)r;	/* with the NUL, where the slash comes */
		if (at == 2)
			at = 1;
		out[at - 1] = '/';
	}
	n = text_size(path);
	if (at + n > NAME_MOST)
		return 0;
	memcpy(out + at, path, n);
	return is_plain(out);
}

/* Puts what the link said in place of the component from..to, or of all up to
 * there if that is absolute. */
static int name_splice(char name[NAME_MOST], size_t from, size_t to, const char *said, size_t n)
{
	size_t at = said[0] == '/' ? 0 : from, rest = text_size(name + to);

	if (at + n + rest > NAME_MOST)
		return 0;
	text_move(name + at + n, name + to, rest);
	memcpy(name + at, said, n);
	return is_plain(name);
}

/* One component after another, as the kernel does. */
static int name_follow(char name[NAME_MOST])
{
	char said[NAME_MOST / 2];
	int links = 0;

	for (size_t from = 1, to; name[from - 1]; from = to + 1) {
		char end;
		long n;

		for (to = from; name[to] && name[to] != '/'; to++)
			;
		end = name[to];
		name[to] = 0;
		n = sys3(SYS_readlink, name, said, sizeof(said));
		name[to] = end;
		if (n == -EINVAL)	/* no link */
			continue;
		if (n <= 0 || (size_t)n == sizeof(said) || ++links > LINKS_MOST ||
		    !name_splice(name, from, to, said, (size_t)n))
			return 0;
		to = said[0] == '/' ? 0 : from - 1;
	}
	return 1;
}

static int is_ours(const char *name)
{
	struct statx st;

	return sys5(SYS_statx, AT_FDCWD, name, AT_SYMLINK_NOFOLLOW, STATX_INO, &st) == 0 &&
	       st.stx_ino == session.program_ino &&
	       ((uint64_t)st.stx_dev_major << 32 | st.stx_dev_minor) == session.program_dev;
}

size_t program_name(char out[PROGRAM_ROOM])
{
	char name[NAME_MOST];
	size_t n;
	long r;

	/* a forked child runs what its parent does */
	if (session.exe[0]) {
		n = text_size(session.exe);
		memcpy(out, session.exe, n);
		return n;
	}
	if (session.program_ino && given && !may_be_interpreted() && make_absolute(given, name) &&
	    name_follow(name) && is_ours(name)) {
		n = text_size(name);
		memcpy(out, name, n);
	} else {
		r = sys3(SYS_readlink, "/proc/self/exe", out, PROGRAM_ROOM - 1);
		n = r > 0 ? (size_t)r + 1 : 1;
		out[n - 1] = 0;
	}
	if (n <= sizeof(session.exe))
		memcpy(session.exe, out, n);
	return n;
}
