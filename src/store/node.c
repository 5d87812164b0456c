/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* node.c - a store that the node service has open */
#include "store/node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/err.h"
#include "base/frame.h"
#include "base/mem.h"
#include "base/service.h"
#include "store/merge.h"
#include "store/node_wire.h"

extern const struct store_ops store_node_ops;

struct node {
	struct store store;
	int fd; /* -1: over, for a reason */
	int error;
	char *where, *why;
	struct buf out, in;
};

/* The connection is over; the sentence is kept for all who ask later. */
static int over(struct node *n, int r)
{
	char why[1024];

	if (r == -EAGAIN)
		r = fail(ETIMEDOUT, "%s: the node service does not answer", n->where);
	else if (r == -EPIPE || r == -ECONNRESET)
		r = fail(EPIPE, "%s: the node service has ended the connection", n->where);
	(void)strncpy(why, fail_text(), sizeof(why) - 1);
	why[sizeof(why) - 1] = 0;
	if (n->fd >= 0)
		close(n->fd);
	n->fd = -1;
	n->error = -r;
	free(n->why);
	n->why = mem_str(why);
	return r;
}

/* What the service says went wrong. */
static int told(struct node *n)
{
	struct span s = { .at = n->in.data, .end = n->in.data + n->in.size };
	uint64_t err = span_uint(&s);
	size_t size;
	const char *why = span_blob(&s, &size);

	if (s.bad || !err || err > 4095 || size > NODE_WHY_MOST)
		return over(n, fail(EBADMSG, "%s: the node service sends no answers", n->where));
	return fail((int)err, "%.*s", (int)size, why);
}

static int receive(struct node *n, const struct question *q, struct arena *a, struct answer *w)
{
	size_t size = 0;
	uint32_t kind;
	int r;

	do {
		r = frame_receive(n->fd, &kind, &n->in);
		if (r < 0)
			return over(n, r);
		if (kind == NODE_FAILED)
			return told(n);
		size += n->in.size;
		if (kind != NODE_END && (kind != NODE_PART || n->in.size < NODE_PART_BYTES))
			r = fail(EBADMSG, "%s: the node service sends no answers", n->where);
		else if (size > NODE_ANSWER_MOST)
			r = fail(EMSGSIZE, "%s: an answer is longer than %u bytes; ask for less",
				 n->where, NODE_ANSWER_MOST);
		else
			r = answer_decode(q, n->in.data, n->in.size, a, w);
		if (r < 0)
			return over(n, r);
	} while (kind != NODE_END);
	return 0;
}

static int ask_once(struct node *n, const struct question *q, struct arena *a, struct answer *w)
{
	int r;

	if (n->fd < 0)
		return fail(n->error, "%s", n->why);
	buf_clear(&n->out);
	question_encode(q, &n->out);
	r = frame_send(n->fd, q->kind, n->out.data, n->out.size);
	return r < 0 ? over(n, r) : receive(n, q, a, w);
}

static int fits(struct node *n, const struct question *q, const struct answer *w)
{
	if (answer_fits(q, w))
		return 0;
	return over(n, fail(EBADMSG, "%s: the node service answers what was not asked", n->where));
}

static int ask(struct store *s, const struct question *q, struct arena *a, struct answer *w)
{
	int r = ask_once((struct node *)s, q, a, w);

	return r < 0 ? r : fits((struct node *)s, q, w);
}

/* Any number of ids, each once, as many questions as it takes. */
static int ask_ids(struct store *s, struct question q, const struct id *ids, size_t n_ids,
		   struct arena *a, struct answer *w)
{
	struct id *each = mem_alloc((n_ids + 1) * sizeof(*each));
	int r = 0;

	if (n_ids)
		memcpy(each, ids, n_ids * sizeof(*each));
	n_ids = ids_sort(each, n_ids);
	for (size_t at = 0; r == 0 && at < n_ids; at += q.n_ids) {
		q.ids = each + at;
		q.n_ids = n_ids - at < NODE_ASK_MOST ? n_ids - at : NODE_ASK_MOST;
		r = ask_once((struct node *)s, &q, a, w);
	}
	q.ids = each;
	q.n_ids = n_ids;
	if (r == 0)
		r = fits((struct node *)s, &q, w);
	free(each);
	return r;
}

static int node_runs(struct store *s, const struct run_filter *f, struct arena *a, struct run **out,
		     size_t *n)
{
	const struct question q = { .kind = NODE_RUNS, .filter = *f };
	struct answer w = { 0 };
	int r = ask(s, &q, a, &w);

	if (r < 0)
		return r;
	*out = w.facts.runs;
	*n = w.facts.n_runs;
	runs_sort(*out, *n);
	return 0;
}

