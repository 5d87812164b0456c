/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROVD_DOOR_H
#define PROV_PROVD_DOOR_H
#include "provd/service.h"
/*
 * The socket that everybody may connect to. A connection has a thread, so that nobody
 * waits for another, and an end: who says nothing is hung up on, and one user has only
 * so many.
 */
struct door;

/* 0, or negative errno with fail_text(): the path is taken by a living service, ... */
int door_open(const char *path, struct service *s, struct door **out);
int door_fd(const struct door *d);	/* readable when somebody knocks */
void door_answer(struct door *d);	/* never waits */
/* Hangs up on who has said nothing for too long. Call about once a second. */
void door_tick(struct door *d);
/* Nobody comes in any more, everybody inside is shown out and waited for. */
void door_close(struct door *d);
#endif
