/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* main.c - finds the command, lets it work, delivers what it says */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/conf.h"
#include "base/err.h"
#include "ingest/ingest.h"
#include "prov/output.h"
#include "record/recorder.h"

/* Descriptors 0 to 2 are taken whatever the caller closed, so that no store or
 * journal ever opens as stdout; a program that is run finds them closed still. */
static void hold_standard_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

static const char *name_at(const void *unused, size_t i)
{
	const struct command *command = command_at(i);

	(void)unused;
	return command ? command->name : NULL;
}

static int unknown_command(const struct context *c, const char *word)
{
	const char *near = word[0] == '-' ? NULL : suggest(word, name_at, NULL);

	if (near)
		return context_usage(c, "there is no command '%s'; did you mean '%s'?", word, near);
	return context_usage(c, "there is no %s '%s'", word[0] == '-' ? "option" : "command", word);
}

static int finish(struct context *c, int status)
{
	int r;

	store_close(c->store);
	c->store = NULL;
	/* a "no" writes no file in place of an answer */
	if (status != EXIT_YES && (status != EXIT_NO || c->output))
		return status;
	r = output_deliver(c);
	if (r == -EPIPE) {
		/* whoever ignores SIGPIPE still sees the status it stands for */
		(void)signal(SIGPIPE, SIG_DFL);
		(void)raise(SIGPIPE);
	}
	return r < 0 ? context_trouble(c) : status;
}

/* Takes in what runs that were killed left behind, and says so. What cannot be
 * taken in now is no reason not to answer. */
static void recover(const struct context *c)
{
	struct recorder_place place;
	struct arena memory = { 0 };
	struct buf messages = { 0 };

	if (recorder_place_own(&memory, &place) == 0)
		(void)spool_recover(place.spool, place.store, false, &messages);
	for (const char *line = messages.data; line && *line;) {
		size_t n = strcspn(line, "\n");

		context_say(c, "%.*s", (int)n, line);
		line += n + (line[n] != 0);
	}
	arena_release(&memory);
	buf_release(&messages);
}

static int run_command(struct context *c, int argc, char **argv)
{
	int ret;

	if (conf_load() < 0) {
		c->conf_error = arena_str(&c->arena, fail_text());
		if (!(c->command->flags & COMMAND_ANY_CONF)) {
			context_say(c, "%s", c->conf_error);
			return EXIT_TROUBLE;
		}
	}
	output_look(c);
	if (c->command->flags & COMMAND_READS) {
		/* ulimit -f must come back as an error to be told */
		(void)signal(SIGXFSZ, SIG_IGN);
		recover(c);
	}
	ret = c->command->main(c, argc, argv);
	return finish(c, ret);
}

int main(int argc, char **argv)
{
	struct context c = { .pager = true };
	int at = 1, ret;

	hold_standard_fds();
	(void)setlocale(LC_CTYPE, "");
	if (at < argc && !strcmp(argv[at], "--no-pager")) {
		c.pager = false;
		at++;
	}
	if (at == argc) {
		command_list(&c.out);
		(void)fwrite(c.out.data, 1, c.out.size, stderr);
		ret = EXIT_USAGE;
	} else {
		const char *word = argv[at];

		if (!strcmp(word, "--help") || !strcmp(word, "-h"))
			word = "help";
		else if (!strcmp(word, "--version"))
			word = "version";
		c.command = command_find(word);
		ret = c.command ? run_command(&c, argc - at, argv + at) : unknown_command(&c, word);
	}
	conf_release();
	buf_release(&c.out);
	arena_release(&c.arena);
	return ret;
}
