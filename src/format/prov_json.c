/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* prov_json.c - a graph as W3C PROV-JSON */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "format/json.h"
#include "format/order.h"
#include "format/utf8.h"
#include "format/writers.h"

#define NAME_SIZE 64

struct exporter {
	const struct graph *g;
	struct order order;
	struct json j;
	struct buf encoded; /* attributes of this record that are percent-encoded */
};

/* "id:o<hex>.2": only letters, digits and ".", so it is a qualified name in
 * PROV-N, XML and RDF alike. */
static char *name_of(const struct node *n, char out[NAME_SIZE])
{
	char id[NODE_TEXT_SIZE], *at;

	node_text(n, id);
	at = strchr(id, '@');
	if (at)
		*at = '.';
	(void)snprintf(out, NAME_SIZE, "id:%s", id);
	return out;
}

static bool is_plain(const char *s, size_t n)
{
	uint32_t c;
	size_t len;

	for (; n; s += len, n -= len) {
		len = utf8_next(s, n, &c);
		if (!len || !utf8_is_xml(c))
			return false;
	}
	return true;
}

/* Text that tools may turn into XML: where it could not be told there, its
 * odd bytes and "%" become %XX and the record says so. */
static void put_text(struct exporter *x, const char *key, const char *s)
{
	size_t n = s ? strlen(s) : 0, len;
	struct buf out = { 0 };
	uint32_t c;

	if (!n)
		return;
	if (is_plain(s, n)) {
		json_stringn(&x->j, key, s, n);
		return;
	}
	for (; n; s += len, n -= len) {
		len = utf8_next(s, n, &c);
		if (len && utf8_is_xml(c) && c != '%') {
			buf_append(&out, s, len);
		} else {
			buf_printf(&out, "%%%02X", (unsigned char)*s);
			len = 1;
		}
	}
	json_stringn(&x->j, key, out.data, out.size);
	buf_printf(&x->encoded, "%s%s", x->encoded.size ? " " : "", key);
	buf_release(&out);
}

static void put_number(struct exporter *x, const char *key, int64_t value)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRId64, value);
	json_object(&x->j, key);
	json_string(&x->j, "$", text);
	json_string(&x->j, "type", "xsd:long");
	json_end(&x->j);
}

static void put_type(struct exporter *x, const char *name)
{
	json_object(&x->j, "prov:type");
	json_string(&x->j, "$", name);
	json_string(&x->j, "type", "prov:QUALIFIED_NAME");
	json_end(&x->j);
}

