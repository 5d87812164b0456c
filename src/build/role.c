/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* role.c - which programs are shells, launchers of parallel programs, helpers */
#include "build/role.h"

#include <fnmatch.h>
#include <string.h>

#include "base/conf.h"
#include "base/path.h"

/* Names of program files; longer ones of a program with a version match too,
 * "python" also python3.11. Of equal names the first row counts. */
static const struct row {
	enum role role;
	const char *names;
} rows[] = {
	/* Open MPI 4 and 5, MPICH and Intel MPI, Slurm, PBS, LSF, Cray, Flux */
	{ ROLE_LAUNCHER, "mpirun mpiexec mpiexec.hydra mpiexec.mpich mpirun.mpich mpiexec.openmpi "
			 "mpirun.openmpi orterun oshrun prterun prun srun aprun jsrun ibrun" },
	{ ROLE_PROXY, "orted prte prted hydra_pmi_proxy hydra_bstrap_proxy hydra_nameserver "
		      "pmi_proxy slurmstepd pbs_mom pbs_attach flux-shell apshepherd" },
	{ ROLE_SHELL, "sh bash dash ash zsh ksh ksh93 mksh csh tcsh fish busybox" },
	{ ROLE_SHELL, "python pypy perl ruby R Rscript java node lua luajit tclsh wish php julia "
		      "octave octave-cli matlab MATLAB guile" },
	{ ROLE_SHELL, "make gmake ninja cmake ctest xargs find parallel" },
	{ ROLE_SHELL, "env nice nohup time timeout setsid stdbuf taskset numactl ionice chrt flock "
		      "catchsegv strace ltrace gdb perf valgrind watch script expect prov" },
	{ ROLE_SHELL, "sudo su runuser setpriv login sshd cron crond atd systemd tmux screen "
		      "ssh rsh qrsh blaunch" },
	{ ROLE_SHELL, "unshare nsenter chroot bwrap apptainer singularity "
		      "conmon runc crun podman docker ch-run fakeroot" },
	{ ROLE_HELPER,
	  "[ arch awk gawk mawk original-awk basename bzcat bzip2 cat cksum cmp comm "
	  "cut date df dirname du echo egrep expr false fgrep file fold getconf getent "
	  "getopt grep gunzip gzip head hexdump hostname id join ldconfig ldd locale logname "
	  "ls lscpu md5sum mktemp nl nproc od paste pgrep printenv printf ps "
	  "pwd readlink realpath rev sed seq sha1sum sha256sum sort stat stty tac tail tee test "
	  "tr tput tty uname uniq uptime wc which whoami xz xzcat zcat zstd zstdcat" },
};

/* "python3.11" is a python, "python-config" is not. */
static bool name_matches(const char *word, size_t n, const char *name)
{
	return !strncmp(word, name, n) && !name[n + strspn(name + n, "0123456789.")];
}

static bool row_has(const char *names, const char *name)
{
	for (const char *p = names; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");

		if (*p == *name && name_matches(p, n, name))
			return true;
		p += n;
	}
	return false;
}

/* Does a name match one of the patterns of a setting? */
static bool setting_has(const char *setting, const char *name)
{
	const char *p = conf_text(setting);
	char word[256];

	for (p += strspn(p, " \t,"); *p; p += strspn(p, " \t,")) {
		size_t n = strcspn(p, " \t,");

		if (n < sizeof(word)) {
			memcpy(word, p, n);
			word[n] = 0;
			if (!fnmatch(word, name, 0))
				return true;
		}
		p += n;
	}
	return false;
}

static enum role role_of_name(const char *name)
{
	if (setting_has("launchers", name))
		return ROLE_LAUNCHER;
	if (setting_has("shells", name))
		return ROLE_SHELL;
	if (setting_has("helpers", name))
		return ROLE_HELPER;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (row_has(rows[i].names, name))
			return rows[i].role;
	return ROLE_TOOL;
}

enum role role_of(const char *exe, const char *argv0)
{
	enum role role = ROLE_TOOL;

	if (exe && exe[0])
		role = role_of_name(path_base(exe));
	/* prterun called as mpirun, busybox called as sed; a login shell is "-bash" */
	if (argv0 && argv0[0] == '-')
		argv0++;
	if (argv0 && argv0[0] &&
	    (role == ROLE_TOOL || !strcmp(path_base(exe ? exe : ""), "busybox")))
		role = role_of_name(path_base(argv0));
	return role;
}
