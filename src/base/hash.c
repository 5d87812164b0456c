/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* hash.c - digests: the one file that knows libcrypto */
#include "base/hash.h"

#include <errno.h>
#include <openssl/evp.h>
#include <unistd.h>

#include "base/mem.h"

static EVP_MD_CTX *ctx_of(struct sha256 *h)
{
	return (EVP_MD_CTX *)h;
}

struct sha256 *sha256_create(void)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();

	if (!c)
		mem_exhausted();
	sha256_reset((struct sha256 *)c);
	return (struct sha256 *)c;
}

void sha256_destroy(struct sha256 *h)
{
	EVP_MD_CTX_free(ctx_of(h));
}

void sha256_reset(struct sha256 *h)
{
	if (!EVP_DigestInit_ex(ctx_of(h), EVP_sha256(), NULL))
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

void sha256_once(const void *p, size_t n, uint8_t out[SHA256_SIZE])
{
	if (!EVP_Digest(p, n, out, NULL, EVP_sha256(), NULL))
		mem_exhausted();
}

int sha256_fd(int fd, uint8_t out[SHA256_SIZE])
{
	static _Thread_local char block[256 << 10];
	struct sha256 *h = sha256_create();
	off_t at = 0;
	int ret = 0;

	for (;;) {
		ssize_t n = pread(fd, block, sizeof(block), at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			ret = -errno;
		if (n <= 0)
			break;
		sha256_add(h, block, (size_t)n);
		at += n;
	}
	sha256_end(h, out);
	sha256_destroy(h);
	return ret;
}

uint32_t crc32_of(const void *p, size_t n)
{
	static uint32_t table[256];
	const uint8_t *b = p;
	uint32_t c = 0xffffffffu;

	/* filling it twice at once writes the same values */
	if (!table[255])
		for (uint32_t i = 0; i < 256; i++) {
			uint32_t v = i;

			for (int k = 0; k < 8; k++)
				v = v & 1 ? 0xedb88320u ^ (v >> 1) : v >> 1;
			table[i] = v;
		}
	while (n--)
		c = table[(c ^ *b++) & 0xff] ^ (c >> 8);
	return ~c;
}
