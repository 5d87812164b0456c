/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_BUILD_ROLE_H
#define PROV_BUILD_ROLE_H
#include "model/model.h"
/*
 * What a program is to those it starts, told by its name. The settings
 * "shells", "launchers" and "helpers" add names or patterns.
 */
enum role {
	ROLE_TOOL,     /* none of the following: does its work, with helpers of its own */
	ROLE_SHELL,    /* starts what its user asks for: shells, interpreters, make, env, ... */
	ROLE_LAUNCHER, /* starts the ranks of a parallel program, as a user's command */
	ROLE_PROXY,    /* does so for a launcher; no user types it */
	ROLE_HELPER,   /* a small utility, of which scripts take the output */
};

/* By the program file and by the name it was called, which may be NULL. */
enum role role_of(const char *exe, const char *argv0);

#endif
