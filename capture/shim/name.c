/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* name.c - what objects are called and what they are */
#include "name.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "image.h"
#include "sys.h"
#include "text.h"

int object_by_stat(int dirfd, const char *path, int at_flags, struct prov_object *o)
{
	struct stat st;
	long r = sys4(SYS_newfstatat, dirfd, path, &st, at_flags);

	if (r < 0)
		return (int)r;
	*o = (struct prov_object){
		.dev_major = (uint32_t)((st.st_dev >> 8 & 0xfff) | (st.st_dev >> 32 & ~0xfffu)),
		.dev_minor = (uint32_t)((st.st_dev & 0xff) | (st.st_dev >> 12 & ~0xffu)),
		.ino = st.st_ino,
		.mtime = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec,
		.size = (uint64_t)st.st_size,
		.mode = st.st_mode,
		.nlink = (uint32_t)st.st_nlink,
	};
	return 0;
}

size_t name_of_fd(int fd, char out[NAME_ROOM], uint16_t *flags)
{
	static const char all[] = "/proc/self/fd/", own[] = "/proc/thread-self/fd/";
	char link[sizeof(own) + 20];
	size_t n = image.split ? sizeof(own) : sizeof(all);
	long r;

	memcpy(link, image.split ? own : all, n--);
	n += text_number(link + n, (uint64_t)fd);
	link[n] = 0;
	r = sys3(SYS_readlink, link, out, NAME_ROOM - 1);
	if (r == -ENAMETOOLONG)
		*flags |= PROV_PATH_LONG;
	if (r <= 0)
		return 0;
	out[r] = 0;
	return (size_t)r + 1;
}

/* Joins as text what could not be resolved. */
static size_t name_raw(int dirfd, const char *path, char out[NAME_ROOM], uint16_t *flags)
{
	size_t n = text_size(path);
	long cwd = 0;

	*flags |= PROV_PATH_RAW;
	/* relative to a descriptor it stays relative */
	if (path[0] != '/' && dirfd == AT_FDCWD) {
		cwd = sys2(SYS_getcwd, out, NAME_ROOM / 2);
		if (cwd == 2)
			cwd = 1;
		else if (cwd > 0)
			out[cwd - 1] = '/';
		else
			cwd = 0;
	}
	if (n > NAME_ROOM - (size_t)cwd) {
		*flags |= PROV_PATH_LONG;
		n = NAME_ROOM - (size_t)cwd;
	}
	memcpy(out + cwd, path, n);
	out[(size_t)cwd + n - 1] = 0;
	return (size_t)cwd + n;
}

size_t name_of_entry(int dirfd, const char *path, char out[NAME_ROOM], uint16_t *flags)
{
	size_t end = text_size(path) - 1, base, n, parent;
	long fd;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (base = end; base > 0 && path[base - 1] != '/';)
		base--;
	n = end - base;
	parent = base;
	if (parent >= NAME_ROOM - 1 || n == 0)
		return name_raw(dirfd, path, out, flags);
	memcpy(out, path, parent);
	if (parent == 0)
		out[parent++] = '.';
	out[parent] = 0;
	fd = sys4(SYS_openat, dirfd, out, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd < 0)
		return name_raw(dirfd, path, out, flags);
	parent = name_of_fd((int)fd, out, flags);
	(void)sys1(SYS_close, fd);
	if (parent == 0 || parent + n + 1 > NAME_ROOM)
		return name_raw(dirfd, path, out, flags);
	/* parent counts its NUL, which becomes the slash; "/" already ends in one */
	if (parent == 2)
		parent = 1;
	out[parent - 1] = '/';
	memcpy(out + parent, path + base, n);
	out[parent + n] = 0;
	return parent + n + 1;
}
