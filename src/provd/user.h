/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROVD_USER_H
#define PROV_PROVD_USER_H
#include "base/arena.h"
#include "record/recorder.h"
/* What the service keeps for a user. Results live in the arena. */

/* <provd.stores>/UID/prov.db and <provd.spool>/UID; the first's folder is made. */
int user_place(struct arena *a, uint32_t uid, struct recorder_place *out);
/* "ada", or the number where nobody has it. */
const char *user_name(struct arena *a, uint32_t uid);
/* Takes in what an earlier service left in the spool, of all users. */
void users_recover(void);
#endif
