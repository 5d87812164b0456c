/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* empty.c - a library with nothing in it: what preloading costs by itself */
extern const char bench_nothing;
const char bench_nothing = 0;
