/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* conf.c - settings, and where each value came from */
#include "base/conf.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <ini.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum conf_kind { TEXT, BOOL, SIZE, WHEN, LEVEL, SERVICE, ATTACH, SCOPE };

#define ROW(kind_, name_, fallback_, help_)                                                        \
	{                                                                                          \
		.kind = (kind_), .entry = {                                                        \
			.name = (name_),                                                           \
			.fallback = (fallback_),                                                   \
			.help = (help_),                                                           \
			.value = (fallback_),                                                      \
			.origin = "default"                                                        \
		}                                                                                  \
	}

static struct setting {
	enum conf_kind kind;
	struct conf_entry entry;
} settings[] = {
	ROW(TEXT, "store", "", "file that holds the records; empty: $XDG_STATE_HOME/prov/prov.db"),
	ROW(SERVICE, "node", "auto",
	    "node service that is asked too: auto, off or the path of its socket"),
	ROW(TEXT, "fold", "", "path patterns that default views hide too, with commas"),
	ROW(TEXT, "shells", "",
	    "programs whose children are commands of their own too, with commas"),
	ROW(TEXT, "launchers", "", "programs that start the ranks of a parallel program too"),
	ROW(TEXT, "helpers", "", "utilities that default views credit to their shell too"),
	ROW(TEXT, "env.allow", "", "environment names or patterns recorded too, with commas"),
	ROW(TEXT, "redact", "", "name patterns whose values are redacted too, with commas"),
	ROW(TEXT, "engine", "auto", "how runs are recorded: auto, preload or ebpf"),
	ROW(LEVEL, "granularity", "first-last",
	    "how finely runs note accesses: all, first-last, open-close or off"),
	ROW(TEXT, "overhead.max", "0",
	    "percent that counting reads and writes may cost before runs note them more coarsely"),
	ROW(BOOL, "hash", "yes", "record the SHA-256 of files read and written, small ones first"),
	ROW(SIZE, "hash.max", "64M", "bytes hashed per run at most"),
	ROW(SIZE, "arena.max", "256M", "shared memory per run at most"),
	ROW(TEXT, "session.dir", "", "folder for session files; empty: a tmpfs that is writable"),
	ROW(TEXT, "pager", "less -FRX",
	    "command that shows output taller than the terminal; empty: none"),
	ROW(WHEN, "colour", "auto", "colours in text: auto, always or never"),
	ROW(TEXT, "provd.socket", "/run/prov/provd.sock", "where the node service listens"),
	ROW(TEXT, "provd.spool", "/var/spool/prov", "folder of the node service's journals"),
	ROW(TEXT, "provd.stores", "/var/lib/prov", "folder of the node service's stores"),
	ROW(TEXT, "provd.touch", "/run/prov/granularity",
	    "folder where touching a file named as a granularity switches the node"),
	ROW(TEXT, "provd.session", "/run/prov", "folder of the node service's session files"),
	ROW(TEXT, "provd.uids", "1000-60000", "users whose programs the node records, with commas"),
	ROW(SCOPE, "provd.scope", "all", "what the node records of them: all, jobs or none"),
	ROW(TEXT, "provd.jobs",
	    "slurm:SLURM_JOB_ID,pbs:PBS_JOBID,lsf:LSB_JOBID,flux:FLUX_JOB_ID,sge:JOB_ID",
	    "SCHEDULER:VARIABLE that names a job, with commas; the first that is set counts"),
	ROW(TEXT, "provd.cgroups", "",
	    "patterns of control groups that are one job each, with commas"),
	ROW(TEXT, "provd.group", "", "group whose members may see and steer everything"),
	ROW(SIZE, "provd.memory", "512M", "memory of the node service at most; 0: no limit"),
	ROW(ATTACH, "provd.attach", "auto",
	    "kernel programs: auto (while something runs) or always"),
	ROW(LEVEL, "provd.granularity", "first-last", "how finely the node notes accesses"),
	ROW(TEXT, "provd.budget", "1",
	    "percent of a job's time that recording may cost; 0: no limit"),
	ROW(TEXT, "provd.metrics", "", "loopback ADDRESS:PORT for metrics over HTTP; empty: none"),
};

/* What entries point to once something was set. Kept, since threads of a service may
 * still read what SIGHUP replaces. */
static struct arena texts;

#define N_SETTINGS (sizeof(settings) / sizeof(settings[0]))

static struct setting *setting_find(const char *name)
{
	for (size_t i = 0; i < N_SETTINGS; i++)
		if (!strcmp(settings[i].entry.name, name))
			return &settings[i];
	return NULL;
}

