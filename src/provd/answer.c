/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* answer.c - what is told and changed on request */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/conf.h"
#include "base/err.h"
#include "base/frame.h"
#include "base/service.h"
#include "config.h"
#include "engine/granularity.h"
#include "format/json.h"
#include "provd/log.h"
#include "provd/proc.h"
#include "provd/service.h"

static void send_answer(const struct peer *p, enum service_kind kind, const struct buf *b)
{
	if (peer_accept(p) == 0)
		(void)frame_send(p->fd, kind, b->data, b->size);
}

static void put_run(struct json *j, const struct job_view *v)
{
	json_object(j, NULL);
	json_id(j, "run", ID_RUN, &v->run);
	json_string(j, "user", v->user);
	json_uint(j, "uid", v->uid);
	json_string(j, "job", v->job[0] ? v->job : NULL);
	json_time(j, "since", v->since);
	json_bool(j, "asked_for", v->asked_for);
	json_uint(j, "processes", v->now.processes);
	json_uint(j, "executions", v->now.executions);
	json_uint(j, "living", v->now.living);
	json_uint(j, "events", v->now.events);
	json_uint(j, "events_per_second", v->rate);
	json_uint(j, "lost", v->now.lost);
	json_string(j, "granularity", granularity_name(v->now.granularity));
	json_end(j);
}

static void put_totals(struct json *j, const struct service *s)
{
	struct job_totals t = jobs_total(s->jobs);

	json_object(j, "totals");
	json_uint(j, "runs", t.runs);
	json_uint(j, "events", t.events);
	json_uint(j, "processes", t.processes);
	json_uint(j, "executions", t.executions);
	json_uint(j, "representatives", t.representatives);
	json_uint(j, "lost", t.lost);
	json_uint(j, "missed", t.missed);
	json_uint(j, "failed", t.failed);
	json_uint(j, "sessions", t.sessions);
	json_uint(j, "finishing", t.finishing);
	json_uint(j, "connections", __atomic_load_n(&s->connections, __ATOMIC_RELAXED));
	json_uint(j, "refused", __atomic_load_n(&s->refused, __ATOMIC_RELAXED));
	json_end(j);
}

static void put_field(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	char text[1024];

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	buf_append(b, text, strlen(text) + 1);
}

static void put_row(struct buf *b, const struct job_view *v)
{
	char id[ID_TEXT_SIZE];

	put_field(b, "%s", id_short(ID_RUN, &v->run, id));
	put_field(b, "%s", v->user);
	put_field(b, "%s", v->job);
	put_field(b, "%" PRId64, v->since);
	put_field(b, "%" PRIu64, v->now.processes);
	put_field(b, "%" PRIu64, v->rate);
	put_field(b, "%" PRIu64, v->now.lost);
	put_field(b, "%s", granularity_name(v->now.granularity));
}

/* SERVICE_STATUS_ROWS of base/service.h. */
static void status_rows(struct service *s, const struct peer *p, struct buf *b)
{
	struct job_totals t = jobs_total(s->jobs);
	struct arena a = { 0 };
	size_t n;
	struct job_view *list = jobs_list(s->jobs, &a, &n);

	put_field(b, "%s", PROV_VERSION);
	put_field(b, "%" PRId64, s->since);
	put_field(b, "%s", s->engine_why);
	put_field(b, "%s", s->watching ? conf_text("provd.scope") : "none");
	put_field(b, "%" PRIu64, proc_resident());
	put_field(b, "%" PRIu64, t.runs);
	put_field(b, "%" PRIu64, t.processes);
	put_field(b, "%" PRIu64, t.events);
	put_field(b, "%" PRIu64, t.lost);
	put_field(b, "%" PRIu64, t.missed + t.failed);
	for (size_t i = 0; i < n; i++)
		if (p->sees_all || list[i].uid == p->uid)
			put_row(b, &list[i]);
	arena_release(&a);
}

