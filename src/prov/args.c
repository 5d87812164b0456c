/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* args.c - options and operands of a command line */
#include "prov/args.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"

static const struct option_row no_rows[] = { { 0 } };

struct args args_begin(struct context *c, int argc, char **argv)
{
	return (struct args){ .c = c, .argc = argc, .argv = argv, .at = 1, .operands = argv + 1 };
}

static const struct option_row *rows_of(const struct args *a)
{
	return a->c->command->options ? a->c->command->options : no_rows;
}

static int over(struct args *a, int status)
{
	a->status = status;
	return -1;
}

static const char *row_name(const void *rows, size_t i)
{
	return ((const struct option_row *)rows)[i].name;
}

static int unknown(struct args *a, const char *text, size_t n)
{
	char *word = arena_strn(&a->c->arena, text, n);
	const char *near = suggest(word, row_name, rows_of(a));

	if (near)
		return over(a, context_usage(a->c, "there is no option --%s; did you mean --%s?",
					     word, near));
	return over(a, context_usage(a->c, "there is no option --%s", word));
}

static int help(struct args *a)
{
	command_help(a->c->command, &a->c->out);
	return over(a, EXIT_YES);
}

static int take_long(struct args *a, const char *text)
{
	size_t n = strcspn(text, "=");
	const struct option_row *r;

	for (r = rows_of(a); r->name; r++)
		if (strlen(r->name) == n && !memcmp(r->name, text, n))
			break;
	if (!r->name)
		return n == 4 && !memcmp(text, "help", 4) ? help(a) : unknown(a, text, n);
	a->value = NULL;
	if (text[n] == '=') {
		if (!r->arg)
			return over(a, context_usage(a->c, "option --%s takes no value", r->name));
		a->value = text + n + 1;
	} else if (r->arg) {
		if (a->at == a->argc)
			return over(a, context_usage(a->c, "option --%s needs a value: --%s %s",
						     r->name, r->name, r->arg));
		a->value = a->argv[a->at++];
	}
	return r->code;
}

static int take_letter(struct args *a)
{
	char letter = *a->letters++;
	const struct option_row *r;

	for (r = rows_of(a); r->name; r++)
		if (r->code == (unsigned char)letter)
			break;
	if (!r->name) {
		if (letter == 'h')
			return help(a);
		return over(a, context_usage(a->c, "there is no option -%c", letter));
	}
	a->value = NULL;
	if (r->arg) {
		if (*a->letters)
			a->value = a->letters;
		else if (a->at < a->argc)
			a->value = a->argv[a->at++];
		else
			return over(a, context_usage(a->c, "option -%c needs a value: -%c %s",
						     letter, letter, r->arg));
		a->letters = NULL;
	} else if (!*a->letters) {
		a->letters = NULL;
	}
	return r->code;
}

/* The rest of the line is operands. */
static int finish(struct args *a)
{
	while (a->at < a->argc)
		a->operands[a->n_operands++] = a->argv[a->at++];
	a->operands[a->n_operands] = NULL;
	return 0;
}

int args_next(struct args *a)
{
	if (a->letters)
		return take_letter(a);
	while (a->at < a->argc) {
		char *text = a->argv[a->at];

		if (text[0] != '-' || !text[1]) {
			if (a->c->command->flags & COMMAND_STOPS)
				return finish(a);
			a->operands[a->n_operands++] = text;
			a->at++;
			continue;
		}
		a->at++;
		if (!strcmp(text, "--"))
			return finish(a);
		if (text[1] == '-')
			return take_long(a, text + 2);
		a->letters = text + 1;
		return take_letter(a);
	}
	return finish(a);
}

int args_number(struct args *a, const char *option, unsigned least, unsigned *out)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(a->value, &end, 10);
	if (errno || end == a->value || *end || n < (long)least || n > INT_MAX)
		return context_usage(a->c, "%s needs a number from %u on, not '%s'", option, least,
				     a->value);
	*out = (unsigned)n;
	return 0;
}

int args_time(struct args *a, const char *option, int64_t *out)
{
	if (clock_parse(a->value, out) < 0)
		return context_usage(a->c, "%s: %s", option, fail_text());
	return 0;
}