/* "64M" to 67108864; -1 when it is no size. */
static int64_t size_of(const char *text)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;
	long long n;

	if (!isdigit((unsigned char)text[0]))
		return -1;
	errno = 0;
	n = strtoll(text, &end, 10);
	if (errno)
		return -1;
	if (*end && (unit = strchr(units, toupper((unsigned char)*end)))) {
		for (const char *u = units; u <= unit; u++) {
			if (n > INT64_MAX / 1024)
				return -1;
			n *= 1024;
		}
		end++;
		if (*end == 'B' || !strcmp(end, "iB"))
			end += strlen(end);
	}
	return *end ? -1 : n;
}

/* 1, 0, or -1 when it is neither. */
static int bool_of(const char *text)
{
	static const char *const yes[] = { "yes", "true", "on", "1" };
	static const char *const no[] = { "no", "false", "off", "0" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		if (!strcasecmp(text, yes[i]))
			return 1;
		if (!strcasecmp(text, no[i]))
			return 0;
	}
	return -1;
}

static const char *setting_complaint(const struct setting *s, const char *value)
{
	switch (s->kind) {
	case TEXT:
		return NULL;
	case BOOL:
		return bool_of(value) < 0 ? "is neither yes nor no" : NULL;
	case SIZE:
		return size_of(value) < 0
			       ? "is no size; write a number of bytes like 500000, 64M or 2G"
			       : NULL;
	case WHEN:
		return strcmp(value, "auto") && strcmp(value, "always") && strcmp(value, "never")
			       ? "is none of auto, always, never"
			       : NULL;
	case ATTACH:
		return strcmp(value, "auto") && strcmp(value, "always") ? "is none of auto, always"
									 : NULL;
	case SCOPE:
		return strcmp(value, "all") && strcmp(value, "jobs") && strcmp(value, "none")
			       ? "is none of all, jobs, none"
			       : NULL;
	case LEVEL:
		return strcmp(value, "all") && strcmp(value, "first-last") &&
				       strcmp(value, "open-close") && strcmp(value, "off")
			       ? "is none of all, first-last, open-close, off"
			       : NULL;
	case SERVICE:
		return strcmp(value, "auto") && strcmp(value, "off") && value[0] != '/'
			       ? "is none of auto, off, an absolute path"
			       : NULL;
	}
	return NULL;
}

int conf_set(const char *name, const char *value, const char *origin)
{
	struct setting *s = setting_find(name);
	const char *complaint;

	if (!s)
		return fail(EINVAL, "%s: there is no setting '%s': 'prov config' lists them",
			    origin, name);
	complaint = setting_complaint(s, value);
	if (complaint)
		return fail(EINVAL, "%s: %s: '%s' %s", origin, name, value, complaint);
	s->entry.value = arena_str(&texts, value);
	s->entry.origin = arena_str(&texts, origin);
	return 0;
}

/* The first complaint is kept and everything else is still read. */
struct loading {
	const char *path;
	FILE *file;
	int line;
	int status;
	char complaint[1024];
};

static void loading_fail(struct loading *l, int status)
{
	if (status == 0 || l->status < 0)
		return;
	l->status = status;
	snprintf(l->complaint, sizeof(l->complaint), "%s", fail_text());
}

static void origin_here(const struct loading *l, char *out, size_t size)
{
	snprintf(out, size, "%s:%d", l->path, l->line);
}

/* inih asks for lines through this, so that lines can be counted. It takes a
 * line that starts with a blank for more of the value before: not in our files. */
static char *read_line(char *out, int size, void *arg)
{
	struct loading *l = arg;
	size_t blanks, n;
	int c;

	if (!fgets(out, size, l->file))
		return NULL;
	l->line++;
	n = strlen(out);
	if (n + 1 == (size_t)size && out[n - 1] != '\n') {
		while ((c = getc(l->file)) != EOF && c != '\n')
			;
		loading_fail(l, fail(EINVAL,
				     "%s:%d: this line is longer than %d bytes: make it shorter",
				     l->path, l->line, size - 2));
		snprintf(out, (size_t)size, "\n");
		return out;
	}
	blanks = strspn(out, " \t");
	memmove(out, out + blanks, n - blanks + 1);
	return out;
}

