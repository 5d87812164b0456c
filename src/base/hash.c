/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* hash.c - digests: the one file that knows libcrypto */
#include "base/hash.h"

#include <errno.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <unistd.h>

#include "base/mem.h"

static EVP_MD_CTX *ctx_of(struct sha256 *h)
{
	return (EVP_MD_CTX *)h;
}

struct sha256 *sha256_create(void)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();

	if (!c || !EVP_DigestInit_ex(c, EVP_sha256(), NULL))
		mem_exhausted();
	return (struct sha256 *)c;
}

void sha256_destroy(struct sha256 *h)
{
	EVP_MD_CTX_free(ctx_of(h));
}

void sha256_reset(struct sha256 *h)
{
	/* without a type it keeps the one it has: looking it up again costs more
	 * than a short digest */
	if (!EVP_DigestInit_ex(ctx_of(h), NULL, NULL))
		mem_exhausted();
}

void sha256_add(struct sha256 *h, const void *p, size_t n)
{
	if (!EVP_DigestUpdate(ctx_of(h), p, n))
		mem_exhausted();
}

void sha256_end(struct sha256 *h, uint8_t out[SHA256_SIZE])
{
	if (!EVP_DigestFinal_ex(ctx_of(h), out, NULL))
		mem_exhausted();
}

static pthread_key_t own_key;
static _Thread_local struct sha256 *own;

static void own_release(void *h)
{
	sha256_destroy(h);
}

static void own_key_create(void)
{
	if (pthread_key_create(&own_key, own_release) != 0)
		mem_exhausted();
}

/* The calling thread's own, begun anew. */
static struct sha256 *sha256_own(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (own) {
		sha256_reset(own);
		return own;
	}
	(void)pthread_once(&once, own_key_create);
	own = sha256_create();
	(void)pthread_setspecific(own_key, own);
	return own;
}

void sha256_once(const void *p, size_t n, uint8_t out[SHA256_SIZE])
{
	struct sha256 *h = sha256_own();

	sha256_add(h, p, n);
	sha256_end(h, out);
}

int sha256_fd(int fd, uint8_t out[SHA256_SIZE])
{
	static _Thread_local char block[256 << 10];
	struct sha256 *h = sha256_own();
	off_t at = 0;

	for (;;) {
		ssize_t n = pread(fd, block, sizeof(block), at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		sha256_add(h, block, (size_t)n);
		at += n;
	}
	sha256_end(h, out);
	return 0;
}

/* Eight tables, so that eight bytes cost eight loads that need not wait for
 * each other. */
static uint32_t crc_tables[8][256];

static void crc_tables_fill(void)
{
	uint32_t(*t)[256] = crc_tables;

	for (uint32_t i = 0; i < 256; i++) {
		t[0][i] = i;
		for (int k = 0; k < 8; k++)
			t[0][i] = t[0][i] & 1 ? 0xedb88320u ^ (t[0][i] >> 1) : t[0][i] >> 1;
	}
	for (uint32_t i = 0; i < 256; i++)
		for (int k = 1; k < 8; k++)
			t[k][i] = t[0][t[k - 1][i] & 0xff] ^ (t[k - 1][i] >> 8);
}

uint32_t crc32_more(uint32_t before, const void *p, size_t n)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint32_t(*t)[256] = crc_tables;
	const uint8_t *b = p;
	uint32_t c = ~before;

	(void)pthread_once(&once, crc_tables_fill);
	for (; n >= 8; n -= 8, b += 8) {
		c ^= (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
		     (uint32_t)b[3] << 24;
		c = t[7][c & 0xff] ^ t[6][c >> 8 & 0xff] ^ t[5][c >> 16 & 0xff] ^ t[4][c >> 24] ^
		    t[3][b[4]] ^ t[2][b[5]] ^ t[1][b[6]] ^ t[0][b[7]];
	}
	while (n--)
		c = t[0][(c ^ *b++) & 0xff] ^ (c >> 8);
	return ~c;
}

uint32_t crc32_of(const void *p, size_t n)
{
	return crc32_more(0, p, n);
}
