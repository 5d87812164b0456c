// SPDX-License-Identifier: Apache-2.0
// Copyright the prov authors
// injector.cc - an injector that writes a record of every call, for comparison
//
// Each read and write resolves the path of its descriptor, takes a lock, and
// appends time, kind and path to a queue that is written out when the program
// ends. NO_RECORD leaves all of that out, NO_LOCK the lock, NO_PATH the path.
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <queue>
#include <string>
#include <unistd.h>

namespace {

#ifndef NO_RECORD
struct operation {
	std::int64_t when;
	const char *kind;
	std::string path;
};

struct store {
	std::mutex lock;
	std::queue<operation> operations;

	~store()
	{
		const char *name = std::getenv("INJECTOR_OUT");
		std::FILE *out = name ? std::fopen(name, "w") : nullptr;

		for (; out && !operations.empty(); operations.pop())
			std::fprintf(out, "{\"op\":\"%s\",\"ts\":%ld,\"path\":\"%s\"}\n",
				     operations.front().kind, operations.front().when,
				     operations.front().path.c_str());
		if (out)
			std::fclose(out);
	}
};

store kept;

std::string path_of(int fd)
{
#ifdef NO_PATH
	return std::to_string(fd);
#else
	char target[4096];
	ssize_t n = readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), target,
			     sizeof(target));

	return n > 0 ? std::string(target, static_cast<std::size_t>(n)) : std::string();
#endif
}

void note(const char *kind, int fd)
{
	const int before = errno;
	const auto now = std::chrono::system_clock::now().time_since_epoch();
	operation made{std::chrono::nanoseconds(now).count(), kind, path_of(fd)};

#ifndef NO_LOCK
	std::lock_guard<std::mutex> hold(kept.lock);
#endif
	kept.operations.push(std::move(made));
	errno = before;
}
#else
void note(const char *, int)
{
}
#endif

template <typename F> F next(const char *name)
{
	return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

} // namespace

extern "C" ssize_t read(int fd, void *p, size_t n)
{
	static const auto real = next<ssize_t (*)(int, void *, size_t)>("read");
	ssize_t r = real(fd, p, n);

	note("READ", fd);
	return r;
}

extern "C" ssize_t write(int fd, const void *p, size_t n)
{
	static const auto real = next<ssize_t (*)(int, const void *, size_t)>("write");
	ssize_t r = real(fd, p, n);

	note("WRITE", fd);
	return r;
}

extern "C" ssize_t pread64(int fd, void *p, size_t n, off64_t at)
{
	static const auto real = next<ssize_t (*)(int, void *, size_t, off64_t)>("pread64");
	ssize_t r = real(fd, p, n, at);

	note("READ", fd);
	return r;
}

extern "C" ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at)
{
	static const auto real = next<ssize_t (*)(int, const void *, size_t, off64_t)>("pwrite64");
	ssize_t r = real(fd, p, n, at);

	note("WRITE", fd);
	return r;
}
