/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* stdio.c - streams: what the kernel was asked for counts, not what the caller got */
#include "workload.h"

#include <stdarg.h>
#include <wchar.h>

static FILE *in(void)
{
	FILE *f = ptr_or_die(fopen(in_folder("in"), "r"), "fopen");

	/* The first byte asked for fills the stream's buffer: all of the file. */
	expect_bytes("read", in_folder("in"), IN_SIZE);
	return f;
}

static FILE *out(const char *mode)
{
	FILE *f = ptr_or_die(fopen(in_folder("out"), mode), "fopen");

	expect_file("create", in_folder("out"));
	return f;
}

static void wrote(FILE *f, long n)
{
	or_die(fclose(f), "fclose");
	expect_bytes("write", in_folder("out"), n);
}

static void by_fread(void)
{
	or_die(fread(room, 1, some, in()) == 100 ? 0 : -1, "fread");
}

static void by_fread_unlocked(void)
{
	or_die(fread_unlocked(room, 1, some, in()) == 100 ? 0 : -1, "fread_unlocked");
}

static void by_fgets(void)
{
	FILE *f = in();

	ptr_or_die(fgets(room, (int)some, f), "fgets");
	or_die(fclose(f), "fclose");
}

static void by_fgetc(void)
{
	or_die(fgetc(in()), "fgetc");
}

static void by_getc(void)
{
	or_die(getc(in()), "getc");
}

static void by_getc_unlocked(void)
{
	or_die(getc_unlocked(in()), "getc_unlocked");
}

static void by_getline(void)
{
	char *line = NULL;
	size_t size = 0;

	or_die(getline(&line, &size, in()), "getline");
	free(line);
}

static void by_fscanf(void)
{
	char word[64];

	or_die(fscanf(in(), "%63s", word) == 1 ? 0 : -1, "fscanf");
}

static void by_getchar(void)
{
	ptr_or_die(freopen(in_folder("in"), "r", stdin), "freopen");
	expect_bytes("read", in_folder("in"), IN_SIZE);
	or_die(getchar(), "getchar");
}

static void by_fgetws(void)
{
	wchar_t line[64];

	ptr_or_die(fgetws(line, 64, in()), "fgetws");
}

static void unbuffered_read(void)
{
	FILE *f = ptr_or_die(fopen(in_folder("in"), "r"), "fopen");

	setvbuf(f, NULL, _IONBF, 0);
	or_die(fread(room, 1, 10, f) == 10 ? 0 : -1, "fread");
	expect_bytes("read", in_folder("in"), 10);
}

static void after_seek(void)
{
	FILE *f = in();

	or_die(fgetc(f), "fgetc");
	rewind(f);
	or_die(fgetc(f), "fgetc");
	or_die(ungetc('x', f), "ungetc");
	/* After a rewind the buffer is filled again. */
	expect_bytes("read", in_folder("in"), IN_SIZE);
}

static void by_sscanf(void)
{
	int n;

	or_die(sscanf("12", "%d", &n) == 1 ? 0 : -1, "sscanf");
}

static void by_fwrite(void)
{
	FILE *f = out("w");

	or_die(fwrite(room, 1, some, f) == 100 ? 0 : -1, "fwrite");
	wrote(f, 100);
}

static void by_fwrite_much(void)
{
	FILE *f = out("w");

	for (int i = 0; i < 5; i++)
		or_die(fwrite(room, 1, sizeof(room), f) == sizeof(room) ? 0 : -1, "fwrite");
	wrote(f, 5 * (long)sizeof(room));
}

static void by_fputs(void)
{
	FILE *f = out("w");

	or_die(fputs("five\n", f), "fputs");
	wrote(f, 5);
}

static void by_fputc(void)
{
	FILE *f = out("we");

	or_die(fputc('a', f), "fputc");
	or_die(putc('b', f), "putc");
	or_die(putc_unlocked('c', f), "putc_unlocked");
	wrote(f, 3);
}

static int printed(FILE *f, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vfprintf(f, format, args);
	va_end(args);
	return n;
}

static void by_fprintf(void)
{
	FILE *f = out("w");

	or_die(fprintf(f, "%d\n", 123), "fprintf");
	or_die(printed(f, "%s", "ab"), "vfprintf");
	wrote(f, 6);
}

static void by_dprintf(void)
{
	int fd = open_out("out");

	or_die(dprintf(fd, "%s\n", "four"), "dprintf");
	expect_bytes("write", in_folder("out"), 5);
}

