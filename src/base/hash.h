/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_BASE_HASH_H
#define PROV_BASE_HASH_H
#include <stddef.h>
#include <stdint.h>
/* SHA-256 (FIPS 180-4) by libcrypto, and CRC-32 (ISO-HDLC) by table. */
#define SHA256_SIZE 32

struct sha256;			/* a running digest; one owner, one thread */

struct sha256 *sha256_create(void);
void sha256_destroy(struct sha256 *h);		/* NULL is fine */
void sha256_reset(struct sha256 *h);
void sha256_add(struct sha256 *h, const void *p, size_t n);
void sha256_end(struct sha256 *h, uint8_t out[SHA256_SIZE]);

void sha256_once(const void *p, size_t n, uint8_t out[SHA256_SIZE]);
/* The digest of a whole open file from its start; the offset of fd is not
 * moved. 0 or negative errno. */
int sha256_fd(int fd, uint8_t out[SHA256_SIZE]);

uint32_t crc32_of(const void *p, size_t n);
/* Of what `before` is the sum of, then p: 0 is the sum of nothing. */
uint32_t crc32_more(uint32_t before, const void *p, size_t n);
#endif
