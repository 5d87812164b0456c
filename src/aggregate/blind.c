/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* blind.c - why a program could not be entered */
#include "aggregate/blind.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/path.h"

enum elf_sort { ELF_NOT, ELF_DYNAMIC, ELF_STATIC, ELF_MUSL, ELF_OTHER };

static bool interpreter_is_musl(int fd, const Elf64_Phdr *ph)
{
	char name[256] = { 0 };

	if (ph->p_filesz == 0 || ph->p_filesz >= sizeof(name) ||
	    pread(fd, name, ph->p_filesz, (off_t)ph->p_offset) != (ssize_t)ph->p_filesz)
		return false;
	return strstr(name, "ld-musl") != NULL;
}

static enum elf_sort elf_sort_of(int fd)
{
	Elf64_Ehdr h;
	Elf64_Phdr ph;

	if (pread(fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h) || memcmp(h.e_ident, ELFMAG, SELFMAG))
		return ELF_NOT;
	if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_phentsize != sizeof(ph))
		return ELF_OTHER;
	for (unsigned i = 0; i < h.e_phnum; i++) {
		if (pread(fd, &ph, sizeof(ph), (off_t)(h.e_phoff + i * sizeof(ph))) !=
		    (ssize_t)sizeof(ph))
			break;
		if (ph.p_type == PT_INTERP)
			return interpreter_is_musl(fd, &ph) ? ELF_MUSL : ELF_DYNAMIC;
	}
	return ELF_STATIC;
}

static bool is_prov(const char *path)
{
	struct stat own, other;

	return stat("/proc/self/exe", &own) == 0 && stat(path, &other) == 0 &&
	       own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

const char *blind_reason(struct arena *a, const char *path, const char **kind)
{
	const char *name = path_base(path);
	enum elf_sort sort;
	struct stat st;
	char first[2] = { 0 };
	int fd;

	*kind = NULL;
	if (is_prov(path))
		return "prov records its own runs";
	*kind = "blind";
	if (stat(path, &st) == 0 && (st.st_mode & (S_ISUID | S_ISGID) ||
				     getxattr(path, "security.capability", NULL, 0) > 0))
		return arena_printf(a, "%s runs with more privileges than its user; "
				    "it cannot be entered", name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return arena_printf(a, "%s started but did not report; its file cannot be read",
				    name);
	sort = elf_sort_of(fd);
	(void)!pread(fd, first, sizeof(first), 0);
	(void)close(fd);
	switch (sort) {
	case ELF_STATIC:
		return arena_printf(a, "%s is statically linked; what it did is not seen", name);
	case ELF_MUSL:
		return arena_printf(a, "%s uses another C library (musl); what it did is not seen",
				    name);
	case ELF_OTHER:
		return arena_printf(a, "%s is for another processor or word size; "
				    "what it did is not seen", name);
	case ELF_NOT:
		if (!memcmp(first, "#!", 2))
			return arena_printf(a, "the interpreter of %s could not be entered", name);
		return arena_printf(a, "%s started but did not report", name);
	case ELF_DYNAMIC:
		break;
	}
	return arena_printf(a, "%s started but did not report: "
			    "it ended in the loader, or its environment was replaced", name);
}
