/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* key.c - the canonical keys that ids are made of */
#include "model/key.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/map.h"

/* Types whose source names the same files on every node that mounts it. */
static const char *const shared_types[] = {
	"nfs",  "nfs4", "lustre", "gpfs", "beegfs",   "ceph",
	"cifs", "smb3", "9p",     "afs",  "orangefs", "fuse.",
};

/* Types whose files do not outlive the boot. */
static const char *const volatile_types[] = {
	"tmpfs", "ramfs", "devtmpfs", "proc", "sysfs", "cgroup", "cgroup2", "mqueue", "hugetlbfs",
};

static char *first_line(const char *path, char *out, size_t size)
{
	FILE *f = fopen(path, "re");

	out[0] = 0;
	if (f) {
		if (!fgets(out, (int)size, f))
			out[0] = 0;
		(void)fclose(f);
		out[strcspn(out, "\n")] = 0;
	}
	return out;
}

const char *key_boot(void)
{
	static char boot[64];

	return boot[0] ? boot : first_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
}

const char *key_clock(void)
{
	static char clock[128];
	char line[64] = "", *nanoseconds;
	long long seconds;

	if (clock[0])
		return clock;
	snprintf(clock, sizeof(clock), "%s", key_boot());
	/* "monotonic SECONDS NANOSECONDS", 0 and 0 outside of time namespaces */
	(void)first_line("/proc/self/timens_offsets", line, sizeof(line));
	if (strncmp(line, "monotonic", 9) || !strpbrk(line, "123456789"))
		return clock;
	seconds = strtoll(line + 9, &nanoseconds, 10);
	snprintf(clock, sizeof(clock), "%s+%lld.%09lld", key_boot(), seconds,
		 strtoll(nanoseconds, NULL, 10));
	return clock;
}

const char *key_host(void)
{
	static char host[256];

	if (!host[0] && gethostname(host, sizeof(host) - 1) < 0)
		host[0] = 0;
	return host;
}

const char *key_machine(void)
{
	static char machine[64];

	if (!machine[0])
		first_line("/etc/machine-id", machine, sizeof(machine));
	return machine[0] ? machine : key_host();
}

struct id execution_id_of(const char *boot, uint32_t pid, int64_t start)
{
	char key[160];
	int n = snprintf(key, sizeof(key), "x|%s|%" PRIu32 "|%" PRId64, boot, pid, start);

	return id_of(key, (size_t)n);
}

/* Decimal digits, written from the end backwards: this is done for every open
 * of every program, and printf would take most of the time. */
static char *digits_before(char *end, uint64_t v)
{
	do
		*--end = (char)('0' + v % 10);
	while (v /= 10);
	return end;
}

static char letter_of(enum object_kind kind)
{
	return kind == OBJECT_DIRECTORY ? 'd' : kind == OBJECT_SYMLINK ? 'l' : 'o';
}

static struct id object_id_at_length(const char *fs, char letter, uint64_t ino, int64_t btime)
{
	struct buf b = { 0 };
	struct id id;

	buf_printf(&b, "%c|%s|%" PRIu64 "|%" PRId64, letter, fs, ino, btime);
	id = id_of(b.data, b.size);
	buf_release(&b);
	return id;
}

struct id object_id_of(const char *fs, enum object_kind kind, uint64_t ino, int64_t btime)
{
	char key[384], *end = key + sizeof(key), *at;
	size_t n = strlen(fs);

	/* two numbers, a sign, and what stands between them */
	if (n > sizeof(key) - 48)
		return object_id_at_length(fs, letter_of(kind), ino, btime);
	at = digits_before(end, btime < 0 ? -(uint64_t)btime : (uint64_t)btime);
	if (btime < 0)
		*--at = '-';
	*--at = '|';
	at = digits_before(at, ino);
	*--at = '|';
	at -= n;
	memcpy(at, fs, n);
	*--at = '|';
	*--at = letter_of(kind);
	return id_of(at, (size_t)(end - at));
}

