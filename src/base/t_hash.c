/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_hash.c - digests are those of the standards, however they are asked for */
#include "base/hash.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* FIPS 180-4 gives the first two. */
static const struct {
	const char *text, *digest;
} known[] = {
	{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
};

#define N_KNOWN (sizeof(known) / sizeof(known[0]))

static int is(const uint8_t digest[SHA256_SIZE], const char *hex)
{
	char text[2 * SHA256_SIZE + 1];

	for (size_t i = 0; i < SHA256_SIZE; i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	return !strcmp(text, hex);
}

static void known_digests_come_out_every_time(void **state)
{
	struct sha256 *h = sha256_create();
	uint8_t digest[SHA256_SIZE];

	(void)state;
	for (int again = 0; again < 3; again++)
		for (size_t i = 0; i < N_KNOWN; i++) {
			size_t n = strlen(known[i].text);

			sha256_once(known[i].text, n, digest);
			assert_true(is(digest, known[i].digest));
			sha256_reset(h);
			sha256_add(h, known[i].text, n / 2);
			sha256_add(h, known[i].text + n / 2, n - n / 2);
			sha256_end(h, digest);
			assert_true(is(digest, known[i].digest));
		}
	sha256_destroy(h);
}

static void a_file_has_the_digest_of_its_content(void **state)
{
	size_t n = 700001;	/* more than is read at once */
	char *content = malloc(n), name[] = "/tmp/t_hash.XXXXXX";
	uint8_t once[SHA256_SIZE], file[SHA256_SIZE];
	int fd = mkstemp(name);

	(void)state;
	assert_non_null(content);
	assert_true(fd >= 0);
	memset(content, 'x', n);
	assert_int_equal(write(fd, content, n), n);
	sha256_once(content, n, once);
	assert_int_equal(sha256_fd(fd, file), 0);
	assert_memory_equal(file, once, SHA256_SIZE);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), n);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(sha256_fd(fd, file), 0);
	assert_true(is(file, known[2].digest));
	(void)close(fd);
	(void)unlink(name);
	free(content);
}

static void a_failed_read_is_an_error_and_spoils_nothing(void **state)
{
	int folder = open("/tmp", O_RDONLY | O_DIRECTORY);
	uint8_t digest[SHA256_SIZE];

	(void)state;
	assert_true(sha256_fd(folder, digest) < 0);
	sha256_once("abc", 3, digest);
	assert_true(is(digest, known[0].digest));
	(void)close(folder);
}

static void *hash_many(void *failed)
{
	uint8_t digest[SHA256_SIZE];

	for (int i = 0; i < 2000; i++) {
		sha256_once(known[i % N_KNOWN].text, strlen(known[i % N_KNOWN].text), digest);
		if (!is(digest, known[i % N_KNOWN].digest))
			__atomic_store_n((int *)failed, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
	pthread_t threads[4];
	int failed = 0;

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, hash_many, &failed), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(failed, 0);
}

/* Bit by bit, as the polynomial says. */
static uint32_t crc_slowly(const uint8_t *p, size_t n)
{
	uint32_t c = 0xffffffffu;

	while (n--) {
		c ^= *p++;
		for (int i = 0; i < 8; i++)
			c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
	}
	return ~c;
}

static void a_crc_is_that_of_its_polynomial_in_one_piece_or_two(void **state)
{
	uint8_t bytes[257];

	(void)state;
	assert_int_equal(crc32_of("123456789", 9), 0xcbf43926u);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * i + 7 * i);
	for (size_t n = 0; n <= sizeof(bytes); n++) {
		assert_int_equal(crc32_of(bytes, n), crc_slowly(bytes, n));
		assert_int_equal(crc32_more(crc32_of(bytes, n / 3), bytes + n / 3, n - n / 3),
				 crc_slowly(bytes, n));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_digests_come_out_every_time),
		cmocka_unit_test(a_file_has_the_digest_of_its_content),
		cmocka_unit_test(a_failed_read_is_an_error_and_spoils_nothing),
		cmocka_unit_test(threads_do_not_disturb_each_other),
		cmocka_unit_test(a_crc_is_that_of_its_polynomial_in_one_piece_or_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