static void status_json(struct service *s, const struct peer *p, struct buf *out)
{
	struct json j = { .out = out };
	struct arena a = { 0 };
	size_t n;
	struct job_view *list = jobs_list(s->jobs, &a, &n);

	json_object(&j, NULL);
	json_string(&j, "version", PROV_VERSION);
	json_int(&j, "pid", getpid());
	json_time(&j, "since", s->since);
	json_object(&j, "engine");
	json_bool(&j, "works", s->engine != NULL);
	json_string(&j, "variant", s->engine_why);
	json_end(&j);
	json_string(&j, "scope", s->watching ? conf_text("provd.scope") : "none");
	json_uint(&j, "memory", proc_resident());
	json_array(&j, "runs");
	for (size_t i = 0; i < n; i++)
		if (p->sees_all || list[i].uid == p->uid)
			put_run(&j, &list[i]);
	json_end(&j);
	put_totals(&j, s);
	json_end(&j);
	arena_release(&a);
}

void answer_status(struct service *s, const struct peer *p, const struct buf *message)
{
	struct buf b = { 0 };

	if (message->size)
		status_rows(s, p, &b);
	else
		status_json(s, p, &b);
	send_answer(p, SERVICE_STATUS, &b);
	buf_release(&b);
}

static void put_metric(struct buf *out, const char *name, const char *kind, const char *help,
		       uint64_t value)
{
	buf_printf(out, "# HELP prov_%s %s\n# TYPE prov_%s %s\nprov_%s %" PRIu64 "\n", name, help,
		   name, kind, name, value);
}

void metrics_text(struct service *s, struct buf *out)
{
	struct job_totals t = jobs_total(s->jobs);

	put_metric(out, "events_total", "counter", "Events that the engine reported.", t.events);
	put_metric(out, "processes_total", "counter", "Processes that were recorded.",
		   t.processes);
	put_metric(out, "representatives_total", "counter",
		   "Executions that default views name, as known when they began.",
		   t.representatives);
	put_metric(out, "executions_total", "counter", "Images of programs that were recorded.",
		   t.executions);
	put_metric(out, "buffered", "gauge", "Executions that have not ended and wait in memory.",
		   t.living);
	buf_str(out, "# HELP prov_lost_total What was not recorded, by reason.\n"
		     "# TYPE prov_lost_total counter\n");
	buf_printf(out, "prov_lost_total{reason=\"room\"} %" PRIu64 "\n", t.lost);
	buf_printf(out, "prov_lost_total{reason=\"gone\"} %" PRIu64 "\n", t.missed);
	buf_printf(out, "prov_lost_total{reason=\"failed\"} %" PRIu64 "\n", t.failed);
	put_metric(out, "runs_total", "counter", "Runs that were begun.", t.runs);
	put_metric(out, "sessions", "gauge", "Runs that are being recorded.", t.sessions);
	put_metric(out, "connections_total", "counter", "Connections to the socket.",
		   __atomic_load_n(&s->connections, __ATOMIC_RELAXED));
	put_metric(out, "refused_total", "counter", "Connections that were turned away.",
		   __atomic_load_n(&s->refused, __ATOMIC_RELAXED));
	put_metric(out, "resident_bytes", "gauge", "Memory of the service.", proc_resident());
}

void answer_metrics(struct service *s, const struct peer *p, const struct buf *message)
{
	struct buf b = { 0 };

	(void)message;
	metrics_text(s, &b);
	send_answer(p, SERVICE_METRICS, &b);
	buf_release(&b);
}

/* A run or "node", NUL-terminated, and a granularity. */
void answer_granularity(struct service *s, const struct peer *p, const struct buf *message)
{
	struct span in = { .at = message->data, .end = message->data + message->size };
	struct buf b = { 0 };
	size_t n;
	const char *run = span_blob(&in, &n);
	int64_t level = span_int(&in);

	if (in.bad || !n || run[n - 1] || level != (int32_t)level ||
	    !granularity_ok((int32_t)level)) {
		peer_refuse(p, "granularity", "this is no run and granularity");
	} else if (!strcmp(run, "node") && !p->sees_all) {
		peer_refuse(p, "granularity",
			    "only root and members of provd.group change the node's granularity");
	} else if (jobs_ask(s->jobs, run, p->uid, p->sees_all, (int32_t)level) < 0) {
		peer_refuse(p, "granularity", "%s", fail_text());
	} else {
		log_line("user %u: granularity of %s is %s now", p->uid, run,
			 granularity_name((int32_t)level));
		buf_printf(&b, "%s notes accesses %s from now on", run,
			   granularity_name((int32_t)level));
		send_answer(p, SERVICE_GRANULARITY, &b);
	}
	buf_release(&b);
}
