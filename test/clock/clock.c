// A wall clock that tests set while a server runs. Preloaded, it adds the nanoseconds in the file SNOWID_CLOCK, one word, to the
// true time. PostgreSQL looks at the clock in signal handlers, so nothing here allocates, locks or uses stdio. Elapsed time stays
// true, and so do the times of files. The time that results has to be after 1970.
//
// A server also takes the file that SNOWID_MACHINE_ID names, if it is set, for its machine's id.
//
//     cc -O2 -shared -fPIC -o clock.so clock.c
//     SNOWID_CLOCK=file LD_PRELOAD=clock.so postgres ...
#define _GNU_SOURCE
#include <fcntl.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset;

// Forked processes keep the mapping. Another library's constructor may ask for the time before this one has run.
__attribute__((constructor)) static void open_clock(void) {
    if (offset) return;
    const char *name = getenv("SNOWID_CLOCK");
    const int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    void *word = lseek(file, 0, SEEK_END) == sizeof *offset ? mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
    if (word == MAP_FAILED) {
        static const char message[] = "clock.so: SNOWID_CLOCK names no file of 8 bytes\n";
        _exit(write(STDERR_FILENO, message, sizeof message - 1) ? 127 : 126);
    }
    close(file);
    offset = word;
}

// The system call itself, because to look up glibc's function may allocate.
int clock_gettime(clockid_t clock, struct timespec *now) {
    static const int64_t second = 1000000000;
    if (syscall(SYS_clock_gettime, clock, now) != 0) return -1;
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return 0;
    if (!offset) open_clock();
    const int64_t ns = now->tv_sec * second + now->tv_nsec + *offset;
    *now = (struct timespec){ns / second, ns % second};
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec t;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &t);
    *now = (struct timeval){t.tv_sec, t.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *to) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    if (to) *to = t.tv_sec;
    return t.tv_sec;
}

FILE *fopen(const char *restrict path, const char *restrict mode) {
    FILE *(*next)(const char *, const char *);
    *(void **)&next = dlsym(RTLD_NEXT, "fopen");
    const char *machine = strcmp(path, "/etc/machine-id") == 0 ? getenv("SNOWID_MACHINE_ID") : NULL;
    return next(machine ? machine : path, mode);
}