/* Standard output is where expectations go: they are printed before it is moved. */
static void by_puts(void)
{
	expect_made(in_folder("out"), 5);
	ptr_or_die(freopen(in_folder("out"), "w", stdout), "freopen");
	or_die(puts("abc"), "puts");
	or_die(putchar('d'), "putchar");
}

static void by_printf(void)
{
	expect_made(in_folder("out"), 4);
	ptr_or_die(freopen(in_folder("out"), "w", stdout), "freopen");
	or_die(printf("%d\n", 123), "printf");
}

static void by_fputws(void)
{
	FILE *f = out("w");

	or_die(fputws(L"abc", f), "fputws");
	or_die(fwprintf(f, L"%d", 12), "fwprintf");
	wrote(f, 5);
}

static void unbuffered_write(void)
{
	FILE *f = out("w");

	setvbuf(f, NULL, _IONBF, 0);
	or_die(fputs("abc", f), "fputs");
	expect_bytes("write", in_folder("out"), 3);
	_exit(0);
}

static void flushed_then_gone(void)
{
	FILE *f = out("w");

	or_die(fputs("abc", f), "fputs");
	or_die(fflush(f), "fflush");
	or_die(fputs("lost", f), "fputs");
	expect_bytes("write", in_folder("out"), 3);
	_exit(0);
}

static void never_closed(void)
{
	or_die(fputs("abcd", out("w")), "fputs");
	expect_bytes("write", in_folder("out"), 4);
}

static void appended(void)
{
	FILE *f = ptr_or_die(fopen(in_folder("old"), "a"), "fopen");

	or_die(fputs("abcd", f), "fputs");
	or_die(fclose(f), "fclose");
	expect_bytes("write", in_folder("old"), 4);
}

static void exclusive(void)
{
	FILE *f = out("wx");

	if (fopen(in_folder("out"), "wx"))
		exit(99);
	or_die(fputs("a", f), "fputs");
	wrote(f, 1);
}

static void updated(void)
{
	FILE *f = ptr_or_die(fopen64(in_folder("old"), "r+"), "fopen64");

	or_die(fgetc(f), "fgetc");
	or_die(fseek(f, 0, SEEK_END), "fseek");
	or_die(fputs("abc", f), "fputs");
	or_die(fclose(f), "fclose");
	/* How much a seek to the end reads again is the library's business. */
	expect_bytes("read", in_folder("old"), -1);
	expect_bytes("write", in_folder("old"), 3);
}

static void by_fdopen(void)
{
	FILE *f = ptr_or_die(fdopen(open_out("out"), "w"), "fdopen");

	or_die(fputs("abc", f), "fputs");
	wrote(f, 3);
}

static void by_tmpfile(void)
{
	FILE *f = ptr_or_die(tmpfile(), "tmpfile");

	or_die(fputs("nameless", f), "fputs");
	or_die(fclose(f), "fclose");
}

static void by_popen(void)
{
	char command[4200];
	FILE *f;

	snprintf(command, sizeof(command), "cat '%s'", in_folder("in"));
	f = ptr_or_die(popen(command, "r"), "popen");
	while (fgets(room, sizeof(room), f))
		;
	or_die(pclose(f), "pclose");
	expect_for(0, "read", in_folder("in"), "1024");
}

static const struct mode modes[] = {
	{ "fread", by_fread }, { "fread_unlocked", by_fread_unlocked }, { "fgets", by_fgets },
	{ "fgetc", by_fgetc }, { "getc", by_getc }, { "getc_unlocked", by_getc_unlocked },
	{ "getline", by_getline }, { "fscanf", by_fscanf }, { "getchar", by_getchar },
	{ "fgetws", by_fgetws }, { "unbuffered-read", unbuffered_read },
	{ "after-seek", after_seek }, { "sscanf", by_sscanf }, { "fwrite", by_fwrite },
	{ "fwrite-much", by_fwrite_much }, { "fputs", by_fputs }, { "fputc", by_fputc },
	{ "fprintf", by_fprintf }, { "dprintf", by_dprintf }, { "puts", by_puts },
	{ "printf", by_printf }, { "fputws", by_fputws },
	{ "unbuffered-write", unbuffered_write }, { "flushed-then-gone", flushed_then_gone },
	{ "never-closed", never_closed }, { "append", appended }, { "exclusive", exclusive },
	{ "update", updated }, { "fdopen", by_fdopen }, { "tmpfile", by_tmpfile },
	{ "popen", by_popen }, { NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
