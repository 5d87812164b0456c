/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROV_COMMAND_H
#define PROV_PROV_COMMAND_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "store/store.h"
/*
 * The commands of prov: each is one file cmd_NAME.c with one const struct
 * command, named once in the table of commands.c. Usage, --help, "prov help",
 * completion and the check of the man pages all read that table.
 */
enum exit_code {
	EXIT_YES = 0,
	EXIT_NO = 1, /* not there, different */
	EXIT_USAGE = 2,
	EXIT_TROUBLE = 3,
};

struct option_row {
	int code;         /* what args_next() returns; the letter when it is below 256 */
	const char *name; /* long, without dashes; NULL ends the rows */
	const char *arg;  /* what its value is called, NULL: it takes none */
	const char *help;
};

enum command_flags {
	COMMAND_READS = 1 << 0,    /* the store; what earlier runs left behind is taken in first */
	COMMAND_STOPS = 1 << 1,    /* the first operand ends the options */
	COMMAND_ANY_CONF = 1 << 2, /* works although a setting is wrong; see conf_error */
};

struct context;

struct command {
	const char *name;
	const char *usage;   /* what may follow the name */
	const char *summary; /* one line, small letter first, no full stop */
	const char *more;    /* paragraphs for --help, or NULL */
	const struct option_row *options;
	unsigned flags;
	int (*main)(struct context *c, int argc, char **argv); /* argv[0] is the name */
};

/* NULL after the last. */
const struct command *command_at(size_t i);
const struct command *command_find(const char *name);
void command_help(const struct command *command, struct buf *out);
void command_list(struct buf *out);
/* What was probably meant by a word that is none of the n names, or NULL. */
const char *suggest(const char *word, const char *(*name_at)(const void *, size_t),
		    const void *names);

/* What a command works with. It writes to out, which reaches stdout (or the
 * file of -o) whole, after it has returned EXIT_YES or EXIT_NO. */
struct context {
	const struct command *command;
	struct arena arena;
	struct buf out;
	const char *output;     /* of -o; NULL is stdout */
	struct store *store;    /* open after context_store() */
	const char *conf_error; /* what is wrong in the settings, NULL nothing */
	unsigned columns, rows; /* of the terminal */
	bool terminal;          /* stdout is one */
	bool unicode, colour, pager;
};

/* Opens the store for reading, and beside it the node service where there is one. What
 * the latter cannot tell is only warned of. 0, or an exit code after the message. */
int context_store(struct context *c);
/* Likewise, but where nothing was ever recorded it says nothing, returns 0 and
 * leaves store NULL. */
int context_store_or_none(struct context *c);
/* One line on stderr, "prov: lineage: ..."; control bytes cannot pass. */
void context_say(const struct context *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Says what is wrong with the command line; returns EXIT_USAGE. */
int context_usage(const struct context *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Says fail_text(); returns the exit code that fits the negative errno. */
int context_fail(const struct context *c, int err);
/* Likewise where it is not the question that was wrong; returns EXIT_TROUBLE. */
int context_trouble(const struct context *c);
#endif
