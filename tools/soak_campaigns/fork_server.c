// A program that is started once and runs thousands of command lines, each in a child of its own: what a process costs
// before main() (libraries, static objects) is paid once. Loaded before the program by LD_PRELOAD; fork_server.py.
//
// Requests on descriptor 100, answers on 101. Standard output and error of a child go to the files 102 and 103.
//
// A request may hold many command lines, each ended by the word "\x1e": one child runs them one after the other and
// writes "\x1e<exit code>\n" to both files after each. Where the child ends too early, the next line is to blame.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { requests = 100, answers = 101, out = 102, err = 103, most_words = 4096 };
static const char separator[] = "\x1e";

struct request {
  uint32_t size;                        // bytes of words, each ended by a zero
  uint32_t limit_ms, grace_ms;          // of the processor, until SIGINT, and from there to SIGKILL
  uint32_t cpu_s;                       // processor time; 0: no limit
  uint64_t address_space, file_size;    // bytes; 0: no limit
};

struct answer {
  int32_t status;       // of waitpid
  int32_t interrupted;  // 1: SIGINT was sent, 2: SIGKILL as well
  int64_t cpu_us, peak_kb;
};

typedef int main_function(int, char**, char**);
static main_function* real_main;

static void read_all(void* data, size_t size) {
  for (char* at = data; size > 0;) {
    const ssize_t count = read(requests, at, size);
    if (count <= 0) _exit(0);
    at += count;
    size -= (size_t)count;
  }
}

static void limit(int resource, uint64_t value) {
  if (value == 0) return;
  const struct rlimit both = {value, value};
  setrlimit(resource, &both);
}

static int run_words(char* words, const char* end, char** environment) {
  static char* argv[most_words + 1];
  int argc = 0;
  for (char* word = words; word < end; word += strlen(word) + 1) {
    if (strcmp(word, separator) == 0) {
      argv[argc] = NULL;
      const int code = real_main(argc, argv, environment);
      fflush(NULL);
      dprintf(1, "%s%d\n", separator, code);
      dprintf(2, "%s%d\n", separator, code);
      argc = 0;
    } else if (argc < most_words) {
      argv[argc++] = word;
    }
  }
  argv[argc] = NULL;
  return argc > 0 ? real_main(argc, argv, environment) : 0;
}

static int run_child(const struct request* request, char* words, char** environment) {
  limit(RLIMIT_AS, request->address_space);
  limit(RLIMIT_FSIZE, request->file_size);
  limit(RLIMIT_CPU, request->cpu_s);
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGINT, SIG_DFL);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, 0);
  dup2(out, 1);
  dup2(err, 2);
  close(nothing);
  for (int i = requests; i <= err; ++i) close(i);
  return run_words(words, words + request->size, environment);
}

static int64_t milliseconds(clockid_t clock) {
  struct timespec now;
  return clock_gettime(clock, &now) == 0 ? now.tv_sec * 1000ll + now.tv_nsec / 1000000 : 0;
}

// Whether the child has ended before it took so much of the processor, whatever share of it a busy machine leaves to
// it. One that waits for something instead takes none: it has `patience` times as long by the clock on the wall.
static int ends_within(pid_t child, int handle, uint32_t limit_ms) {
  enum { patience = 30, longest_sleep = 200 };
  clockid_t clock;
  if (clock_getcpuclockid(child, &clock) != 0) clock = CLOCK_MONOTONIC;
  const int64_t begin = milliseconds(clock), wall = milliseconds(CLOCK_MONOTONIC);
  for (;;) {
    const int64_t left = limit_ms - (milliseconds(clock) - begin);
    if (left <= 0 || milliseconds(CLOCK_MONOTONIC) - wall > patience * (int64_t)limit_ms) return 0;
    struct pollfd ended = {handle, POLLIN, 0};
    if (poll(&ended, 1, left < longest_sleep ? (int)left : longest_sleep) != 0) return 1;
  }
}

static void wait_for(pid_t child, const struct request* request, struct answer* answer) {
  const int handle = pidfd_open(child, 0);
  if (!ends_within(child, handle, request->limit_ms)) {
    answer->interrupted = 1;
    kill(child, SIGINT);
    if (!ends_within(child, handle, request->grace_ms)) {
      answer->interrupted = 2;
      kill(child, SIGKILL);
    }
  }
  struct rusage usage;
  wait4(child, &answer->status, 0, &usage);
  close(handle);
  answer->cpu_us = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000ll + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
  answer->peak_kb = usage.ru_maxrss;
}

static int serve(int argc, char** argv, char** environment) {
  (void)argc;
  (void)argv;
  unsetenv("LD_PRELOAD");
  for (;;) {
    struct request request;
    read_all(&request, sizeof request);
    char* words = malloc(request.size + 1);
    read_all(words, request.size);
    words[request.size] = 0;
    for (int file = out; file <= err; ++file) {
      if (ftruncate(file, 0) != 0 || lseek(file, 0, SEEK_SET) != 0) _exit(3);
    }
    const pid_t child = fork();
    if (child == 0) return run_child(&request, words, environment);
    struct answer answer = {0};
    wait_for(child, &request, &answer);
    free(words);
    if (write(answers, &answer, sizeof answer) != sizeof answer) _exit(0);
  }
}

int __libc_start_main(main_function* main, int argc, char** argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void* stack_end) {
  real_main = main;
  int (*start)(main_function*, int, char**, void (*)(void), void (*)(void), void (*)(void), void*);
  *(void**)&start = dlsym(RTLD_NEXT, "__libc_start_main");
  return start(fcntl(requests, F_GETFD) >= 0 ? serve : main, argc, argv, init, fini, rtld_fini, stack_end);
}
