/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* redact.c - what looks like a secret */
#include "aggregate/redact.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define MARK "[redacted]"

/* Parts of names whose values are secrets; compared without case, with '-' and
 * '_' as the same. */
static const char *const secret_names[] = {
	"password",   "passwd",   "passphrase", "secret",      "token",
	"apikey",     "api-key",  "access-key", "accesskey",   "private-key",
	"credential", "auth-key", "authkey",    "session-key", "signature",
	"bearer",     "cookie",   "pwd=",       "pass=",
};

/* Beginnings of tokens that services hand out, and how long they are at least. */
static const struct {
	const char *prefix;
	size_t least;
} token_shapes[] = {
	{ "AKIA", 20 },  { "ASIA", 20 },        { "ghp_", 36 },   { "gho_", 36 },
	{ "ghs_", 36 },  { "github_pat_", 40 }, { "glpat-", 20 }, { "xoxb-", 20 },
	{ "xoxp-", 20 }, { "hf_", 30 },         { "sk-", 24 },    { "eyJ", 40 },
	{ "ya29.", 20 }, { "npm_", 36 },        { "pypi-", 40 },  { "AIza", 35 },
};

static char fold(char c)
{
	return c == '_' ? '-' : (char)tolower((unsigned char)c);
}

static bool name_has(const char *name, size_t n, const char *part, size_t part_size)
{
	for (size_t i = 0; i + part_size <= n; i++) {
		size_t k = 0;

		while (k < part_size && fold(name[i + k]) == fold(part[k]))
			k++;
		/* "token", but not "tokens" or "tokenizer" */
		if (k == part_size && !(i + k < n && isalpha((unsigned char)name[i + k])))
			return true;
	}
	return false;
}

static bool name_is_secret(const char *name, size_t n, const char *extra)
{
	for (size_t i = 0; i < sizeof(secret_names) / sizeof(secret_names[0]); i++)
		if (name_has(name, n, secret_names[i], strlen(secret_names[i])))
			return true;
	while (*extra) {
		size_t len = strcspn(extra, ", ");

		if (len && name_has(name, n, extra, len))
			return true;
		extra += len + (extra[len] != 0);
	}
	return false;
}

static bool is_token_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.' || c == '+' ||
	       c == '/' || c == '=';
}

static size_t token_size(const char *p)
{
	for (size_t i = 0; i < sizeof(token_shapes) / sizeof(token_shapes[0]); i++) {
		size_t n = strlen(token_shapes[i].prefix);

		if (strncmp(p, token_shapes[i].prefix, n))
			continue;
		while (is_token_char(p[n]))
			n++;
		if (n >= token_shapes[i].least)
			return n;
	}
	return 0;
}

/* "scheme://user:secret@host": where the secret is, 0 if it is not that. */
static size_t url_secret(const char *p, size_t *from)
{
	size_t at, colon = 0;

	if (strncmp(p, "://", 3))
		return 0;
	for (at = 3; p[at] && !strchr("/?# \t\n'\"", p[at]); at++) {
		if (p[at] == ':' && !colon)
			colon = at;
		if (p[at] == '@' && colon) {
			*from = colon + 1;
			return at - colon - 1;
		}
	}
	return 0;
}

/* "Bearer XXX", "Basic XXX" in any case: size of XXX, its start in *from. */
static size_t header_secret(const char *p, size_t *from)
{
	size_t n = !strncasecmp(p, "bearer ", 7) ? 7 : !strncasecmp(p, "basic ", 6) ? 6 : 0;
	size_t at = n;

	if (!n)
		return 0;
	while (is_token_char(p[at]))
		at++;
	*from = n;
	return at - n >= 8 ? at - n : 0;
}

/* "name=value" and "name: value" inside longer text, name saying secret: the
 * value up to a blank, quote, '&' or ';'. p is the start of a word. */
static size_t pair_secret(const char *p, const char *extra, size_t *from)
{
	size_t n = 0, at;

	while (isalnum((unsigned char)p[n]) || p[n] == '_' || p[n] == '-' || p[n] == '.')
		n++;
	if (!n || (p[n] != '=' && p[n] != ':') || !name_is_secret(p, n + 1, extra))
		return 0;
	at = n + 1;
	while (p[n] == ':' && p[at] == ' ')
		at++;
	if (p[at] == '"' || p[at] == '\'')
		at++;
	*from = at;
	while (p[at] && !strchr(" \t\n\"'&;", p[at]))
		at++;
	return at - *from;
}

/* "--password X" inside longer text, as in the script of "sh -c". */
static size_t option_secret(const char *p, const char *extra, size_t *from)
{
	size_t n = 0, at;

	if (p[0] != '-')
		return 0;
	while (isalnum((unsigned char)p[n]) || p[n] == '_' || p[n] == '-')
		n++;
	if (p[n] != ' ' || !name_is_secret(p, n, extra))
		return 0;
	for (at = n; p[at] == ' '; at++)
		;
	if (p[at] == '"' || p[at] == '\'')
		at++;
	*from = at;
	if (p[at] == '-')
		return 0;
	while (p[at] && !strchr(" \t\n\"';|&", p[at]))
		at++;
	return at - *from;
}

/* Copies one string with every secret inside it replaced. */
static size_t scrub(const char *s, const char *extra, struct buf *out)
{
	size_t count = 0;
	bool word = true;	/* does a word begin here? */

	while (*s) {
		size_t from = 0, n = word ? token_size(s) : 0;

		if (!n && word)
			n = header_secret(s, &from);
		if (!n && word)
			n = pair_secret(s, extra, &from);
		if (!n && word)
			n = option_secret(s, extra, &from);
		if (!n && s[0] == ':')
			n = url_secret(s, &from);
		if (n) {
			buf_append(out, s, from);
			buf_str(out, MARK);
			s += from + n;
			count++;
			word = false;
			continue;
		}
		word = !isalnum((unsigned char)*s) && *s != '_' && *s != '-';
		buf_char(out, *s++);
	}
	return count;
}

/* "--password X" and "-password X": the next argument is the secret. */
static bool takes_secret(const char *arg, const char *extra)
{
	return arg[0] == '-' && arg[1] && !strchr(arg, '=') &&
	       name_is_secret(arg, strlen(arg), extra);
}

size_t redact_argv(const struct strings *argv, const char *extra, struct buf *out)
{
	const char *arg = NULL, *before = NULL;
	size_t count = 0;

	while ((arg = strings_next(argv, arg))) {
		const char *eq = strchr(arg, '=');

		if (before && takes_secret(before, extra) && arg[0] && arg[0] != '-') {
			buf_str(out, MARK);
			count++;
		} else if (eq && arg[0] == '-' &&
			   name_is_secret(arg, (size_t)(eq - arg) + 1, extra)) {
			buf_append(out, arg, (size_t)(eq - arg) + 1);
			buf_str(out, MARK);
			count++;
		} else {
			count += scrub(arg, extra, out);
		}
		buf_char(out, 0);
		before = arg;
	}
	return count;
}

size_t redact_environ(const struct strings *env, const char *extra, struct buf *out)
{
	const char *var = NULL;
	size_t count = 0;

	while ((var = strings_next(env, var))) {
		const char *eq = strchr(var, '=');

		if (eq && eq[1] && name_is_secret(var, (size_t)(eq - var), extra)) {
			buf_append(out, var, (size_t)(eq - var) + 1);
			buf_str(out, MARK);
			count++;
		} else {
			count += scrub(var, extra, out);
		}
		buf_char(out, 0);
	}
	return count;
}
