/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_BASE_CONF_H
#define PROV_BASE_CONF_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/*
 * Settings. Each has one row in the table of conf.c: name, default, one line
 * of help. Later sources win: the default, /etc/prov/prov.conf,
 * /etc/prov/conf.d/ (*.conf, by name), $XDG_CONFIG_HOME/prov/config, the
 * environment (PROV_STORE for "store", PROV_HASH_MAX for "hash.max", ...),
 * then the command line. Files are INI: "[hash]" and "max = 64M" is hash.max.
 * $PROV_ETC, when it is an absolute path, stands for /etc/prov.
 */
struct conf_entry {
	const char *name, *help, *fallback;
	const char *value;	/* in force */
	const char *origin;	/* "default", a file with its line, "PROV_STORE", "command line" */
};

/* Reads all sources once. 0, or -EINVAL with fail_text() naming file and line;
 * everything else keeps its value then. */
int conf_load(void);
/* Likewise for a service: no file of the user that it runs as. May be repeated while
 * other threads read settings; when something is wrong all keep their values. */
int conf_load_node(void);
void conf_release(void);
int conf_set(const char *name, const char *value, const char *origin);
const char *conf_text(const char *name);	/* never NULL; unknown names are a bug (assert) */
int64_t conf_size(const char *name);		/* "64M", "1G"; checked when set */
int64_t conf_int(const char *name);
bool conf_bool(const char *name);
const struct conf_entry *conf_at(size_t i);	/* NULL after the last */
#endif
