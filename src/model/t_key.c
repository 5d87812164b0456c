/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_key.c - what ids are made of */
#include "model/key.h"

#include <fcntl.h>
#include <sched.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* The key as it is documented; ids are kept for ever, so it may never change. */
static void an_object_is_its_file_system_inode_and_birth(void **state)
{
	static const uint64_t inodes[] = { 0, 7, 10, 1234567890123, UINT64_MAX };
	static const int64_t births[] = { 0, 1, -1, -1234567890, INT64_MAX, INT64_MIN };
	static char fs[600], key[700];

	(void)state;
	for (size_t length = 0; length < sizeof(fs); length += 37)
		for (size_t i = 0; i < sizeof(inodes) / sizeof(inodes[0]); i++)
			for (size_t k = 0; k < sizeof(births) / sizeof(births[0]); k++) {
				struct id got, want;
				int n;

				memset(fs, 0, sizeof(fs));
				memset(fs, 'f', length);
				n = snprintf(key, sizeof(key), "o|%s|%" PRIu64 "|%" PRId64, fs,
					     inodes[i], births[k]);
				want = id_of(key, (size_t)n);
				got = object_id_of(fs, OBJECT_FILE, inodes[i], births[k]);
				assert_true(id_equal(&got, &want));
				got = object_id_of(fs, OBJECT_DIRECTORY, inodes[i], births[k]);
				assert_false(id_equal(&got, &want));
			}
}

static void a_file_is_still_itself_until_it_changes(void **state)
{
	char name[] = "/tmp/t_key.XXXXXX", other[] = "/tmp/t_key.XXXXXX";
	const struct timespec times[2] = { { 1, 0 }, { 1, 0 } };
	int fd = mkstemp(name), fd2 = mkstemp(other);
	struct object seen, named;

	(void)state;
	assert_true(fd >= 0 && fd2 >= 0);
	assert_int_equal(write(fd, "1", 1), 1);
	assert_int_equal(object_stat(name, &seen), 0);
	assert_int_equal(object_of_path(name, &named), 0);
	assert_true(seen.ino == named.ino && seen.dev == named.dev && seen.btime == named.btime &&
		    seen.size == 1 && seen.kind == OBJECT_FILE && id_is_zero(&seen.id));
	assert_true(object_is_still(fd, &seen));
	assert_false(object_is_still(fd2, &seen));
	assert_int_equal(futimens(fd, times), 0);
	assert_false(object_is_still(fd, &seen));
	assert_int_equal(object_stat(name, &seen), 0);
	assert_int_equal(ftruncate(fd, 5), 0);
	assert_int_equal(futimens(fd, times), 0);
	assert_false(object_is_still(fd, &seen));
	(void)close(fd);
	(void)close(fd2);
	(void)unlink(name);
	(void)unlink(other);
	assert_true(object_stat(name, &seen) < 0);
}

/* In a mount namespace of its own: the number of a file system that was unmounted is
 * given to the next one. */
static int meet_a_number_again(const char *point)
{
	char before[256];
	struct stat st;
	dev_t dev;

	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("one", point, "tmpfs", 0, NULL) < 0 || stat(point, &st) < 0)
		return 2;
	dev = st.st_dev;
	snprintf(before, sizeof(before), "%s", fs_of_device(dev));
	if (umount(point) < 0 || mount("other", point, "ramfs", 0, NULL) < 0 ||
	    stat(point, &st) < 0 || st.st_dev != dev)
		return 2;
	for (int i = 0; i < 500; i++) {
		const struct timespec step = { .tv_nsec = 10000000 };

		if (strcmp(before, fs_of_device(dev)) != 0)
			return 0;
		(void)nanosleep(&step, NULL);
	}
	return 1;
}

static void a_device_number_may_come_to_mean_another_file_system(void **state)
{
	char point[] = "/tmp/t_key.XXXXXX";
	int status;
	pid_t pid;

	(void)state;
	assert_non_null(mkdtemp(point));
	pid = fork();
	if (pid == 0)
		_exit(meet_a_number_again(point));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(rmdir(point), 0);
	if (WEXITSTATUS(status) == 2)
		skip();	/* no right to mount, or the kernel gave another number */
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* before this process has asked for any */
		cmocka_unit_test(a_device_number_may_come_to_mean_another_file_system),
		cmocka_unit_test(an_object_is_its_file_system_inode_and_birth),
		cmocka_unit_test(a_file_is_still_itself_until_it_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
