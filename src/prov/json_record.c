/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* json_record.c - a run and its parts as JSON */
#include "prov/json_record.h"

static void status_or_null(struct json *j, const char *key, int status)
{
	if (status < 0)
		json_null(j, key);
	else
		json_int(j, key, status);
}

static void signal_or_null(struct json *j, int64_t end, int sig)
{
	if (!end && !sig)
		json_null(j, "signal");
	else
		json_int(j, "signal", sig);
}

void json_run(struct json *j, const char *key, const struct run *run, const struct note *notes,
	      size_t n_notes)
{
	json_object(j, key);
	json_id(j, "id", ID_RUN, &run->id);
	json_string(j, "name", run->name);
	json_string(j, "host", run->host);
	json_string(j, "boot", run->boot);
	json_string(j, "user", run->user);
	json_uint(j, "uid", run->uid);
	json_string(j, "cwd", run->cwd);
	json_strings(j, "argv", &run->argv);
	json_time(j, "start", run_real(run, run->start));
	json_time(j, "end", run_real(run, run->end));
	status_or_null(j, "status", run->status);
	signal_or_null(j, run->end, run->signal);
	json_string(j, "engine", run->engine);
	json_uint(j, "lost", run->lost);
	json_bool(j, "recovered", run->recovered);
	json_object(j, "notes");
	for (size_t i = 0; i < n_notes; i++)
		json_string(j, notes[i].key, notes[i].value);
	json_end(j);
	json_end(j);
}

static const char *how_name(enum how how)
{
	switch (how) {
	case HOW_ROOT:
		return "root";
	case HOW_FORK:
		return "fork";
	case HOW_EXEC:
		return "exec";
	case HOW_SPAWN:
		return "spawn";
	case HOW_UNKNOWN:
		break;
	}
	return "unknown";
}

static void json_env(struct json *j, const struct strings *env)
{
	json_object(j, "env");
	for (const char *p = NULL; (p = strings_next(env, p));) {
		struct buf name = { 0 };
		const char *value = p;

		while (*value && *value != '=')
			value++;
		buf_append(&name, p, (size_t)(value - p));
		json_string(j, name.data, *value ? value + 1 : "");
		buf_release(&name);
	}
	json_end(j);
}

void json_execution(struct json *j, const struct run *run, const struct execution *e)
{
	json_id(j, "id", ID_EXECUTION, &e->id);
	json_id(j, "run", ID_RUN, &e->run);
	json_id(j, "parent", ID_EXECUTION, &e->parent);
	json_string(j, "how", how_name(e->how));
	json_uint(j, "pid", e->pid);
	json_uint(j, "ppid", e->ppid);
	json_uint(j, "uid", e->uid);
	json_string(j, "exe", e->exe && e->exe[0] ? e->exe : NULL);
	json_strings(j, "argv", &e->argv);
	json_string(j, "cwd", e->cwd && e->cwd[0] ? e->cwd : NULL);
	json_time(j, "start", run_real(run, e->start));
	json_time(j, "end", run_real(run, e->end));
	status_or_null(j, "status", e->status);
	signal_or_null(j, e->end, e->signal);
	json_bool(j, "replaced", e->replaced);
	json_bool(j, "blind", e->blind);
	json_env(j, &e->env);
}

void json_access(struct json *j, const struct run *run, const struct access *a,
		 const struct object *o)
{
	json_id(j, "object", ID_OBJECT, &a->object);
	json_string(j, "path", a->path);
	json_string(j, "kind", o ? object_kind_name(o->kind) : NULL);
	json_bool(j, "read", a->flags & (ACCESS_READ | ACCESS_MAP_READ));
	json_bool(j, "written", a->flags & (ACCESS_WRITE | ACCESS_MAP_WRITE));
	json_bool(j, "created", a->flags & ACCESS_CREATE);
	json_bool(j, "truncated", a->flags & ACCESS_TRUNCATE);
	json_bool(j, "deleted", a->flags & ACCESS_DELETE);
	json_bool(j, "mapped", a->flags & (ACCESS_MAP_READ | ACCESS_MAP_WRITE));
	json_bool(j, "loaded", a->flags & ACCESS_LOAD);
	json_bool(j, "inherited", a->flags & ACCESS_INHERIT);
	json_bool(j, "unsure", a->flags & ACCESS_UNSURE);
	json_bool(j, "until_closed", a->flags & (ACCESS_READS_ON | ACCESS_WRITES_ON));
	json_uint(j, "bytes_read", a->bytes_read);
	json_uint(j, "bytes_written", a->bytes_written);
	json_uint(j, "reads", a->reads);
	json_uint(j, "writes", a->writes);
	json_time(j, "first_read", run_real(run, a->first_read));
	json_time(j, "last_read", run_real(run, a->last_read));
	json_time(j, "first_write", run_real(run, a->first_write));
	json_time(j, "last_write", run_real(run, a->last_write));
	json_time(j, "opened", run_real(run, a->opened));
	json_time(j, "closed", run_real(run, a->closed));
}