struct id user_id_of(const char *user, const char *host)
{
	struct buf b = { 0 };
	struct id id;

	buf_printf(&b, "u|%s|%s", user, host);
	id = id_of(b.data, b.size);
	buf_release(&b);
	return id;
}

struct id run_id_new(void)
{
	struct {
		uint8_t random[16];
		int64_t now;
		int64_t pid;
	} seed = { .now = clock_real(), .pid = getpid() };

	/* without randomness, time and pid still tell runs of one host apart */
	if (getrandom(seed.random, sizeof(seed.random), GRND_NONBLOCK) < 0)
		seed.now ^= clock_mono() << 20;
	return id_of(&seed, sizeof(seed));
}

static int listed(const char *type, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(list[i]);

		if (list[i][len - 1] == '.' ? !strncmp(type, list[i], len) : !strcmp(type, list[i]))
			return 1;
	}
	return 0;
}

/* mountinfo writes blank, tab, newline and backslash as \ooo. */
static void unescape(char *s)
{
	char *out = s;

	for (; *s; s++) {
		unsigned v;

		if (s[0] == '\\' && sscanf(s + 1, "%3o", &v) == 1) {
			*out++ = (char)v;
			s += 3;
		} else {
			*out++ = *s;
		}
	}
	*out = 0;
}

static char *describe_mount(struct arena *a, const char *type, const char *source, char *point)
{
	struct statfs fs;
	uint64_t fsid = 0;

	if (listed(type, shared_types, sizeof(shared_types) / sizeof(shared_types[0])))
		return arena_printf(a, "%s:%s", type, source);
	unescape(point);
	if (statfs(point, &fs) == 0)
		memcpy(&fsid, &fs.f_fsid, sizeof(fsid));
	if (listed(type, volatile_types, sizeof(volatile_types) / sizeof(volatile_types[0])))
		return arena_printf(a, "%s|%s|%s|%" PRIx64, key_machine(), key_boot(), type, fsid);
	return arena_printf(a, "%s|%s|%" PRIx64, key_machine(), type, fsid);
}

/* One line: "36 35 98:0 /root /point options [tags] - type source options". */
static void read_mount(struct arena *a, struct map *m, char *line)
{
	char *field[10] = { 0 };
	unsigned major_nr, minor_nr;
	uint64_t dev;
	void **slot;
	char *dash = strstr(line, " - ");

	if (!dash)
		return;
	*dash = 0;
	for (size_t i = 0; i < 5; i++)
		field[i] = strsep(&line, " ");
	dash += 3;
	for (size_t i = 5; i < 7; i++)
		field[i] = strsep(&dash, " ");
	if (!field[4] || !field[6] || sscanf(field[2], "%u:%u", &major_nr, &minor_nr) != 2)
		return;
	dev = makedev(major_nr, minor_nr);
	slot = map_at(m, &dev, sizeof(dev));
	if (!*slot)
		*slot = describe_mount(a, field[5], field[6], field[4]);
}

/* Names of file systems by device number. A number may come to mean another file system
 * in a process that runs for months; what was handed out stays. */
static struct {
	pthread_mutex_t lock;
	struct map known;	/* device -> text */
	struct map texts;	/* each text once, so that changes do not add up */
	struct arena memory;	/* of the texts */
	int mounts;		/* /proc/self/mountinfo, for the kernel to tell of changes */
	int64_t looked;
} devices = { .lock = PTHREAD_MUTEX_INITIALIZER, .mounts = -1 };

#define LOOK_EVERY INT64_C(1000000000)

static const char *text_once(const char *text)
{
	void **slot = map_at(&devices.texts, text, strlen(text));

	if (!*slot)
		*slot = arena_str(&devices.memory, text);
	return *slot;
}

