/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* user.c - what the service keeps for a user */
#include "provd/user.h"

#include <ctype.h>
#include <dirent.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "base/err.h"
#include "base/path.h"
#include "ingest/ingest.h"
#include "provd/log.h"

int user_place(struct arena *a, uint32_t uid, struct recorder_place *out)
{
	const char *folder = arena_printf(a, "%s/%u", conf_text("provd.stores"), uid);

	*out = (struct recorder_place){
		.store = arena_printf(a, "%s/prov.db", folder),
		.spool = arena_printf(a, "%s/%u", conf_text("provd.spool"), uid),
		.traces = arena_printf(a, "%s/traces", folder),
		.session = arena_str(a, conf_text("provd.session")),
	};
	return path_make(folder);
}

const char *user_name(struct arena *a, uint32_t uid)
{
	struct passwd pw, *found = NULL;
	char room[4096];

	if (getpwuid_r(uid, &pw, room, sizeof(room), &found) == 0 && found)
		return arena_str(a, found->pw_name);
	return arena_printf(a, "%u", uid);
}

void users_recover(void)
{
	DIR *d = opendir(conf_text("provd.spool"));
	struct buf messages = { 0 };
	struct dirent *e;

	while (d && (e = readdir(d))) {
		struct arena a = { 0 };
		struct recorder_place place;
		uint32_t uid = (uint32_t)strtoul(e->d_name, NULL, 10);

		if (isdigit((unsigned char)e->d_name[0]) && user_place(&a, uid, &place) == 0)
			(void)spool_recover(place.spool, place.store, /* only_over= */ false,
					    &messages);
		arena_release(&a);
	}
	if (d)
		(void)closedir(d);
	log_lines("left by an earlier service", &messages);
	buf_release(&messages);
}
