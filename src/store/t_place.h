/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_STORE_T_PLACE_H
#define PROV_STORE_T_PLACE_H
/* For tests of stores in files: a folder, made before and removed after them. */
extern char place[32];
int place_make(void **state);
int place_remove(void **state);
/* A new name in it, until the next call. */
const char *place_fresh(void);
#endif
