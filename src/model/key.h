/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_MODEL_KEY_H
#define PROV_MODEL_KEY_H
#include <stdint.h>

#include "model/model.h"
/*
 * The canonical keys that ids are made of (doc/design.md, identity). Everybody
 * who names the same thing must come through here.
 *
 *   execution  boot id, process id, start of the image on the boot clock
 *   object     file system, inode, birth time, and whether it is a directory, a symbolic
 *              link or something else: a number that is used again within a tick
 *              of the clock has the same birth. A shared file system (nfs,
 *              lustre, gpfs, beegfs, ceph, fuse.*) is its type and source,
 *              equal on all nodes; a local one is the machine and its fsid;
 *              what dies with the boot (tmpfs, pipes, sockets) adds the boot id.
 *   user       name and host
 */
struct id execution_id_of(const char *boot, uint32_t pid, int64_t start);
struct id object_id_of(const char *fs, enum object_kind kind, uint64_t ino, int64_t btime);
struct id user_id_of(const char *user, const char *host);
struct id run_id_new(void);		/* random */

const char *key_boot(void);		/* /proc/sys/kernel/random/boot_id */
/* Whose CLOCK_MONOTONIC orders what a run does: the boot, in a time namespace
 * with its offset. */
const char *key_clock(void);
const char *key_host(void);		/* host name */
const char *key_machine(void);		/* /etc/machine-id, else the host name */

/* The text that stands for the file system with this device number (as in
 * st_dev), from /proc/self/mountinfo; what is not mounted (pipes, sockets)
 * gets a text too. Never NULL. Valid until the process ends. Any thread. */
const char *fs_of_device(uint64_t dev);

/* The object a path is now (symlinks followed): id and kind, size, times.
 * -ENOENT and others as stat(2) does, without fail_text(). */
int object_of_path(const char *path, struct object *out);
/* Likewise for the name itself, not what a symlink points to. */
int object_of_name(const char *path, struct object *out);
/* As object_of_path(), but without the id; any thread may ask. */
int object_stat(const char *path, struct object *out);
/* Is what is open as fd the same, with the same size and time, as object_stat()
 * said? Any thread may ask. */
bool object_is_still(int fd, const struct object *o);
enum object_kind object_kind_of_mode(uint32_t mode);
#endif