static void put_sha256(struct exporter *x, const uint8_t *digest)
{
	char text[65];

	for (unsigned i = 0; i < 32; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", digest[i]);
	json_string(&x->j, "pv:sha256", text);
}

static void end_record(struct exporter *x)
{
	if (x->encoded.size)
		json_string(&x->j, "pv:percentEncoded", x->encoded.data);
	buf_clear(&x->encoded);
	json_end(&x->j);
}

static void put_entity(struct exporter *x, const struct node *n)
{
	char id[ID_TEXT_SIZE];

	put_text(x, "prov:label", n->label ? n->label : n->path);
	put_text(x, "pv:path", n->path);
	json_string(&x->j, "pv:object", id_text(ID_OBJECT, &n->id, id));
	json_string(&x->j, "pv:kind", object_kind_name(n->object));
	put_number(x, "pv:version", n->version);
	if (n->size >= 0)
		put_number(x, "pv:size", n->size);
	if (n->sha256)
		put_sha256(x, n->sha256);
	if (n->flags & NODE_DELETED)
		json_bool(&x->j, "pv:deleted", true);
	if (n->flags & NODE_PARTIAL)
		json_bool(&x->j, "pv:partial", true);
}

static void put_activity(struct exporter *x, const struct node *n)
{
	size_t i = (size_t)(n - x->g->nodes);
	struct buf command = { 0 };
	char id[ID_TEXT_SIZE];

	format_command(&n->argv, &command);
	put_text(x, "prov:label", command.size ? command.data : n->label);
	if (x->order.start[i])
		json_time(&x->j, "prov:startTime", x->order.start[i]);
	if (x->order.end[i])
		json_time(&x->j, "prov:endTime", x->order.end[i]);
	if (!id_is_zero(&n->run))
		json_string(&x->j, "pv:run", id_text(ID_RUN, &n->run, id));
	put_text(x, "pv:exe", n->exe);
	put_text(x, "pv:cwd", n->cwd);
	if (n->pid)
		put_number(x, "pv:pid", n->pid);
	if (n->status >= 0)
		put_number(x, "pv:status", n->status);
	if (n->signal)
		put_number(x, "pv:signal", n->signal);
	if (n->flags & NODE_BLIND)
		json_bool(&x->j, "pv:blind", true);
	buf_release(&command);
}

static void put_agent(struct exporter *x, const struct node *n)
{
	put_type(x, "prov:Person");
	put_text(x, "prov:label", n->label);
	put_text(x, "pv:user", n->user);
	put_text(x, "pv:host", n->host);
}

/* What the record does not contain is part of what it says. */
static void put_holes(struct exporter *x)
{
	char id[ID_TEXT_SIZE], name[NAME_SIZE];

	for (size_t i = 0; i < x->g->n_holes; i++) {
		const struct hole *h = &x->g->holes[i];

		(void)snprintf(name, sizeof(name), "id:hole.%zu", i + 1);
		json_object(&x->j, name);
		put_type(x, "pv:BlindSpot");
		put_text(x, "prov:label", h->why);
		put_text(x, "pv:kind", h->kind);
		json_string(&x->j, "pv:run", id_text(ID_RUN, &h->run, id));
		if (!id_is_zero(&h->exec))
			json_string(&x->j, "pv:execution", id_text(ID_EXECUTION, &h->exec, id));
		put_number(x, "pv:count", (int64_t)h->count);
		end_record(x);
	}
}

static void put_nodes(struct exporter *x, enum node_kind kind, const char *section,
		      void (*put)(struct exporter *, const struct node *))
{
	struct map seen = { 0 };
	char name[NAME_SIZE];

	json_object(&x->j, section);
	for (size_t i = 0; i < x->g->n_nodes; i++) {
		const struct node *n = &x->g->nodes[i];
		void **at;

		if (n->kind != kind)
			continue;
		name_of(n, name);
		at = map_at(&seen, name, strlen(name));
		if (*at)
			continue;
		*at = seen.slots;
		json_object(&x->j, name);
		put(x, n);
		end_record(x);
	}
	if (kind == NODE_ENTITY)
		put_holes(x);
	json_end(&x->j);
	map_release(&seen);
}

struct relation {
	const char *section, *from, *to;
};

static const struct relation relations[] = {
	[EDGE_USED] = { "used", "prov:activity", "prov:entity" },
	[EDGE_GENERATED] = { "wasGeneratedBy", "prov:entity", "prov:activity" },
	[EDGE_DERIVED] = { "wasDerivedFrom", "prov:generatedEntity", "prov:usedEntity" },
	[EDGE_INFORMED] = { "wasInformedBy", "prov:informed", "prov:informant" },
	[EDGE_ASSOCIATED] = { "wasAssociatedWith", "prov:activity", "prov:agent" },
	[EDGE_ATTRIBUTED] = { "wasAttributedTo", "prov:entity", "prov:agent" },
	[EDGE_INVALIDATED] = { "wasInvalidatedBy", "prov:entity", "prov:activity" },
};

#define N_RELATIONS (sizeof(relations) / sizeof(relations[0]))

static const struct relation influence = { "wasInfluencedBy", "prov:influencee",
					   "prov:influencer" };

static void put_relation(struct exporter *x, const struct relation *r, size_t i)
{
	const struct edge *e = &x->g->edges[i];
	int64_t time = e->kind == EDGE_GENERATED ? x->order.generated[e->from] : x->order.time[i];
	char name[NAME_SIZE];

	(void)snprintf(name, sizeof(name), "_:%zu", i + 1);
	json_object(&x->j, name);
	json_string(&x->j, r->from, name_of(&x->g->nodes[e->from], name));
	json_string(&x->j, r->to, name_of(&x->g->nodes[e->to], name));
	if (time && !x->order.vague[i])
		json_time(&x->j, "prov:time", time);
	json_bool(&x->j, "pv:certain", e->certain);
	end_record(x);
}

/* kind N_RELATIONS stands for those that can only be told as an influence. */
static void put_relations(struct exporter *x, size_t kind)
{
	const struct relation *r = kind < N_RELATIONS ? &relations[kind] : &influence;
	bool begun = false;

	for (size_t i = 0; i < x->g->n_edges; i++) {
		const struct edge *e = &x->g->edges[i];

		if (e->from == e->to || (x->order.vague[i] ? N_RELATIONS : e->kind) != kind)
			continue;
		if (!begun)
			json_object(&x->j, r->section);
		begun = true;
		put_relation(x, r, i);
	}
	if (begun)
		json_end(&x->j);
}

static int prov_json_write(const struct graph *g, const struct format_options *o, struct buf *out)
{
	struct exporter x = { .g = g, .j = { .out = out } };

	order_init(&x.order, g);
	json_object(&x.j, NULL);
	json_object(&x.j, "prefix");
	json_string(&x.j, "id", "urn:prov:id:");
	json_string(&x.j, "pv", "urn:prov:term:");
	json_end(&x.j);
	put_nodes(&x, NODE_ENTITY, "entity", put_entity);
	put_nodes(&x, NODE_ACTIVITY, "activity", put_activity);
	put_nodes(&x, NODE_AGENT, "agent", put_agent);
	for (size_t kind = 0; kind <= N_RELATIONS; kind++)
		put_relations(&x, kind);
	json_end(&x.j);
	buf_release(&x.encoded);
	order_release(&x.order);
	return 0;
}

const struct format_ops format_prov_json_ops = { "prov-json", ".prov.json", prov_json_write };