static int node_run(struct store *s, const struct id *id, struct arena *a, struct run *out)
{
	const struct question q = { .kind = NODE_RUN, .ids = id, .n_ids = 1 };
	struct answer w = { 0 };
	int r = ask(s, &q, a, &w);

	if (r < 0)
		return r;
	if (w.facts.n_runs != 1)
		return over(
			(struct node *)s,
			fail(EBADMSG, "the node service sends %zu runs for one", w.facts.n_runs));
	*out = w.facts.runs[0];
	return 0;
}

static int node_executions(struct store *s, int by, const struct id *ids, size_t n_ids,
			   struct arena *a, struct execution **out, size_t *n)
{
	const struct question q = { .kind = NODE_EXECUTIONS, .by = by };
	struct answer w = { 0 };
	int r = ask_ids(s, q, ids, n_ids, a, &w);

	*out = w.facts.executions;
	*n = w.facts.n_executions;
	executions_sort(*out, *n);
	return r;
}

/* What the asker has is left out here and not by the service: only he can tell what
 * that is, and having asked for it once before he never gets it more than twice. */
static size_t leave_out(struct access *v, size_t n, const struct store_except *but)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!but->has(but->ctx, &v[i].exec))
			v[kept++] = v[i];
	return kept;
}

static int node_accesses(struct store *s, int by, const struct id *ids, size_t n_ids,
			 const struct store_except *but, struct arena *a, struct access **out,
			 size_t *n)
{
	const struct question q = { .kind = NODE_ACCESSES, .by = by };
	struct answer w = { 0 };
	int r = ask_ids(s, q, ids, n_ids, a, &w);

	*out = w.facts.accesses;
	*n = w.facts.n_accesses;
	if (but)
		*n = leave_out(*out, *n, but);
	accesses_sort(*out, *n);
	return r;
}

static int node_names(struct store *s, int by, const struct id *ids, size_t n_ids, struct arena *a,
		      struct name_event **out, size_t *n)
{
	const struct question q = { .kind = NODE_NAMES, .by = by };
	struct answer w = { 0 };
	int r = ask_ids(s, q, ids, n_ids, a, &w);

	*out = w.facts.names;
	*n = w.facts.n_names;
	names_sort(*out, *n);
	return r;
}

static int node_objects(struct store *s, const struct id *ids, size_t n_ids, struct arena *a,
			struct object **out, size_t *n)
{
	const struct question q = { .kind = NODE_OBJECTS };
	struct answer w = { 0 };
	int r = ask_ids(s, q, ids, n_ids, a, &w);

	*out = w.facts.objects;
	*n = w.facts.n_objects;
	objects_sort(*out, *n);
	return r;
}

static int node_holes(struct store *s, const struct id *run, struct arena *a, struct hole **out,
		      size_t *n)
{
	const struct question q = { .kind = NODE_HOLES, .ids = run, .n_ids = 1 };
	struct answer w = { 0 };
	int r = ask(s, &q, a, &w);

	*out = w.facts.holes;
	*n = w.facts.n_holes;
	holes_sort(*out, *n);
	return r;
}

static int node_notes(struct store *s, const struct id *run, struct arena *a, struct note **out,
		      size_t *n)
{
	const struct question q = { .kind = NODE_NOTES, .ids = run, .n_ids = 1 };
	struct answer w = { 0 };
	int r = ask(s, &q, a, &w);

	*out = w.facts.notes;
	*n = w.facts.n_notes;
	notes_sort(*out, *n);
	return r;
}

static int node_by_path(struct store *s, const char *path, struct arena *a, struct named **out,
			size_t *n)
{
	const struct question q = { .kind = NODE_BY_PATH, .path = path };
	struct answer w = { 0 };
	int r = ask(s, &q, a, &w);

	*out = w.named;
	*n = w.n_named;
	named_sort(*out, *n);
	return r;
}

static int node_ids(struct store *s, const struct id_prefix *p, size_t most, struct arena *a,
		    struct id **out, size_t *n)
{
	const struct question q = { .kind = NODE_IDS, .prefix = *p, .most = most };
	struct answer w = { 0 };
	int r = ask(s, &q, a, &w);

	*out = w.ids;
	*n = ids_sort(w.ids, w.n_ids);
	*n = *n < most ? *n : most;
	return r;
}

