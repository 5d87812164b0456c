/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* graph_json.c - a whole graph for scripts, nothing folded away */
#include <string.h>

#include "base/buf.h"
#include "format/json.h"
#include "format/writers.h"

static const char *const how_names[] = {
	[HOW_ROOT] = "root",
	[HOW_FORK] = "fork",
	[HOW_EXEC] = "exec",
	[HOW_SPAWN] = "spawn",
};

static const char *how_name(enum how how)
{
	return how < HOW_UNKNOWN ? how_names[how] : NULL;
}

static const char *text_or_null(const char *s)
{
	return s && *s ? s : NULL;
}

static void put_count(struct json *j, const char *key, int64_t value, bool known)
{
	if (known)
		json_int(j, key, value);
	else
		json_null(j, key);
}

static void put_sha256(struct json *j, const uint8_t *digest)
{
	static const char hex[] = "0123456789abcdef";
	char text[64];

	for (unsigned i = 0; digest && i < sizeof(text); i++)
		text[i] = hex[digest[i / 2] >> (i % 2 ? 0 : 4) & 15];
	if (digest)
		json_stringn(j, "sha256", text, sizeof(text));
	else
		json_null(j, "sha256");
}

static void put_entity(struct json *j, const struct node *n)
{
	json_string(j, "path", n->path);
	json_id(j, "object", ID_OBJECT, &n->id);
	json_uint(j, "version", n->version);
	json_string(j, "object_kind", object_kind_name(n->object));
	put_count(j, "size", n->size, n->size >= 0);
	put_sha256(j, n->sha256);
	json_time(j, "generated", n->generated);
	json_time(j, "invalidated", n->invalidated);
	json_bool(j, "deleted", n->flags & NODE_DELETED);
	json_bool(j, "partial", n->flags & NODE_PARTIAL);
}

static void put_activity(struct json *j, const struct node *n)
{
	json_strings(j, "argv", &n->argv);
	json_id(j, "run", ID_RUN, &n->run);
	json_string(j, "exe", text_or_null(n->exe));
	json_string(j, "cwd", text_or_null(n->cwd));
	put_count(j, "pid", n->pid, n->pid);
	json_time(j, "start", n->start);
	json_time(j, "end", n->end);
	put_count(j, "status", n->status, n->status >= 0);
	put_count(j, "signal", n->signal, n->signal);
	json_string(j, "how", how_name(n->how));
}

static void put_node(struct json *j, const struct graph *g, const struct node *n)
{
	static const char *const kinds[] = { "entity", "activity", "agent" };
	char id[NODE_TEXT_SIZE];

	json_object(j, NULL);
	json_string(j, "id", node_text(n, id));
	json_string(j, "kind", kinds[n->kind]);
	json_string(j, "label", n->label ? n->label : n->path ? n->path : "");
	json_bool(j, "folded", n->flags & NODE_FOLDED);
	json_bool(j, "blind", n->flags & NODE_BLIND);
	switch (n->kind) {
	case NODE_ENTITY:
		put_entity(j, n);
		break;
	case NODE_ACTIVITY:
		put_activity(j, n);
		json_string(j, "credited_to",
			    n->credited ? node_text(&g->nodes[n->credited - 1], id) : NULL);
		break;
	case NODE_AGENT:
		json_string(j, "user", text_or_null(n->user));
		json_string(j, "host", text_or_null(n->host));
		break;
	}
	json_end(j);
}

static void put_edge(struct json *j, const struct graph *g, const struct edge *e)
{
	char id[NODE_TEXT_SIZE];

	json_object(j, NULL);
	json_string(j, "from", node_text(&g->nodes[e->from], id));
	json_string(j, "to", node_text(&g->nodes[e->to], id));
	json_string(j, "kind", edge_kind_name(e->kind));
	json_bool(j, "certain", e->certain);
	json_time(j, "time", e->time);
	json_end(j);
}

static void put_run(struct json *j, const struct run *r)
{
	json_object(j, NULL);
	json_id(j, "id", ID_RUN, &r->id);
	json_string(j, "name", text_or_null(r->name));
	json_string(j, "host", text_or_null(r->host));
	json_string(j, "user", text_or_null(r->user));
	json_string(j, "cwd", text_or_null(r->cwd));
	json_strings(j, "argv", &r->argv);
	json_time(j, "start", r->start ? r->start + r->shift : 0);
	json_time(j, "end", r->end ? r->end + r->shift : 0);
	put_count(j, "status", r->status, r->status >= 0);
	put_count(j, "signal", r->signal, r->signal);
	json_string(j, "engine", text_or_null(r->engine));
	json_uint(j, "lost", r->lost);
	json_end(j);
}

static void put_hole(struct json *j, const struct hole *h)
{
	json_object(j, NULL);
	json_id(j, "run", ID_RUN, &h->run);
	json_id(j, "execution", ID_EXECUTION, &h->exec);
	json_string(j, "kind", h->kind);
	json_string(j, "why", h->why);
	json_uint(j, "count", h->count);
	json_end(j);
}

static int json_write(const struct graph *g, const struct format_options *o, struct buf *out)
{
	struct json j = { .out = out };
	char id[NODE_TEXT_SIZE];

	json_object(&j, NULL);
	json_string(&j, "root", g->n_nodes ? node_text(&g->nodes[g->root], id) : NULL);
	json_bool(&j, "truncated", g->truncated);
	json_array(&j, "nodes");
	for (size_t i = 0; i < g->n_nodes; i++)
		put_node(&j, g, &g->nodes[i]);
	json_end(&j);
	json_array(&j, "edges");
	for (size_t i = 0; i < g->n_edges; i++)
		put_edge(&j, g, &g->edges[i]);
	json_end(&j);
	json_array(&j, "runs");
	for (size_t i = 0; i < g->n_runs; i++)
		put_run(&j, &g->runs[i]);
	json_end(&j);
	json_array(&j, "holes");
	for (size_t i = 0; i < g->n_holes; i++)
		put_hole(&j, &g->holes[i]);
	json_end(&j);
	json_end(&j);
	return 0;
}

const struct format_ops format_json_ops = { "json", ".json", json_write };
