/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/*
 * Leaves parts out of the guest library, to see what each costs. It is put in
 * front of the guest's own sources when bench/ builds its variants of them
 * (-include), once before and once behind the guest's headers; what is
 * installed is built without it.
 *
 *	ABLATE_PATH	what is opened is not named
 *	ABLATE_CLOCK	and no clock is read
 *	ABLATE_COUNT	and nothing is counted: hooks only pass calls on
 */
#ifndef SHIM_TALLY_H

#ifdef ABLATE_CLOCK
/* the clock's own header first: what it defines must not be renamed */
#include "shim/image.h"
static inline uint64_t no_clock(void)
{
	return 1;
}
#define now_exact  no_clock
#define now_coarse no_clock
#endif

#else

#ifdef ABLATE_PATH
static inline size_t no_name(char out[NAME_ROOM])
{
	out[0] = '/';
	out[1] = 0;
	return 2;
}
#define name_of_fd(fd, out, flags) no_name(out)
#define folder_name(fd, dirfd, path, flags, o, out, name_flags) no_name(out)
#endif

#ifdef ABLATE_COUNT
#define image_ready()		 0
#define tally_before_read(fd)	 ((struct held){ .tally = &tally_mute })
#define tally_before_write(fd)	 ((struct held){ .tally = &tally_mute })
#define tally_before_read_at(fd, at)  ((struct held){ .tally = &tally_mute })
#define tally_before_write_at(fd, at) ((struct held){ .tally = &tally_mute })
#define tally_read_before(fd)	 (&tally_mute)
#define tally_write_before(fd)	 (&tally_mute)
#define tally_was_read(t, o, n)	 ((void)(t), (void)(o), (void)(n))
#define tally_was_written(t, o, n) ((void)(t), (void)(o), (void)(n))
#define tally_after_read(t, n)	 ((void)(t), (void)(n))
#define tally_after_write(t, n)	 ((void)(t), (void)(n))
#endif

#endif
