/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* real.c - what each hook calls in the end */
#include "real.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>

#include "detour.h"
#include "shim/elf.h"
#include "shim/sys.h"
#include "shim/text.h"

void *real_outer[FN_COUNT] IN_DATA;
void *real_inner[FN_DETOURED] IN_DATA;
uint32_t real_detoured IN_DATA;
static const char not_known = 0;
const char *real_alone = &not_known;
uint32_t real_own IN_DATA;

/* Offsets instead of pointers: a pointer would be relocated at every start of
 * every program. */
static const struct names {
#define X(fn) char fn[sizeof(#fn)];
	FUNCTIONS(X)
#undef X
} names = {
#define X(fn) #fn,
	FUNCTIONS(X)
#undef X
};

static const uint16_t name_at[FN_COUNT] = {
#define X(fn) offsetof(struct names, fn),
	FUNCTIONS(X)
#undef X
};

const char *real_name(enum function f)
{
	return (const char *)&names + name_at[f];
}

static int *(*errno_location)(void) IN_DATA;

static int *errno_at(void)
{
	static int nowhere IN_DATA;

	if (!errno_location)
		errno_location = (int *(*)(void))elf_find_any("__errno_location");
	return errno_location ? errno_location() : &nowhere;
}

int real_errno(void)
{
	return *errno_at();
}

long real_result(long r)
{
	if (!sys_failed(r))
		return r;
	*errno_at() = (int)-r;
	return -1;
}

/* Stands in for a function that this libc does not have. */
static long absent(void)
{
	return real_result(-ENOSYS);
}

/* The name without "64": on 64-bit systems the same function, the only one that
 * musl has, and the only one that many libraries interpose. */
static void name_short(const char *name, char out[32])
{
	size_t n = 0;

	for (; *name && n < 31; name++) {
		if (name[0] == '6' && name[1] == '4')
			name += 2;
		if (!*name)
			break;
		out[n++] = *name;
	}
	out[n] = 0;
}

/* Libraries that come after this one are relocated before it, and may call it
 * meanwhile, from the resolver of an IFUNC. Nothing can be looked up then. */
#define EARLY(X) X(read) X(write) X(close) X(pread64) X(pwrite64) X(mprotect)

#define X(name)                                                          \
	static long early_##name(long a, long b, long c, long d)         \
	{                                                                \
		return real_result(sys4(SYS_##name, a, b, c, d));        \
	}
EARLY(X)
#undef X

static long early_open(const char *path, int flags, long mode)
{
	return real_result(sys4(SYS_openat, AT_FDCWD, path, flags, mode));
}

static long early_openat(int dirfd, const char *path, int flags, long mode)
{
	return real_result(sys4(SYS_openat, dirfd, path, flags, mode));
}

static long early_mmap(long a, long b, long c, long d, long e, long f)
{
	return real_result(sys6(SYS_mmap, a, b, c, d, e, f));
}

static void *early(enum function f)
{
	switch (f) {
#define X(name)           \
	case FN_##name:   \
		return (void *)early_##name;
		EARLY(X)
#undef X
	case FN_open64:
	case FN_open:
		return (void *)early_open;
	case FN_openat64:
	case FN_openat:
		return (void *)early_openat;
	case FN_mmap64:
		return (void *)early_mmap;
	default:
		return (void *)absent;
	}
}

void *real_resolve(enum function f)
{
	char other[32];
	void *p;

	if (!elf_objects())
		return early(f);
	name_short(real_name(f), other);
	/* those whose other name has an entry of its own come second */
	if (f == FN_open64 || f == FN_openat64 || f == FN_creat64)
		p = elf_find_next(real_name(f), NULL);
	else
		p = elf_find_next(real_name(f), other);
	if (!p)
		p = elf_find_next(other, NULL);
	if (!p)
		p = (void *)absent;
	/* no other library in between: spare the way over libc's jump */
	else if (real_is_detoured(f))
		p = detour_shortcut(f, p);
	if (f < 32 && detour_is_own(f, p))
		(void)__atomic_fetch_or(&real_own, 1u << f, __ATOMIC_RELAXED);
	__atomic_store_n(&real_outer[f], p, __ATOMIC_RELAXED);
	return p;
}
