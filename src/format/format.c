/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* format.c - the formats there are */
#include "format/format.h"

#include <string.h>
#include <strings.h>

#include "format/writers.h"

static const struct format_ops *const formats[] = {
	&format_text_ops, &format_json_ops, &format_prov_json_ops, &format_dot_ops, &format_svg_ops,
};

/* Names besides each format's own suffix; longer ones first. */
static const struct {
	const char *suffix;
	const struct format_ops *format;
} suffixes[] = {
	{ ".prov.json", &format_prov_json_ops },
	{ ".provjson", &format_prov_json_ops },
	{ ".json", &format_json_ops },
	{ ".dot", &format_dot_ops },
	{ ".svg", &format_svg_ops },
	{ ".txt", &format_text_ops },
	{ ".gv", &format_dot_ops },
};

const struct format_ops *format_at(size_t i)
{
	return i < sizeof(formats) / sizeof(formats[0]) ? formats[i] : NULL;
}

const struct format_ops *format_find(const char *name)
{
	const struct format_ops *f;

	for (size_t i = 0; (f = format_at(i)); i++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

const struct format_ops *format_for_file(const char *path)
{
	size_t n = strlen(path);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t s = strlen(suffixes[i].suffix);

		if (n > s && !strcasecmp(path + n - s, suffixes[i].suffix))
			return suffixes[i].format;
	}
	return NULL;
}
