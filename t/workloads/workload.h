/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef WORKLOAD_H
#define WORKLOAD_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
/*
 * A workload makes calls in one folder and prints, one line each, what a
 * recorder must say of them: the process, the kind, and up to two fields,
 * separated by tabs. Called as "program MODE FOLDER"; "program" alone lists
 * its modes. The folder holds "in" and "old" of IN_SIZE bytes in lines of
 * LINE_SIZE, made by others before. A call that fails ends the program with
 * exit status 99, one this machine cannot do (cannot()) with 77.
 */
#define IN_SIZE 1024
#define LINE_SIZE 16

struct mode {
	const char *name;
	void (*run)(void);
};

int workload(int argc, char **argv, const struct mode *modes);

extern char *workload_self;	/* absolute path of the program */
extern volatile size_t some;	/* 100, but the compiler does not know */
extern char room[4096];

/* Absolute path of a name in the folder; stays valid for 16 further calls. */
const char *in_folder(const char *name);

char *folder_arg(void);	/* the folder as an argument for this program */

void expect_bytes(const char *kind, const char *path, long n);	/* read, write; -1: any number */
void expect_file(const char *kind, const char *path);	/* create, truncate */
void expect_name(const char *kind, const char *from, const char *to);
void expect_for(pid_t pid, const char *kind, const char *a, const char *b);
void expect_end(pid_t pid, int wait_status);
void expect_parent(pid_t child, pid_t parent);
void expect_exec(pid_t pid, char *const argv[]);
/* The usual case: created, then n bytes written. */
void expect_made(const char *path, long n);

/* Return what they are given unless it is a failure. */
int fd_or_die(int fd, const char *what);
long or_die(long result, const char *what);
void *ptr_or_die(void *p, const char *what);
_Noreturn void cannot(const char *why);

int open_in(void);		/* "in", for reading */
int open_out(const char *name);	/* made anew, for writing; expects create */
void put_bytes(int fd, const char *name, size_t n);	/* writes, and expects it */
/* Waits for the child, expects its end, returns its wait status. */
int wait_for(pid_t child);
#endif
