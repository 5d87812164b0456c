/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_redact.c - tests of what is taken out as a secret */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "aggregate/redact.h"

#include <cmocka.h>

/* argv written as words separated by '|'. */
static void check_argv(const char *in, const char *want)
{
	char text[512], got[512];
	struct strings s = { text, strlen(in) + 1 };
	struct buf out = { 0 };

	memcpy(text, in, s.size);
	for (size_t i = 0; i < s.size; i++)
		if (text[i] == '|')
			text[i] = 0;
	redact_argv(&s, "mymark", &out);
	assert_true(out.size <= sizeof(got));
	memcpy(got, out.data, out.size);
	for (size_t i = 0; i + 1 < out.size; i++)
		if (!got[i])
			got[i] = '|';
	assert_string_equal(got, want);
	buf_release(&out);
}

static void option_values_whose_name_says_secret_go(void **state)
{
	(void)state;
	check_argv("x|--password=hunter2", "x|--password=[redacted]");
	check_argv("x|--db-password|hunter2|y", "x|--db-password|[redacted]|y");
	check_argv("x|-token|abc", "x|-token|[redacted]");
	check_argv("x|--api_key=k", "x|--api_key=[redacted]");
	check_argv("x|--a-mymark=v", "x|--a-mymark=[redacted]");
}

static void assignments_and_headers_go(void **state)
{
	(void)state;
	check_argv("env|DB_PASSWORD=x y", "env|DB_PASSWORD=[redacted] y");
	check_argv("sh|-c|export SECRET_TOKEN='abc'; run",
		   "sh|-c|export SECRET_TOKEN='[redacted]'; run");
	check_argv("curl|-H|Authorization: Bearer abcdefgh12345",
		   "curl|-H|Authorization: Bearer [redacted]");
	check_argv("curl|https://u:pw@host/x?token=abc&y=1",
		   "curl|https://u:[redacted]@host/x?token=[redacted]&y=1");
}

static void options_inside_a_script_go(void **state)
{
	(void)state;
	check_argv("sh|-c|login --token abc123; run -x --password 'p w' y",
		   "sh|-c|login --token [redacted]; run -x --password '[redacted] w' y");
	check_argv("sh|-c|tool --secret --other x", "sh|-c|tool --secret --other x");
}

static void shapes_of_known_tokens_go(void **state)
{
	(void)state;
	check_argv("x|ghp_0123456789012345678901234567890123456", "x|[redacted]");
	check_argv("x|AKIAIOSFODNN7EXAMPLE", "x|[redacted]");
	check_argv("x|--id=AKIAIOSFODNN7EXAMPLE", "x|--id=[redacted]");
}

static void what_scientists_type_stays(void **state)
{
	static const char *const same[] = {
		"bwa|mem|-R|@RG\\tID:a\\tSM:b|ref.fa|reads.fq",
		"samtools|sort|-T|tmp/sort|-o|out.bam|-",
		"python3|train.py|--max-tokens|512|--tokenizer=bpe.json",
		"gmx|mdrun|-s|topol.tpr|-deffnm|md",
		"bcftools|filter|-i|QUAL >= 30",
		"awk|-F:|{print $1}",
		"sk-learn|--keypoints|a",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		check_argv(same[i], same[i]);
}

static void environment_goes_by_name_and_shape(void **state)
{
	static const char env[] =
		"HOME=/h\0MY_API_KEY=abc\0"
		"SLURM_JWT=eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ\0";
	struct strings s = { env, sizeof(env) - 1 };
	struct buf out = { 0 };
	const char *p;

	(void)state;
	assert_int_equal(redact_environ(&s, "", &out), 2);
	p = out.data;
	assert_string_equal(p, "HOME=/h");
	p += strlen(p) + 1;
	assert_string_equal(p, "MY_API_KEY=[redacted]");
	p += strlen(p) + 1;
	assert_string_equal(p, "SLURM_JWT=[redacted]");
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(option_values_whose_name_says_secret_go),
		cmocka_unit_test(assignments_and_headers_go),
		cmocka_unit_test(options_inside_a_script_go),
		cmocka_unit_test(shapes_of_known_tokens_go),
		cmocka_unit_test(what_scientists_type_stays),
		cmocka_unit_test(environment_goes_by_name_and_shape),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