static void json_naming(struct json *j, const struct run *run, const struct name_event *e,
			const char *from, const char *to)
{
	json_object(j, NULL);
	json_id(j, "object", ID_OBJECT, &e->object);
	json_string(j, "event", name_kind_name(e->kind));
	json_string(j, "from", from && from[0] ? from : NULL);
	json_string(j, "to", to && to[0] ? to : NULL);
	json_id(j, "execution", ID_EXECUTION, &e->exec);
	json_time(j, "time", run_real(run, e->time));
	json_end(j);
}

void json_name(struct json *j, const struct run *run, const struct name_event *e)
{
	json_naming(j, run, e, e->from, e->to);
	if (e->kind == NAME_EXCHANGE)
		json_naming(j, run, e, e->to, e->from);
}

static void json_digest(struct json *j, const struct object *o)
{
	static const char hex[] = "0123456789abcdef";
	char text[65];

	if (!o->hashed) {
		json_null(j, "sha256");
		return;
	}
	for (int i = 0; i < 32; i++) {
		text[2 * i] = hex[o->sha256[i] >> 4];
		text[2 * i + 1] = hex[o->sha256[i] & 15];
	}
	text[64] = 0;
	json_string(j, "sha256", text);
}

void json_thing(struct json *j, const struct thing *t)
{
	const struct object *o = t->o;

	json_id(j, "id", ID_OBJECT, &o->id);
	json_string(j, "kind", object_kind_name(o->kind));
	json_array(j, "paths");
	for (size_t i = 0; i < t->n_paths; i++)
		json_string(j, NULL, t->paths[i]);
	json_end(j);
	if (o->size < 0)
		json_null(j, "size");
	else
		json_int(j, "size", o->size);
	json_digest(j, o);
	json_time(j, "mtime", o->mtime);
	json_time(j, "birth", o->btime);
	json_uint(j, "device", o->dev);
	json_uint(j, "inode", o->ino);
}

void json_hole(struct json *j, const struct hole *h)
{
	json_object(j, NULL);
	json_id(j, "execution", ID_EXECUTION, &h->exec);
	json_string(j, "kind", h->kind);
	json_string(j, "why", h->why);
	json_uint(j, "count", h->count);
	json_end(j);
}

void json_step(struct json *j, const struct run *run, const struct step *s)
{
	json_execution(j, run, s->e);
	json_bool(j, "folded", s->folded);
	if (s->credited)
		json_id(j, "credited_to", ID_EXECUTION, &s->credited->e->id);
	else
		json_null(j, "credited_to");
}

static void json_files(struct json *j, const struct record *r, const struct step *s)
{
	json_array(j, "files");
	for (size_t i = 0; i < s->n_files; i++) {
		const struct thing *t = record_thing(r, &s->files[i]->object);

		json_object(j, NULL);
		json_access(j, &r->run, s->files[i], t ? t->o : NULL);
		json_bool(j, "folded", t && t->folded);
		json_end(j);
	}
	json_end(j);
}

void json_record(struct json *j, const struct record *r)
{
	json_object(j, NULL);
	json_run(j, "run", &r->run, r->notes, r->n_notes);
	json_array(j, "executions");
	for (size_t i = 0; i < r->n_executions; i++) {
		json_object(j, NULL);
		json_step(j, &r->run, &r->steps[i]);
		json_files(j, r, &r->steps[i]);
		json_end(j);
	}
	json_end(j);
	json_array(j, "names");
	for (size_t i = 0; i < r->n_names; i++)
		json_name(j, &r->run, &r->names[i]);
	json_end(j);
	json_array(j, "objects");
	for (size_t i = 0; i < r->n_objects; i++) {
		json_object(j, NULL);
		json_thing(j, &r->things[i]);
		json_end(j);
	}
	json_end(j);
	json_array(j, "holes");
	for (size_t i = 0; i < r->n_holes; i++)
		json_hole(j, &r->holes[i]);
	json_end(j);
	json_end(j);
}
