/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* library.c - files that libc and the loader open by themselves */
#include "workload.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <grp.h>
#include <iconv.h>
#include <langinfo.h>
#include <link.h>
#include <locale.h>
#include <netdb.h>
#include <nl_types.h>
#include <pthread.h>
#include <pwd.h>
#include <time.h>

/* A copy of a library that nobody has loaded yet: a name of its own tells who did. */
static const char *own_library(const char *name)
{
	void *here = ptr_or_die(dlopen("libm.so.6", RTLD_LAZY), "libm.so.6");
	struct link_map *map;
	FILE *from, *to;
	size_t n;

	or_die(dlinfo(here, RTLD_DI_LINKMAP, &map), "dlinfo");
	from = ptr_or_die(fopen(map->l_name, "r"), map->l_name);
	to = ptr_or_die(fopen(in_folder(name), "w"), name);
	while ((n = fread(room, 1, sizeof(room), from)) > 0)
		or_die(fwrite(room, 1, n, to) == n ? 0 : -1, "fwrite");
	fclose(from);
	fclose(to);
	expect_made(in_folder(name), -1);
	return in_folder(name);
}

static void by_dlopen(void)
{
	ptr_or_die(dlopen(own_library("first.so"), RTLD_NOW | RTLD_LOCAL), "dlopen");
	expect_for(getpid(), "load", in_folder("first.so"), "");
}

static void by_dlmopen(void)
{
	ptr_or_die(dlmopen(LM_ID_NEWLM, own_library("first.so"), RTLD_NOW), "dlmopen");
	expect_for(getpid(), "hole", "namespace", "");
	expect_for(getpid(), "load", in_folder("first.so"), "");
}

static void *load(void *path)
{
	return dlopen(path, RTLD_NOW);
}

static void by_thread(void)
{
	pthread_t thread;
	void *library;

	or_die(-pthread_create(&thread, NULL, load, (void *)own_library("first.so")), "thread");
	or_die(-pthread_join(thread, &library), "pthread_join");
	ptr_or_die(library, "dlopen");
	expect_for(getpid(), "load", in_folder("first.so"), "");
}

static void unloaded_and_loaded(void)
{
	void *library = ptr_or_die(dlopen(own_library("first.so"), RTLD_NOW), "dlopen");

	dlclose(library);
	ptr_or_die(dlopen(own_library("second.so"), RTLD_NOW), "dlopen");
	expect_for(getpid(), "load", in_folder("first.so"), "");
	expect_for(getpid(), "load", in_folder("second.so"), "");
}

/* What unwinds a stack is loaded when it is first needed: strace knows from where. */
static void by_backtrace(void)
{
	void *frames[4];

	or_die(backtrace(frames, 4), "backtrace");
}

static void *sleeper(void *unused)
{
	pause();
	return unused;
}

static void by_pthread_cancel(void)
{
	pthread_t thread;

	or_die(-pthread_create(&thread, NULL, sleeper, NULL), "pthread_create");
	or_die(-pthread_cancel(thread), "pthread_cancel");
	or_die(-pthread_join(thread, NULL), "pthread_join");
}

/* Name services read what nsswitch.conf says; these are there everywhere. */
static void names_of_people(void)
{
	ptr_or_die(getpwnam("root"), "getpwnam");
	expect_bytes("read", "/etc/passwd", -1);
	ptr_or_die(getgrnam("root"), "getgrnam");
	expect_bytes("read", "/etc/group", -1);
}

static void names_of_people_again(void)
{
	struct passwd p, *found;
	struct group g, *group;

	ptr_or_die(getpwuid(0), "getpwuid");
	or_die(-getpwnam_r("root", &p, room, sizeof(room), &found), "getpwnam_r");
	or_die(-getpwuid_r(0, &p, room, sizeof(room), &found), "getpwuid_r");
	expect_bytes("read", "/etc/passwd", -1);
	ptr_or_die(getgrgid(0), "getgrgid");
	or_die(-getgrnam_r("root", &g, room, sizeof(room), &group), "getgrnam_r");
	or_die(-getgrgid_r(0, &g, room, sizeof(room), &group), "getgrgid_r");
	expect_bytes("read", "/etc/group", -1);
}

static void names_of_machines(void)
{
	struct addrinfo *found = NULL;

	if (getaddrinfo("localhost", NULL, NULL, &found) == 0)
		freeaddrinfo(found);
	(void)gethostbyname("localhost");
	expect_bytes("read", "/etc/hosts", -1);
}

static void groups_of_root(void)
{
	gid_t groups[64];
	int n = 64;

	(void)getgrouplist("root", 0, groups, &n);
	expect_bytes("read", "/etc/group", -1);
	(void)!initgroups("root", 0);
}

/* Which files that are depends on the machine: strace knows. */
static void languages(void)
{
	iconv_t c;

	setlocale(LC_ALL, "C.UTF-8");
	(void)nl_langinfo(CODESET);
	c = iconv_open("ISO-8859-15", "UTF-16");
	if (c != (iconv_t)-1)
		iconv_close(c);
}

static void time_zone(void)
{
	time_t now = 0;

	setenv("TZ", ":/etc/localtime", 1);
	tzset();
	(void)localtime(&now);
}

static void messages(void)
{
	char path[4200];
	nl_catd catalogue;
	int fd = open_out("some.cat");

	put_bytes(fd, "some.cat", some);
	snprintf(path, sizeof(path), "%s", in_folder("some.cat"));
	/* Mapped, looked at, and found to be none. */
	catalogue = catopen(path, 0);
	if (catalogue != (nl_catd)-1)
		catclose(catalogue);
	expect_bytes("read", path, -1);
}

static const struct mode modes[] = {
	{ "dlopen", by_dlopen }, { "dlmopen", by_dlmopen }, { "dlopen-by-thread", by_thread },
	{ "unloaded-and-loaded", unloaded_and_loaded }, { "backtrace", by_backtrace },
	{ "pthread_cancel", by_pthread_cancel }, { "people", names_of_people },
	{ "people-again", names_of_people_again }, { "machines", names_of_machines },
	{ "groups", groups_of_root }, { "languages", languages }, { "time-zone", time_zone },
	{ "messages", messages }, { NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
