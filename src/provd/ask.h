/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROVD_ASK_H
#define PROV_PROVD_ASK_H
#include <stdbool.h>
#include <stdint.h>
/*
 * Questions to the stores are answered by a process of its own for each connection, with
 * no capabilities and a bound on its memory: who asks for too much ends that process and
 * not the service.
 */
/* What that process does: provd --answer UID [all], the connection is descriptor 0.
 * Returns its exit status. */
int ask_main(uint32_t uid, bool all);
#endif
