/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_ENGINE_TOLD_IMAGE_H
#define PROV_ENGINE_TOLD_IMAGE_H
#include "base/arena.h"
#include "engine/told.h"
#include "engine/told_file.h"
/* The images of a session as the kernel told of them; private to told*.c. */
struct told_name {
	uint64_t start;
	uint32_t pid, pad;	/* names are compared as bytes */
};

struct told_file {
	uint64_t id;
	struct thing *thing;
	uint32_t flags;		/* enum kernel_path */
};

struct told_image {
	struct told_name name;
	struct told_name parent;
	uint32_t ppid, uid, how;
	bool started;		/* START was handed over */
	struct buf exe, cwd, env;
	struct told_file *files;	/* in order of id */
	size_t n_files, file_room;
	uint64_t lost, nameless;
	int64_t ended;		/* 0: runs */
};

/* What the child of a vfork opened: for the program that it becomes. */
struct told_early {
	uint32_t pid, flags;
	struct thing *thing;
	struct kernel_counts n;
};

struct told {
	struct arena memory;
	struct strings env_allow;
	struct map images;	/* told_name -> struct told_image */
	struct things things;
	struct event event;	/* being made */
	struct told_early *earlies;
	size_t n_earlies, early_room;
	uint64_t fuzz, lost, lost_records;
	uint32_t mount_ns;	/* as struct kernel_name has it: prov's own */
	unsigned ending;	/* images that have ended, but for threads that tell late */
	bool touches;		/* calls that change names tell which objects they touch */
};

/* NULL: nobody that is known. */
struct told_image *told_image_of(struct told *t, const struct kernel_head *h);
void told_image_begin(struct told *t, const struct kernel_image *r, const struct engine_sink *sink);
void told_image_text(struct told *t, const struct kernel_piece *r, const struct engine_sink *sink);
void told_image_file(struct told_image *im, uint64_t id, struct thing *one, uint32_t flags);
const struct told_file *told_image_find(const struct told_image *im, uint64_t id);
void told_image_losses(struct told *t, struct told_image *im, const struct engine_sink *sink);
void told_image_end(struct told *t, struct told_image *im, int64_t when, bool replaced,
		    const struct engine_sink *sink);
void told_image_destroy(struct told *t, struct told_image *im);

void told_early(struct told *t, uint32_t pid, const struct told_file *f,
		const struct kernel_counts *n);
/* The child has become im, or ended as part of it. */
void told_hand_early(struct told *t, const struct told_image *im, uint32_t pid, uint64_t when,
		     const struct engine_sink *sink);

/* Hands over a wire record: fixed part, then up to two texts. */
void told_hand(struct told *t, const struct told_image *im, const void *fixed, size_t size,
	       const char *one, size_t one_size, const char *two, size_t two_size,
	       const struct engine_sink *sink);
void told_hand_open(struct told *t, const struct told_image *im, const struct kernel_head *h,
		    const struct told_file *f, const struct kernel_counts *n,
		    const struct engine_sink *sink);
void told_hand_name(struct told *t, const struct kernel_name *r, const struct engine_sink *sink);
void told_name(struct told *t, const char *path, struct thing *one);
#endif