static int take_pair(void *arg, const char *section, const char *name, const char *value)
{
	struct loading *l = arg;
	char full[256], origin[512];

	snprintf(full, sizeof(full), "%s%s%s", section, section[0] ? "." : "", name);
	origin_here(l, origin, sizeof(origin));
	loading_fail(l, conf_set(full, value, origin));
	return 1;
}

static void load_file(struct loading *l, const char *path)
{
	int bad;

	l->path = path;
	l->line = 0;
	l->file = fopen(path, "re");
	if (!l->file) {
		if (errno != ENOENT && errno != ENOTDIR)
			loading_fail(l, fail(EINVAL, "%s: cannot read the settings: %s", path,
					     strerror(errno)));
		return;
	}
	bad = ini_parse_stream(read_line, l, take_pair, l);
	if (ferror(l->file))
		loading_fail(
			l, fail(EINVAL, "%s: cannot read the settings: %s", path, strerror(errno)));
	else if (bad > 0)
		loading_fail(l, fail(EINVAL,
				     "%s:%d: this is neither [SECTION], NAME = VALUE nor a comment",
				     path, bad));
	fclose(l->file);
}

static int is_conf(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return d->d_name[0] != '.' && n > 5 && !strcmp(d->d_name + n - 5, ".conf");
}

static void load_below(struct loading *l, const char *dir, const char *rest,
		       void (*load)(struct loading *, const char *))
{
	struct buf path = { 0 };

	buf_printf(&path, "%s/%s", dir, rest);
	load(l, path.data);
	buf_release(&path);
}

static void load_folder(struct loading *l, const char *dir)
{
	struct dirent **list;
	int n = scandir(dir, &list, is_conf, alphasort);

	for (int i = 0; i < n; i++) {
		load_below(l, dir, list[i]->d_name, load_file);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

static void load_user_file(struct loading *l)
{
	const char *xdg = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	const struct passwd *pw;

	if (xdg && xdg[0] == '/') {
		load_below(l, xdg, "prov/config", load_file);
		return;
	}
	if (!home || home[0] != '/') {
		pw = getpwuid(getuid());
		home = pw ? pw->pw_dir : NULL;
	}
	if (home)
		load_below(l, home, ".config/prov/config", load_file);
}

static void load_environment(struct loading *l)
{
	for (size_t i = 0; i < N_SETTINGS; i++) {
		char name[64];
		const char *value;
		int n = snprintf(name, sizeof(name), "PROV_%s", settings[i].entry.name);

		for (int k = 0; k < n; k++)
			name[k] = (char)(name[k] == '.' ? '_' : toupper((unsigned char)name[k]));
		value = getenv(name);
		if (value && value[0])
			loading_fail(l, conf_set(settings[i].entry.name, value, name));
	}
}

static void load_site(struct loading *l)
{
	const char *etc = getenv("PROV_ETC");

	if (!etc || etc[0] != '/')
		etc = "/etc/prov";
	load_below(l, etc, "prov.conf", load_file);
	load_below(l, etc, "conf.d", load_folder);
}

int conf_load(void)
{
	struct loading l = { 0 };

	load_site(&l);
	load_user_file(&l);
	load_environment(&l);
	return l.status < 0 ? fail(-l.status, "%s", l.complaint) : 0;
}

int conf_load_node(void)
{
	struct conf_entry before[N_SETTINGS];
	struct loading l = { 0 };

	for (size_t i = 0; i < N_SETTINGS; i++) {
		struct conf_entry *e = &settings[i].entry;

		before[i] = *e;
		e->value = e->fallback;
		e->origin = "default";
	}
	load_site(&l);
	load_environment(&l);
	for (size_t i = 0; l.status < 0 && i < N_SETTINGS; i++)
		settings[i].entry = before[i];
	return l.status < 0 ? fail(-l.status, "%s", l.complaint) : 0;
}

void conf_release(void)
{
	for (size_t i = 0; i < N_SETTINGS; i++) {
		struct setting *s = &settings[i];

		s->entry.value = s->entry.fallback;
		s->entry.origin = "default";
	}
	arena_release(&texts);
}

const char *conf_text(const char *name)
{
	const struct setting *s = setting_find(name);

	assert(s);
	return s->entry.value;
}

int64_t conf_size(const char *name)
{
	return size_of(conf_text(name));
}

int64_t conf_int(const char *name)
{
	return strtoll(conf_text(name), NULL, 10);
}

bool conf_bool(const char *name)
{
	return bool_of(conf_text(name)) == 1;
}

const struct conf_entry *conf_at(size_t i)
{
	return i < N_SETTINGS ? &settings[i].entry : NULL;
}
