/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_args.c - command lines are read as people write them */
#include "prov/args.h"

#include <fcntl.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { NAME = 256, ALONE };

static const struct option_row rows[] = {
	{ 'n', "number", "N", "a number" },    { 'a', "all", NULL, "a switch" },
	{ 'j', "json", NULL, "another" },      { NAME, "name", "NAME", "a text" },
	{ ALONE, "alone", NULL, "no letter" }, { 0 },
};

static const struct command mixes = { .name = "test", .usage = "", .summary = "", .options = rows };
static const struct command stops = {
	.name = "test", .usage = "", .summary = "", .options = rows, .flags = COMMAND_STOPS
};

struct line {
	struct context c;
	char *argv[12];
	struct args a;
	char text[1024]; /* what went to stderr */
	int last;
};

static void line_begin(struct line *l, const struct command *command, const char *words)
{
	int n = 1;

	memset(l, 0, sizeof(*l));
	l->c.command = command;
	l->argv[0] = (char *)"test";
	for (char *rest = arena_str(&l->c.arena, words), *w; (w = strsep(&rest, " "));)
		if (*w)
			l->argv[n++] = strcmp(w, "''") ? w : (char *)"";
	l->a = args_begin(&l->c, n, l->argv);
}

/* What args_next() says, with stderr kept. */
static int next(struct line *l)
{
	int fds[2], keep = dup(STDERR_FILENO);
	ssize_t n;

	assert_int_equal(pipe(fds), 0);
	assert_true(keep >= 0 && dup2(fds[1], STDERR_FILENO) >= 0);
	close(fds[1]);
	l->last = args_next(&l->a);
	assert_true(dup2(keep, STDERR_FILENO) >= 0);
	close(keep);
	n = read(fds[0], l->text, sizeof(l->text) - 1);
	l->text[n > 0 ? n : 0] = 0;
	close(fds[0]);
	return l->last;
}

static void line_end(struct line *l)
{
	buf_release(&l->c.out);
	arena_release(&l->c.arena);
}

static void values_come_after_an_equals_sign_or_as_the_next_word(void **state)
{
	static const char *const lines[] = { "-n 5", "-n5", "--number 5", "--number=5" };
	struct line l;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		line_begin(&l, &mixes, lines[i]);
		assert_int_equal(next(&l), 'n');
		assert_string_equal(l.a.value, "5");
		assert_int_equal(next(&l), 0);
		assert_int_equal(l.a.n_operands, 0);
		line_end(&l);
	}
}

static void a_value_may_look_like_an_option_or_be_empty(void **state)
{
	struct line l;

	(void)state;
	line_begin(&l, &mixes, "--name --all --name= --name ''");
	assert_int_equal(next(&l), NAME);
	assert_string_equal(l.a.value, "--all");
	assert_int_equal(next(&l), NAME);
	assert_string_equal(l.a.value, "");
	assert_int_equal(next(&l), NAME);
	assert_string_equal(l.a.value, "");
	assert_int_equal(next(&l), 0);
	line_end(&l);
}

static void letters_may_be_grouped(void **state)
{
	struct line l;

	(void)state;
	line_begin(&l, &mixes, "-ajn3 x");
	assert_int_equal(next(&l), 'a');
	assert_int_equal(next(&l), 'j');
	assert_int_equal(next(&l), 'n');
	assert_string_equal(l.a.value, "3");
	assert_int_equal(next(&l), 0);
	assert_int_equal(l.a.n_operands, 1);
	line_end(&l);
}

static void options_and_operands_mix(void **state)
{
	struct line l;

	(void)state;
	line_begin(&l, &mixes, "one --all two - -j three");
	assert_int_equal(next(&l), 'a');
	assert_int_equal(next(&l), 'j');
	assert_int_equal(next(&l), 0);
	assert_int_equal(l.a.n_operands, 4);
	assert_string_equal(l.a.operands[0], "one");
	assert_string_equal(l.a.operands[2], "-");
	assert_string_equal(l.a.operands[3], "three");
	assert_null(l.a.operands[4]);
	line_end(&l);
}

static void two_dashes_end_the_options(void **state)
{
	struct line l;

	(void)state;
	line_begin(&l, &mixes, "one --all -- --json -- -n");
	assert_int_equal(next(&l), 'a');
	assert_int_equal(next(&l), 0);
	assert_int_equal(l.a.n_operands, 4);
	assert_string_equal(l.a.operands[1], "--json");
	assert_string_equal(l.a.operands[2], "--");
	line_end(&l);
}

