/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROV_JSON_RECORD_H
#define PROV_PROV_JSON_RECORD_H
#include "format/json.h"
#include "prov/record.h"
/* The parts of a record as JSON; their members are a contract with scripts,
 * written down in prov-show(1). */
void json_run(struct json *j, const char *key, const struct run *run, const struct note *notes,
	      size_t n_notes);
/* The members of an execution, without braces. */
void json_execution(struct json *j, const struct run *run, const struct execution *e);
/* Likewise, and what default views make of it. */
void json_step(struct json *j, const struct run *run, const struct step *s);
/* The members of an access, without braces. kind NULL: the object is unknown. */
void json_access(struct json *j, const struct run *run, const struct access *a,
		 const struct object *o);
/* One object per name event; an exchange gives two. */
void json_name(struct json *j, const struct run *run, const struct name_event *e);
/* The members of an object, without braces. */
void json_thing(struct json *j, const struct thing *t);
void json_hole(struct json *j, const struct hole *h);
void json_record(struct json *j, const struct record *r);
#endif
