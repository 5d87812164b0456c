/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_STORE_NODE_WIRE_H
#define PROV_STORE_NODE_WIRE_H
#include "base/buf.h"
#include "journal/journal.h"
#include "store/store.h"
/*
 * Questions to a store and answers as bytes, for node*.c. Messages of base/frame.h:
 *
 *	client			server
 *	SERVICE_ASK
 *				SERVICE_OK: version
 *	a node_question: struct question
 *				NODE_PART: rows (0 or more such messages)
 *				NODE_END: the last rows, or none
 *				or NODE_FAILED: errno, sentence
 *
 * Facts are the records of prov-journal(5). Decoding copies into the arena and checks
 * everything; a message that is not wholly understood is -EBADMSG with fail_text().
 */
#define NODE_VERSION       1
#define NODE_ASK_MOST	 4096	/* ids in one question; who has more asks again */
#define NODE_TEXT_MOST     (1u << 20) /* bytes of a path or a pattern */
#define NODE_QUESTION_MOST (4u << 20) /* bytes of a question: all its ids and texts */
#define NODE_WHY_MOST      4096       /* bytes of the sentence of a failure */
#define NODE_ANSWER_MOST   (1u << 30) /* bytes of all messages of one answer */

enum node_question {
	NODE_RUNS = 16,
	NODE_RUN,
	NODE_EXECUTIONS,
	NODE_ACCESSES,
	NODE_NAMES,
	NODE_OBJECTS,
	NODE_HOLES,
	NODE_NOTES,
	NODE_BY_PATH,
	NODE_IDS,
	NODE_INFO,
	NODE_OFFSETS,
};

enum node_answer_kind { NODE_PART = 64, NODE_END, NODE_FAILED };

/* One call of struct store_ops; what a kind does not use is zero. */
struct question {
	uint32_t kind;
	int by;
	const struct id *ids; /* one where the call takes one */
	size_t n_ids;
	struct run_filter filter;
	const char *path;
	struct id_prefix prefix;
	size_t most;
};

/* What came; only the list that was asked for is filled. */
struct answer {
	struct facts facts;
	struct journal_rooms rooms;
	struct named *named;
	struct id *ids;
	struct boot_offset *offsets;
	size_t n_named, named_room, n_ids, ids_room, n_offsets, offsets_room;
	struct store_info info; /* but for where */
};

void question_encode(const struct question *q, struct buf *out);
int question_decode(uint32_t kind, const char *p, size_t n, struct arena *a, struct question *out);
/* Asks the store. */
int question_ask(const struct question *q, struct store *s, struct arena *a, struct answer *out);

/* Rows from number `from` on, until a message has NODE_PART_BYTES or there are no more;
 * returns the number of the next one. */
#define NODE_PART_BYTES (256u << 10)
size_t answer_encode(const struct question *q, const struct answer *w, size_t from,
		     struct buf *out);
/* Adds the rows of one message. */
int answer_decode(const struct question *q, const char *p, size_t n, struct arena *a,
		  struct answer *out);
/* Is every row what was asked for? The ids of q are in order. */
bool answer_fits(const struct question *q, const struct answer *w);
#endif