static void a_program_keeps_its_own_options(void **state)
{
	struct line l;

	(void)state;
	line_begin(&l, &stops, "-a ls --all -n");
	assert_int_equal(next(&l), 'a');
	assert_int_equal(next(&l), 0);
	assert_int_equal(l.a.n_operands, 3);
	assert_string_equal(l.a.operands[1], "--all");
	line_end(&l);
	line_begin(&l, &stops, "-a -- -ls --all");
	assert_int_equal(next(&l), 'a');
	assert_int_equal(next(&l), 0);
	assert_int_equal(l.a.n_operands, 2);
	assert_string_equal(l.a.operands[0], "-ls");
	line_end(&l);
}

static void wrong_options_get_one_line_that_helps(void **state)
{
	static const struct {
		const char *line, *says;
	} cases[] = {
		{ "--jsn", "prov: test: there is no option --jsn; did you mean --json?\n" },
		{ "--numbre=3",
		  "prov: test: there is no option --numbre; did you mean --number?\n" },
		{ "--nu 3", "prov: test: there is no option --nu; did you mean --number?\n" },
		{ "--zzzzzz", "prov: test: there is no option --zzzzzz (see 'prov help test')\n" },
		{ "-x", "prov: test: there is no option -x (see 'prov help test')\n" },
		{ "--all=1", "prov: test: option --all takes no value (see 'prov help test')\n" },
		{ "--number", "prov: test: option --number needs a value: --number N (see 'prov "
			      "help test')\n" },
		{ "-n", "prov: test: option -n needs a value: -n N (see 'prov help test')\n" },
		{ "--z\n\033[2J",
		  "prov: test: there is no option --z\\012\\033[2J (see 'prov help test')\n" },
	};
	struct line l;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		line_begin(&l, &mixes, cases[i].line);
		assert_int_equal(next(&l), -1);
		assert_int_equal(l.a.status, EXIT_USAGE);
		assert_string_equal(l.text, cases[i].says);
		line_end(&l);
	}
}

static void help_is_an_option_of_every_command(void **state)
{
	static const char *const lines[] = { "--help", "-h", "x -ah" };
	struct line l;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		line_begin(&l, &mixes, lines[i]);
		while (next(&l) > 0)
			;
		assert_int_equal(l.last, -1);
		assert_int_equal(l.a.status, EXIT_YES);
		assert_non_null(strstr(l.c.out.data, "--number N"));
		assert_non_null(strstr(l.c.out.data, "--alone"));
		line_end(&l);
	}
}

static void numbers_are_numbers(void **state)
{
	static const char *const bad[] = { "", "x", "3x", "0", "-1", "99999999999999999999" };
	struct line l;
	unsigned n;

	(void)state;
	line_begin(&l, &mixes, "");
	l.a.value = "7";
	assert_int_equal(args_number(&l.a, "-n", 1, &n), 0);
	assert_int_equal(n, 7);
	line_end(&l);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int keep = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);

		line_begin(&l, &mixes, "");
		l.a.value = bad[i];
		assert_true(dup2(null, STDERR_FILENO) >= 0);
		n = 7;
		l.last = args_number(&l.a, "-n", 1, &n);
		assert_true(dup2(keep, STDERR_FILENO) >= 0);
		close(keep);
		close(null);
		assert_int_equal(l.last, EXIT_USAGE);
		assert_int_equal(n, 7);
		line_end(&l);
	}
}

static const char *name_of(const void *names, size_t i)
{
	return ((const char *const *)names)[i];
}

static void slips_of_the_finger_find_their_command(void **state)
{
	static const struct {
		const char *word, *meant;
	} cases[] = {
		{ "linage", "lineage" }, { "lgo", "log" },     { "shw", "show" },
		{ "grpah", "graph" },    { "lin", "lineage" }, { "stats", "stat" },
		{ "xyzzy", NULL },       { "q", NULL },
	};
	const char *names[] = { "run", "log", "show", "lineage", "impact", "stat", "graph", NULL };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *found = suggest(cases[i].word, name_of, names);

		if (cases[i].meant)
			assert_string_equal(found, cases[i].meant);
		else
			assert_null(found);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_come_after_an_equals_sign_or_as_the_next_word),
		cmocka_unit_test(a_value_may_look_like_an_option_or_be_empty),
		cmocka_unit_test(letters_may_be_grouped),
		cmocka_unit_test(options_and_operands_mix),
		cmocka_unit_test(two_dashes_end_the_options),
		cmocka_unit_test(a_program_keeps_its_own_options),
		cmocka_unit_test(wrong_options_get_one_line_that_helps),
		cmocka_unit_test(help_is_an_option_of_every_command),
		cmocka_unit_test(numbers_are_numbers),
		cmocka_unit_test(slips_of_the_finger_find_their_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
