/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROVD_TOUCH_H
#define PROV_PROVD_TOUCH_H
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
/*
 * Switching the node's granularity by touching a file (LPS, IV.A.2), for scripts that
 * reach a node by nothing but a shared file system or a parallel shell: in one folder a
 * file by the name of each granularity. Who may write there may switch.
 */
struct touches {
	struct timespec newest[4];	/* by granularity, of the file's last change */
};

/* How it is now; nothing is switched by that. */
void touches_begin(struct touches *t, const char *folder);
/* Was a file touched since? Of several the newest counts. */
bool touches_look(struct touches *t, const char *folder, int32_t *level);
#endif
