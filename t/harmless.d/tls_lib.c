/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* tls_lib.c - wants SIZE bytes of the thread-local storage that is laid out at start */
__attribute__((tls_model("initial-exec"))) __thread char large[SIZE];

char *large_of_thread(void)
{
	large[SIZE - 1] = 1;
	return large;
}