static int node_boot_offsets(struct store *s, struct arena *a, struct boot_offset **out, size_t *n)
{
	const struct question q = { .kind = NODE_OFFSETS };
	struct answer w = { 0 };
	int r = ask(s, &q, a, &w);

	*out = w.offsets;
	*n = w.n_offsets;
	boot_offsets_sort(*out, *n);
	return r;
}

static int node_info(struct store *s, struct arena *a, struct store_info *out)
{
	const struct question q = { .kind = NODE_INFO };
	struct answer w = { 0 };
	int r = ask(s, &q, a, &w);

	if (r < 0)
		return r;
	*out = w.info;
	out->where = arena_str(a, ((struct node *)s)->where);
	return 0;
}

static int read_only(const struct store *s)
{
	return fail(EROFS, "%s: the node service takes no facts from here",
		    ((const struct node *)s)->where);
}

static int node_put(struct store *s, const struct facts *f)
{
	return read_only(s);
}

static int node_boot_offset(struct store *s, const char *host, const char *boot, int64_t proposed,
			    int64_t *kept)
{
	return read_only(s);
}

static void node_close(struct store *s)
{
	struct node *n = (struct node *)s;

	if (n->fd >= 0)
		close(n->fd);
	buf_release(&n->out);
	buf_release(&n->in);
	free(n->where);
	free(n->why);
	free(n);
}

static void limit_waiting(int fd, long ms)
{
	const struct timeval t = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t));
}

static int be_let_in(struct node *n)
{
	struct span s;
	uint32_t kind;
	uint64_t version;
	int r = frame_send(n->fd, SERVICE_ASK, NULL, 0);

	if (r == 0)
		r = frame_receive_most(n->fd, &kind, &n->in, 4096);
	if (r < 0)
		return over(n, r);
	if (kind == SERVICE_REFUSED)
		return fail(EACCES, "%s: %s", n->where, n->in.size ? n->in.data : "refused");
	s = (struct span){ .at = n->in.data, .end = n->in.data + n->in.size };
	version = span_uint(&s);
	if (kind != SERVICE_OK || s.bad)
		return fail(EBADMSG, "%s: this is no node service", n->where);
	if (version != NODE_VERSION)
		return fail(EPROTO,
			    "%s: the node service is of another version of prov; install the same",
			    n->where);
	return 0;
}

int node_attach(int fd, const char *where, struct store **out)
{
	struct node *n = mem_alloc(sizeof(*n));
	int r;

	n->store.ops = &store_node_ops;
	n->fd = fd;
	n->where = mem_str(where);
	limit_waiting(fd, NODE_GREETING_MS);
	r = be_let_in(n);
	if (r < 0) {
		node_close(&n->store);
		return r;
	}
	limit_waiting(fd, NODE_PATIENCE_MS);
	*out = &n->store;
	return 0;
}

static int connect_to(const char *path, int *fd)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int e;

	if (strlen(path) >= sizeof(to.sun_path))
		return fail(ENAMETOOLONG, "%s: the name of a socket has %zu bytes at most", path,
			    sizeof(to.sun_path) - 1);
	memcpy(to.sun_path, path, strlen(path));
	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd < 0)
		return fail(errno, "%s: no socket can be made: %s", path, strerror(errno));
	/* also bounds how long the service may not accept */
	limit_waiting(*fd, NODE_GREETING_MS);
	if (connect(*fd, (struct sockaddr *)&to, sizeof(to)) == 0)
		return 0;
	e = errno;
	close(*fd);
	if (e == ENOENT)
		return fail(ENOENT, "%s: there is no node service", path);
	if (e == EAGAIN)
		return fail(ETIMEDOUT, "%s: the node service does not answer", path);
	if (e == ECONNREFUSED)
		return fail(e, "%s: no node service listens there (any more)", path);
	return fail(e, "%s: the node service cannot be reached: %s", path, strerror(e));
}

static int node_open(const char *where, enum store_mode mode, struct store **out)
{
	int fd = -1, r;

	if (mode == STORE_WRITE)
		return fail(EROFS, "%s: the node service takes no facts from here", where);
	r = connect_to(where, &fd);
	return r < 0 ? r : node_attach(fd, where, out);
}

const struct store_ops store_node_ops = {
	.scheme = "node",
	.answers_only = true,
	.open = node_open,
	.close = node_close,
	.put = node_put,
	.boot_offset = node_boot_offset,
	.boot_offsets = node_boot_offsets,
	.runs = node_runs,
	.executions = node_executions,
	.accesses = node_accesses,
	.names = node_names,
	.objects = node_objects,
	.holes = node_holes,
	.notes = node_notes,
	.run = node_run,
	.by_path = node_by_path,
	.ids = node_ids,
	.info = node_info,
};
