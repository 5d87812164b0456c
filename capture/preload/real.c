/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* real.c - what each hook calls in the end */
#include "real.h"

#include <errno.h>
#include <stddef.h>

#include "detour.h"
#include "shim/elf.h"
#include "shim/sys.h"
#include "shim/text.h"

void *real_outer[FN_COUNT] IN_DATA;
void *real_inner[FN_DETOURED] IN_DATA;

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
	static int nowhere;

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

/* musl knows only one size of offset and drops the "64" of the names. */
static void *find_short(const char *name)
{
	char other[32];
	size_t n = 0;

	for (; *name && n < sizeof(other) - 1; name++) {
		if (name[0] == '6' && name[1] == '4')
			name += 2;
		if (!*name)
			break;
		other[n++] = *name;
	}
	other[n] = 0;
	return elf_find_next(other);
}

void *real_resolve(enum function f)
{
	void *p = elf_find_next(real_name(f));

	if (!p)
		p = find_short(real_name(f));

	if (!p)
		p = (void *)absent;
	/* no other library in between: spare the way over libc's jump */
	else if (real_is_detoured(f))
		p = detour_shortcut(f, p);
	__atomic_store_n(&real_outer[f], p, __ATOMIC_RELAXED);
	return p;
}
