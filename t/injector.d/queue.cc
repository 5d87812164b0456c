// SPDX-License-Identifier: Apache-2.0
// Copyright the prov authors
// queue.cc - an injector that appends to a queue in memory on each read
//
// As small as one with this design can be: a static object with a constructor
// and a destructor, touched from whatever calls read(2) or fgets(3). With
// EXIT_WORK it also writes the queue out when the program calls _exit(2).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <queue>
#include <unistd.h>

namespace {

struct operation {
	std::uint64_t fd;
};

std::queue<operation> operations;
#ifdef EXIT_WORK
std::mutex guard;
#endif

void note(int fd)
{
#ifdef EXIT_WORK
	std::lock_guard<std::mutex> hold(guard);
#endif
	operations.push(operation{static_cast<std::uint64_t>(fd)});
}

template <typename F> F next(const char *name)
{
	return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

} // namespace

extern "C" ssize_t read(int fd, void *p, size_t n)
{
	static const auto real = next<ssize_t (*)(int, void *, size_t)>("read");
	ssize_t r = real(fd, p, n);

	note(fd);
	return r;
}

extern "C" char *fgets(char *s, int n, FILE *f)
{
	static const auto real = next<char *(*)(char *, int, FILE *)>("fgets");
	char *r = real(s, n, f);

	note(fileno(f));
	return r;
}

#ifdef EXIT_WORK
extern "C" void _exit(int status)
{
	static const auto real = next<void (*)(int)>("_exit");
	FILE *out = std::fopen("/dev/null", "w");

	{
		std::lock_guard<std::mutex> hold(guard);
		for (; !operations.empty(); operations.pop())
			std::fprintf(out, "%lu\n", operations.front().fd);
	}
	std::fclose(out);
	real(status);
	std::abort();
}
#endif
