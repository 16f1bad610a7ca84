// Disturbs a program from within, loaded before it by LD_PRELOAD; kills.py.
//   LITHE_SOAK_KILL=N    kill -9 just before its Nth call that changes a file (write, open, rename, remove, ...)
//   LITHE_SOAK_HALF=1    that write gets half of its bytes out first: a torn file
//   LITHE_SOAK_CLOCK=S   the wall clock jumps forwards and backwards by up to years, in a sequence that S begins
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static long kill_at = -1;
static int half = 0;
static uint64_t clock_seed = 0;
static long num_calls = 0;

__attribute__((constructor)) static void begin(void) {
  const char* text = getenv("LITHE_SOAK_KILL");
  if (text) kill_at = atol(text);
  half = getenv("LITHE_SOAK_HALF") != NULL;
  text = getenv("LITHE_SOAK_CLOCK");
  if (text) clock_seed = strtoull(text, NULL, 10) * 2654435761u + 1;
}

// At the end, where nobody was killed: how many calls there were to be killed at.
__attribute__((destructor)) static void end(void) {
  const char* path = getenv("LITHE_SOAK_CALLS");
  if (!path || kill_at >= 0) return;
  FILE* file = fopen(path, "w");
  if (!file) return;
  fprintf(file, "%ld\n", num_calls);
  fclose(file);
}

static int now(void) { return __atomic_add_fetch(&num_calls, 1, __ATOMIC_RELAXED) == kill_at; }

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

#define REAL(result, name, ...) \
  static result (*real)(__VA_ARGS__); \
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, #name)

ssize_t write(int file, const void* data, size_t size) {
  REAL(ssize_t, write, int, const void*, size_t);
  if (file > 2 && now()) {
    if (half) real(file, data, size / 2);
    die();
  }
  return real(file, data, size);
}

ssize_t writev(int file, const struct iovec* parts, int count) {
  REAL(ssize_t, writev, int, const struct iovec*, int);
  if (file > 2 && now()) {
    if (half && count > 0) real(file, parts, 1);
    die();
  }
  return real(file, parts, count);
}

ssize_t pwrite(int file, const void* data, size_t size, off_t at) {
  REAL(ssize_t, pwrite, int, const void*, size_t, off_t);
  if (now()) {
    if (half) real(file, data, size / 2, at);
    die();
  }
  return real(file, data, size, at);
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t at) {
  REAL(ssize_t, pwrite64, int, const void*, size_t, off64_t);
  if (now()) {
    if (half) real(file, data, size / 2, at);
    die();
  }
  return real(file, data, size, at);
}

#define OPEN(name) \
  int name(const char* path, int flags, ...) { \
    REAL(int, name, const char*, int, ...); \
    va_list list; \
    va_start(list, flags); \
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(list, mode_t) : 0; \
    va_end(list); \
    if ((flags & O_ACCMODE) != O_RDONLY && now()) die(); \
    return real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define TWO(name, first, second) \
  int name(first a, second b) { \
    REAL(int, name, first, second); \
    if (now()) die(); \
    return real(a, b); \
  }
TWO(rename, const char*, const char*)
TWO(ftruncate, int, off_t)
TWO(ftruncate64, int, off64_t)
TWO(mkdir, const char*, mode_t)

#define ONE(name, first) \
  int name(first a) { \
    REAL(int, name, first); \
    if (now()) die(); \
    return real(a); \
  }
ONE(unlink, const char*)
ONE(remove, const char*)
ONE(rmdir, const char*)
ONE(fsync, int)

// xorshift64: seconds by which the clock is wrong now.
static int64_t error_of_clock(void) {
  clock_seed ^= clock_seed << 13;
  clock_seed ^= clock_seed >> 7;
  clock_seed ^= clock_seed << 17;
  return (int64_t)(clock_seed % 400000000u) - 200000000;
}

int clock_gettime(clockid_t which, struct timespec* result) {
  REAL(int, clock_gettime, clockid_t, struct timespec*);
  const int code = real(which, result);
  if (clock_seed && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) result->tv_sec += error_of_clock();
  return code;
}

int gettimeofday(struct timeval* restrict result, void* restrict zone) {
  REAL(int, gettimeofday, struct timeval*, void*);
  const int code = real(result, zone);
  if (clock_seed) result->tv_sec += error_of_clock();
  return code;
}

time_t time(time_t* result) {
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  if (result) *result = at.tv_sec;
  return at.tv_sec;
}
