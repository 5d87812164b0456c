/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_command.c - tests of how commands and names are shown */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/format.h"
#include "format/tree.h"
#include "format/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void check_command(const char *argv, size_t size, const char *want)
{
	struct strings s = { argv, size };
	struct buf out = { 0 };

	format_command(&s, &out);
	assert_string_equal(out.data, want);
	buf_release(&out);
}

/* argv as a literal with a NUL between words */
#define CHECK_COMMAND(argv, want) check_command(argv, sizeof(argv), want)

static void command_is_quoted_only_where_a_shell_needs_it(void **state)
{
	CHECK_COMMAND("bwa\0mem\0-t\0" "2\0ref.fa", "bwa mem -t 2 ref.fa");
	CHECK_COMMAND("a b", "'a b'");
	CHECK_COMMAND("x\0", "x ''");
	CHECK_COMMAND("x\0it's", "x 'it'\\''s'");
	CHECK_COMMAND("x\0~\0#\0$a\0*\0a;b", "x '~' '#' '$a' '*' 'a;b'");
	CHECK_COMMAND("A=b\0A=b", "'A=b' A=b");
	CHECK_COMMAND("x\0a\nb\tc\\d'e", "x $'a\\nb\\tc\\\\d\\'e'");
	CHECK_COMMAND("x\0\xc3\xa4", "x \xc3\xa4");
	CHECK_COMMAND("x\0\xc3", "x $'\\303'");
	CHECK_COMMAND("x\0\x1b[31m", "x $'\\033[31m'");
	CHECK_COMMAND("x\0\xe2\x80\xae", "x $'\\342\\200\\256'");	/* right-to-left override */
}

/* bash reads the command back to the very bytes. */
static void shell_reads_any_argument_back(void **state)
{
	char argv[600] = "printf\0%s", got[600];
	size_t n = 10, got_n = 0, arg;
	struct strings s = { argv, 0 };
	struct buf out = { 0 };
	FILE *f;

	arg = n;
	for (int c = 1; c < 256; c++)
		argv[n++] = (char)c;
	for (int c = 255; c > 0; c--)
		argv[n++] = (char)c;
	argv[n++] = 0;
	s.size = n;
	buf_str(&out, "/bin/bash <<'PROV-END'\n");
	format_command(&s, &out);
	buf_str(&out, "\nPROV-END\n");
	f = popen(out.data, "r");
	assert_non_null(f);
	got_n = fread(got, 1, sizeof(got), f);
	assert_int_equal(pclose(f), 0);
	assert_int_equal(got_n, n - arg - 1);
	assert_memory_equal(got, argv + arg, got_n);
	buf_release(&out);
}

static void check_text(const char *in, unsigned columns, bool unicode, const char *want)
{
	struct buf out = { 0 };

	format_text(in, columns, unicode, &out);
	assert_string_equal(out.data ? out.data : "", want);
	buf_release(&out);
}

static void text_never_reaches_a_terminal_raw(void **state)
{
	check_text("a\x1b[2Jb\n\x7f", 0, true, "a\\033[2Jb\\012\\177");
	check_text("\xc2\x9b", 0, true, "\\302\\233");		/* C1 control */
	check_text("\xe2\x80\xae", 0, true, "\\342\\200\\256");
	check_text("\xff", 0, true, "\\377");
	check_text("\xc3\xa4", 0, true, "\xc3\xa4");
	check_text("\xc3\xa4", 0, false, "\\303\\244");
}

static void text_is_cut_in_the_middle(void **state)
{
	check_text("abcdefghij", 10, true, "abcdefghij");
	check_text("abcdefghij", 5, true, "ab\xe2\x80\xa6" "ij");
	check_text("abcdefghij", 6, true, "abc\xe2\x80\xa6" "ij");
	check_text("abcdefghij", 7, false, "ab...ij");
	check_text("abcdefghij", 2, false, "");
	check_text("abcdefghij", 1, true, "\xe2\x80\xa6");
}

static void text_is_never_wider_than_asked(void **state)
{
	static const char *const texts[] = {
		"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
		"a\xcc\x81" "e\xcc\x81" "i\xcc\x81o\xcc\x81",
		"\x01\x02\x03\x04\xff\xfe",
		"plain text here",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (unsigned columns = 1; columns < 40; columns++)
			for (int unicode = 0; unicode < 2; unicode++) {
				struct buf out = { 0 };

				format_text(texts[i], columns, unicode, &out);
				assert_true(utf8_columns(out.data ? out.data : "") <= columns);
				buf_release(&out);
			}
}

static void draw(bool unicode, struct buf *out)
{
	struct tree_pen pen = { .out = out, .unicode = unicode };

	tree_item(&pen, 0, true);
	buf_str(out, "a\n");
	tree_item(&pen, 1, false);
	buf_str(out, "b\n");
	tree_more(&pen, true);
	buf_str(out, "bb\n");
	tree_item(&pen, 2, true);
	buf_str(out, "c\n");
	tree_item(&pen, 1, true);
	buf_str(out, "d\n");
	tree_more(&pen, false);
	buf_str(out, "dd\n");
}

static void tree_has_lines_of_both_kinds(void **state)
{
	struct buf out = { 0 };

	draw(true, &out);
	assert_string_equal(out.data, "a\n├─ b\n│  │  bb\n│  └─ c\n└─ d\n      dd\n");
	buf_clear(&out);
	draw(false, &out);
	assert_string_equal(out.data, "a\n|- b\n|  |  bb\n|  `- c\n`- d\n      dd\n");
	buf_release(&out);
}

static void tree_stops_indenting_at_its_depth(void **state)
{
	struct buf out = { 0 };
	struct tree_pen pen = { .out = &out };

	tree_item(&pen, 100000, true);
	tree_more(&pen, true);
	assert_int_equal(out.size, 2 * tree_width(TREE_DEPTH));
	buf_release(&out);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_is_quoted_only_where_a_shell_needs_it),
		cmocka_unit_test(shell_reads_any_argument_back),
		cmocka_unit_test(text_never_reaches_a_terminal_raw),
		cmocka_unit_test(text_is_cut_in_the_middle),
		cmocka_unit_test(text_is_never_wider_than_asked),
		cmocka_unit_test(tree_has_lines_of_both_kinds),
		cmocka_unit_test(tree_stops_indenting_at_its_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
