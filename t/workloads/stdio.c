/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* stdio.c - streams: what the kernel was asked for counts, not what the caller got */
#include "workload.h"

#include <stdarg.h>
#include <stdio_ext.h>

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

static int scanned(FILE *f, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = f ? vfscanf(f, format, args) : vscanf(format, args);
	va_end(args);
	return n;
}

static void by_vfscanf(void)
{
	char word[64];

	or_die(scanned(in(), "%63s", word) == 1 ? 0 : -1, "vfscanf");
}

static void by_scanf(void)
{
	char word[64];

	ptr_or_die(freopen64(in_folder("in"), "r", stdin), "freopen64");
	expect_bytes("read", in_folder("in"), IN_SIZE);
	or_die(scanf("%63s", word) == 1 ? 0 : -1, "scanf");
	or_die(scanned(NULL, "%63s", word) == 1 ? 0 : -1, "vscanf");
	or_die(getchar_unlocked(), "getchar_unlocked");
}

static void by_getdelim(void)
{
	char *text = NULL;
	size_t size = 0;

	or_die(getdelim(&text, &size, 'a', in()), "getdelim");
	free(text);
}

static void by_getw(void)
{
	FILE *f = in();

	or_die(getw(f) ? 0 : -1, "getw");
}

static void reads_unlocked(void)
{
	FILE *f = in();

	or_die(fgetc_unlocked(f), "fgetc_unlocked");
	ptr_or_die(fgets_unlocked(room, (int)some, f), "fgets_unlocked");
	or_die(fread_unlocked(room, 1, 10, f) == 10 ? 0 : -1, "fread_unlocked");
	or_die(feof_unlocked(f) || ferror_unlocked(f) ? -1 : 0, "state");
}

static void writes_unlocked(void)
{
	FILE *f = out("w");

	or_die(fwrite_unlocked(room, 1, 10, f) == 10 ? 0 : -1, "fwrite_unlocked");
	or_die(fputs_unlocked("ab", f), "fputs_unlocked");
	or_die(fputc_unlocked('c', f), "fputc_unlocked");
	or_die(fflush_unlocked(f), "fflush_unlocked");
	or_die(putw(1, f), "putw");
	wrote(f, 17);
}

/* More than the buffer holds goes around it. */
static void larger_than_buffer(void)
{
	static char buffer[128], much[1000];
	FILE *f = ptr_or_die(fopen(in_folder("in"), "r"), "fopen");

	or_die(setvbuf(f, buffer, _IOFBF, sizeof(buffer)), "setvbuf");
	or_die(fread(much, 1, sizeof(much), f) == sizeof(much) ? 0 : -1, "fread");
	/* Whole blocks at once, then the buffer for the rest. */
	expect_bytes("read", in_folder("in"), IN_SIZE);
	f = out("w");
	setbuffer(f, buffer, sizeof(buffer));
	or_die(fwrite(much, 1, sizeof(much), f) == sizeof(much) ? 0 : -1, "fwrite");
	wrote(f, sizeof(much));
}

static void line_buffered(void)
{
	FILE *f = out("w");

	setlinebuf(f);
	or_die(fputs("abc\n", f), "fputs");
	or_die(fputs("lost", f), "fputs");
	expect_bytes("write", in_folder("out"), 4);
	_exit(0);
}

static void by_vdprintf(int fd, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	or_die(vdprintf(fd, format, args), "vdprintf");
	va_end(args);
}

static void to_descriptors(void)
{
	int fd = open_out("out");

	or_die(dprintf(fd, "%s\n", "four"), "dprintf");
	by_vdprintf(fd, "%d", 12);
	expect_bytes("write", in_folder("out"), 7);
}

static void places(void)
{
	FILE *f = in();
	fpos_t at;
	fpos64_t at64;

	or_die(fgetpos(f, &at), "fgetpos");
	or_die(fgetpos64(f, &at64), "fgetpos64");
	or_die(fgetc(f), "fgetc");
	or_die(fseeko(f, 4, SEEK_CUR) || fseeko64(f, 4, SEEK_CUR) ? -1 : 0, "fseeko");
	or_die(fsetpos(f, &at) || fsetpos64(f, &at64) ? -1 : 0, "fsetpos");
	or_die(ftello(f) || ftello64(f) || ftell(f) ? -1 : 0, "ftello");
	/* Whether a place inside of the buffer is read again is libc's business. */
	expect_bytes("read", in_folder("in"), -1);
}

static void by_vprintf(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	or_die(vprintf(format, args), "vprintf");
	va_end(args);
}

/* Where expectations go: they are printed before it is moved. */
static void to_standard_output(void)
{
	expect_made(in_folder("out"), 12);
	ptr_or_die(freopen(in_folder("out"), "w", stdout), "freopen");
	or_die(printf("%d\n", 123), "printf");
	by_vprintf("%s", "ab");
	or_die(puts("abc"), "puts");
	or_die(putchar('d'), "putchar");
	or_die(putchar_unlocked('e'), "putchar_unlocked");
	/* Flushed by exit(3). */
}

static void to_standard_error(void)
{
	expect_made(in_folder("out"), -1);
	ptr_or_die(freopen(in_folder("out"), "w", stderr), "freopen");
	perror("some");
	psignal(9, "other");
}

static void all_closed(void)
{
	or_die(fputs("abcd", out("w")), "fputs");
	expect_bytes("write", in_folder("out"), 4);
	or_die(fflush(NULL), "fflush");
	or_die(fcloseall(), "fcloseall");
}

/* A stream that becomes another file's. */
static void opened_again(void)
{
	FILE *f = out("w");

	or_die(fputs("abc", f), "fputs");
	f = ptr_or_die(freopen(in_folder("in"), "r", f), "freopen");
	or_die(fgetc(f), "fgetc");
	expect_bytes("write", in_folder("out"), 3);
	expect_bytes("read", in_folder("in"), IN_SIZE);
	f = ptr_or_die(freopen(NULL, "r", f), "freopen");
	or_die(fclose(f), "fclose");
}

static const struct mode modes[] = {
	{ "fread", by_fread }, { "fread_unlocked", by_fread_unlocked }, { "fgets", by_fgets },
	{ "fgetc", by_fgetc }, { "getc", by_getc }, { "getc_unlocked", by_getc_unlocked },
	{ "getline", by_getline }, { "fscanf", by_fscanf }, { "getchar", by_getchar },
	{ "unbuffered-read", unbuffered_read }, { "after-seek", after_seek },
	{ "fwrite", by_fwrite }, { "fwrite-much", by_fwrite_much }, { "fputs", by_fputs },
	{ "fputc", by_fputc }, { "fprintf", by_fprintf },
	{ "unbuffered-write", unbuffered_write }, { "flushed-then-gone", flushed_then_gone },
	{ "never-closed", never_closed }, { "append", appended }, { "exclusive", exclusive },
	{ "update", updated }, { "fdopen", by_fdopen }, { "vfscanf", by_vfscanf },
	{ "scanf", by_scanf }, { "getdelim", by_getdelim }, { "getw", by_getw },
	{ "reads-unlocked", reads_unlocked }, { "writes-unlocked", writes_unlocked },
	{ "larger-than-buffer", larger_than_buffer }, { "line-buffered", line_buffered },
	{ "to-descriptors", to_descriptors }, { "places", places },
	{ "to-standard-output", to_standard_output }, { "to-standard-error", to_standard_error },
	{ "all-closed", all_closed }, { "opened-again", opened_again }, { NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
