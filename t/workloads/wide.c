/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* wide.c - streams of wide characters, and strings that look like streams */
#include "workload.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <wchar.h>

static FILE *in(void)
{
	FILE *f = ptr_or_die(fopen(in_folder("in"), "r"), "fopen");

	/* The first character asked for fills the stream's buffer. */
	expect_bytes("read", in_folder("in"), IN_SIZE);
	return f;
}

static FILE *out(void)
{
	FILE *f = ptr_or_die(fopen(in_folder("out"), "w"), "fopen");

	expect_file("create", in_folder("out"));
	return f;
}

static void wrote(FILE *f, long n)
{
	or_die(fclose(f), "fclose");
	expect_bytes("write", in_folder("out"), n);
}

static void by_fgetws(void)
{
	wchar_t line[200];

	ptr_or_die(fgetws(line, (int)some, in()), "fgetws");
}

static void by_fgetwc(void)
{
	FILE *f = in();

	or_die(fgetwc(f) == L'0' && getwc(f) == L'1' ? 0 : -1, "fgetwc");
	or_die(ungetwc(L'x', f) == L'x' ? 0 : -1, "ungetwc");
}

static void by_fwscanf(void)
{
	wchar_t word[64];

	or_die(fwscanf(in(), L"%63ls", word) == 1 ? 0 : -1, "fwscanf");
}

static int scanned(FILE *f, const wchar_t *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vfwscanf(f, format, args);
	va_end(args);
	return n;
}

static void by_vfwscanf(void)
{
	wchar_t word[64];

	or_die(scanned(in(), L"%63ls", word) == 1 ? 0 : -1, "vfwscanf");
}

static void by_wscanf(void)
{
	wchar_t word[64];

	ptr_or_die(freopen(in_folder("in"), "r", stdin), "freopen");
	expect_bytes("read", in_folder("in"), IN_SIZE);
	or_die(wscanf(L"%63ls", word) == 1 ? 0 : -1, "wscanf");
}

static void by_getwchar(void)
{
	ptr_or_die(freopen(in_folder("in"), "r", stdin), "freopen");
	expect_bytes("read", in_folder("in"), IN_SIZE);
	or_die(getwchar() == L'0' ? 0 : -1, "getwchar");
}

static void unlocked(void)
{
	wchar_t line[200];
	FILE *f = in();

	or_die(fgetwc_unlocked(f) == L'0' && getwc_unlocked(f) == L'1' ? 0 : -1, "fgetwc_unlocked");
	ptr_or_die(fgetws_unlocked(line, (int)some, f), "fgetws_unlocked");
	f = out();
	or_die(fputwc_unlocked(L'a', f) == L'a' && putwc_unlocked(L'b', f) == L'b' ? 0 : -1, "");
	or_die(fputws_unlocked(L"cd", f), "fputws_unlocked");
	wrote(f, 4);
}

static void by_fputws(void)
{
	FILE *f = out();

	or_die(fputws(L"abc", f), "fputws");
	or_die(fputwc(L'd', f) == L'd' && putwc(L'e', f) == L'e' ? 0 : -1, "fputwc");
	wrote(f, 5);
}

static int printed(FILE *f, const wchar_t *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vfwprintf(f, format, args);
	va_end(args);
	return n;
}

static void by_fwprintf(void)
{
	FILE *f = out();

	or_die(fwprintf(f, L"%d", 12), "fwprintf");
	or_die(printed(f, L"%ls", L"abc"), "vfwprintf");
	wrote(f, 5);
}

static void by_wprintf(void)
{
	expect_made(in_folder("out"), 5);
	ptr_or_die(freopen(in_folder("out"), "w", stdout), "freopen");
	or_die(wprintf(L"%d", 123), "wprintf");
	or_die(putwchar(L'd') == L'd' && putwchar_unlocked(L'e') == L'e' ? 0 : -1, "putwchar");
}

/* What counts is bytes in the file, not characters. */
static void many_bytes_each(void)
{
	FILE *f;

	if (!setlocale(LC_ALL, "C.UTF-8"))
		cannot("C.UTF-8");
	f = out();
	or_die(fputws(L"\u20ac\u00e9", f), "fputws");
	wrote(f, 5);
}

static void open_string(void)
{
	char *text = NULL;
	wchar_t *wide = NULL;
	size_t n;
	FILE *f = ptr_or_die(fmemopen(room, 100, "w"), "fmemopen");

	or_die(fputs("x", f), "fputs");
	fclose(f);
	f = ptr_or_die(open_memstream(&text, &n), "open_memstream");
	or_die(fputs("x", f), "fputs");
	fclose(f);
	f = ptr_or_die(open_wmemstream(&wide, &n), "open_wmemstream");
	or_die(fputws(L"x", f), "fputws");
	fclose(f);
	free(text);
	free(wide);
}

static void strings(void)
{
	wchar_t wide[32];
	char text[32], *made;
	int n;

	or_die(sscanf("12", "%d", &n) == 1 ? 0 : -1, "sscanf");
	or_die(swscanf(L"12", L"%d", &n) == 1 ? 0 : -1, "swscanf");
	or_die(snprintf(text, sizeof(text), "%d", n), "snprintf");
	or_die(sprintf(text, "%d", n), "sprintf");
	or_die(swprintf(wide, 32, L"%d", n), "swprintf");
	or_die(asprintf(&made, "%d", n), "asprintf");
	free(made);
}

/* A stream whose bytes come from functions of the program. */
static ssize_t cookie_read(void *cookie, char *p, size_t n)
{
	return read(*(int *)cookie, p, n);
}

static ssize_t cookie_write(void *cookie, const char *p, size_t n)
{
	return write(*(int *)cookie, p, n);
}

static void by_cookie(void)
{
	cookie_io_functions_t io = { cookie_read, cookie_write, NULL, NULL };
	int from = open_in(), to = open_out("out");
	FILE *f = ptr_or_die(fopencookie(&from, "r", io), "fopencookie");

	or_die(fgetc(f), "fgetc");
	expect_bytes("read", in_folder("in"), IN_SIZE);
	f = ptr_or_die(fopencookie(&to, "w", io), "fopencookie");
	or_die(fputs("abc", f), "fputs");
	wrote(f, 3);
}

static const struct mode modes[] = {
	{ "fgetws", by_fgetws }, { "fgetwc", by_fgetwc }, { "fwscanf", by_fwscanf },
	{ "vfwscanf", by_vfwscanf }, { "wscanf", by_wscanf }, { "getwchar", by_getwchar },
	{ "unlocked", unlocked }, { "fputws", by_fputws }, { "fwprintf", by_fwprintf },
	{ "wprintf", by_wprintf }, { "many-bytes-each", many_bytes_each },
	{ "open-string", open_string }, { "strings", strings }, { "cookie", by_cookie },
	{ NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