static const char *learn_device(uint64_t dev)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	struct arena a = { 0 };
	struct map found = { 0 };
	char *line = NULL;
	size_t room = 0, size;
	const void *key;
	void *text, **slot;

	while (f && getline(&line, &room, f) > 0)
		read_mount(&a, &found, line);
	if (f)
		(void)fclose(f);
	free(line);
	for (size_t i = 0; map_next(&found, &i, &key, &size, &text);)
		*map_at(&devices.known, key, size) = (void *)(uintptr_t)text_once(text);
	slot = map_at(&devices.known, &dev, sizeof(dev));
	/* not mounted here: pipefs, sockfs, memfd, another mount namespace */
	if (!*slot)
		*slot = (void *)(uintptr_t)text_once(
			arena_printf(&a, "%s|%s|dev|%" PRIx64, key_machine(), key_boot(), dev));
	map_release(&found);
	arena_release(&a);
	return *slot;
}

/* Something was mounted or unmounted. Asked once a second at most. */
static bool mounts_changed(void)
{
	struct pollfd p = { .events = POLLPRI };
	int64_t now = clock_mono();

	if (now - devices.looked < LOOK_EVERY)
		return false;
	devices.looked = now;
	if (devices.mounts < 0)
		devices.mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	p.fd = devices.mounts;
	return poll(&p, 1, 0) > 0;
}

const char *fs_of_device(uint64_t dev)
{
	const char *text;

	(void)pthread_mutex_lock(&devices.lock);
	if (mounts_changed())
		map_release(&devices.known);
	text = map_get(&devices.known, &dev, sizeof(dev));
	if (!text)
		text = learn_device(dev);
	(void)pthread_mutex_unlock(&devices.lock);
	return text;
}

enum object_kind object_kind_of_mode(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return OBJECT_FILE;
	case S_IFDIR:
		return OBJECT_DIRECTORY;
	case S_IFIFO:
		return OBJECT_PIPE;
	case S_IFSOCK:
		return OBJECT_SOCKET;
	case S_IFCHR:
	case S_IFBLK:
		return OBJECT_DEVICE;
	case S_IFLNK:
		return OBJECT_SYMLINK;
	default:
		return OBJECT_OTHER;
	}
}

static int statx_object(int dir, const char *path, int flags, struct object *out)
{
	struct statx st;

	if (statx(dir, path, flags, STATX_BASIC_STATS | STATX_BTIME, &st) < 0)
		return -errno;
	*out = (struct object){
		.kind = object_kind_of_mode(st.stx_mode),
		.dev = makedev(st.stx_dev_major, st.stx_dev_minor),
		.ino = st.stx_ino,
		.size = (int64_t)st.stx_size,
		.mtime = st.stx_mtime.tv_sec * INT64_C(1000000000) + st.stx_mtime.tv_nsec,
		.seen = clock_mono(),
	};
	if (st.stx_mask & STATX_BTIME)
		out->btime = st.stx_btime.tv_sec * INT64_C(1000000000) + st.stx_btime.tv_nsec;
	return 0;
}

static int named_object(const char *path, int flags, struct object *out)
{
	int r = statx_object(AT_FDCWD, path, flags, out);

	if (r == 0)
		out->id = object_id_of(fs_of_device(out->dev), out->kind, out->ino, out->btime);
	return r;
}

int object_of_path(const char *path, struct object *out)
{
	return named_object(path, 0, out);
}

int object_of_name(const char *path, struct object *out)
{
	return named_object(path, AT_SYMLINK_NOFOLLOW, out);
}

int object_stat(const char *path, struct object *out)
{
	return statx_object(AT_FDCWD, path, 0, out);
}

bool object_is_still(int fd, const struct object *o)
{
	struct object now;

	return statx_object(fd, "", AT_EMPTY_PATH, &now) == 0 && now.dev == o->dev &&
	       now.ino == o->ino && now.btime == o->btime && now.size == o->size &&
	       now.mtime == o->mtime;
}
