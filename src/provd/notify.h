/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROVD_NOTIFY_H
#define PROV_PROVD_NOTIFY_H
/* Tells who started the service how it is (sd_notify(3)): "READY=1", "STOPPING=1",
 * "RELOADING=1", "STATUS=...". Nothing happens where NOTIFY_SOCKET is not set. */
void notify(const char *state);
#endif
