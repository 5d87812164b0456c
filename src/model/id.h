/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_MODEL_ID_H
#define PROV_MODEL_ID_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/*
 * Names of runs, executions and objects: the first 128 bits of the SHA-256 of
 * a canonical key, so that every node computes the same name without asking.
 * As text: one letter for the kind and 32 hex digits. The letters are no hex
 * digits, so a shortened id cannot be mistaken for another kind.
 */
struct id {
	uint8_t b[16];
};

enum id_kind {
	ID_RUN = 'r',
	ID_EXECUTION = 'x',
	ID_OBJECT = 'o',
	ID_USER = 'u',
};

#define ID_TEXT_SIZE 34		/* letter, 32 digits, NUL */
#define ID_SHORT 8		/* digits that tables show */

struct id id_of(const void *key, size_t size);
bool id_is_zero(const struct id *id);
bool id_equal(const struct id *a, const struct id *b);
int id_compare(const struct id *a, const struct id *b);
char *id_text(enum id_kind kind, const struct id *id, char out[ID_TEXT_SIZE]);
char *id_short(enum id_kind kind, const struct id *id, char out[ID_TEXT_SIZE]);

/* What a user typed as an id: the kind letter, then 4 to 32 hex digits. */
struct id_prefix {
	enum id_kind kind;
	unsigned digits;
	struct id lowest;	/* digits, then zeros */
	struct id highest;	/* digits, then ones */
};

bool id_prefix_parse(const char *text, struct id_prefix *out);

#endif
