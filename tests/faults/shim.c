/* Fails one file operation of a real run. Loaded with LD_PRELOAD, it stands between the program
 * (Python, libsndfile, SQLite and all) and libc, counts the operations below one folder and does
 * to the n-th of them what it was asked to do. It sleeps until fault_arm() is called.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { NONE, FULL, BROKEN, DENIED, KILLED, VANISHED };
enum op { READ = 1, OPEN_READ = 2, LIST = 4, CREATE = 8, WRITE = 16, MOVE = 32, MAKE = 64,
          REMOVE = 128, SYNC = 256, CUT = 512, MODE = 1024 };

/* Which operations each kind of fault can strike. */
static const int CONCERNS[] = {
    0,
    CREATE | WRITE | MOVE | MAKE | SYNC | CUT,
    READ | OPEN_READ | LIST | CREATE | WRITE | MOVE | MAKE | REMOVE | SYNC | CUT | MODE,
    OPEN_READ | LIST | CREATE | MOVE | MAKE | REMOVE | MODE,
    CREATE | WRITE | MOVE | MAKE | REMOVE | SYNC | CUT | MODE,
    OPEN_READ | LIST | CREATE | MOVE | MAKE,
};

#define MOST_FILES 65536
static char watched[MOST_FILES];
static char root[PATH_MAX], away[PATH_MAX];
static int kind = NONE, report = -1;
static long wanted = 0, counts[VANISHED + 1];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* ``nth`` 0 strikes nothing and only counts. What vanishes is moved into ``bin``. */
void fault_arm(int which, long nth, const char *folder, const char *bin, int to) {
    kind = which; wanted = nth; report = to;
    memset(counts, 0, sizeof counts);
    snprintf(root, sizeof root, "%s/", folder);
    snprintf(away, sizeof away, "%s", bin);
}

void fault_disarm(void) { kind = NONE; }

/* Operations so far that a kind of fault could strike. */
long fault_count(int which) { return counts[which]; }

static void whole(int at, const char *path, char *out) {
    char base[PATH_MAX] = "", link[64];
    if (path[0] == '/') { snprintf(out, PATH_MAX, "%s", path); return; }
    if (at == AT_FDCWD) { if (!getcwd(base, sizeof base)) base[0] = 0; }
    else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", at);
        ssize_t n = readlink(link, base, sizeof base - 1);
        base[n > 0 ? n : 0] = 0;
    }
    if (snprintf(out, PATH_MAX, "%s/%s", base, path) >= PATH_MAX) out[0] = 0;
}

static int below(const char *path) { return strncmp(path, root, strlen(root)) == 0; }

static const char *word(int op) {
    switch (op) {
        case READ: return "read"; case OPEN_READ: return "open"; case LIST: return "list";
        case CREATE: return "create"; case WRITE: return "write"; case MOVE: return "move";
        case MAKE: return "make"; case REMOVE: return "remove"; case SYNC: return "sync";
        case CUT: return "cut"; default: return "mode";
    }
}

static void put_away(const char *path) {
    char target[PATH_MAX];
    snprintf(target, sizeof target, "%.4000s/vanished", away);
    REAL(rename)(path, target);
}

/* The number of the error to fail with, 0 to go on, -1 to do half of a write and be killed. */
static int strike(int op, const char *path) {
    if (kind == NONE || !below(path)) return 0;
    pthread_mutex_lock(&lock);
    for (int k = FULL; k <= VANISHED; k++) counts[k] += (CONCERNS[k] & op) != 0;
    if (!(CONCERNS[kind] & op)) { pthread_mutex_unlock(&lock); return 0; }
    long now = counts[kind];
    int hit = wanted && (now == wanted || (kind == FULL && now > wanted));
    if (now == wanted && report >= 0) {
        char line[PATH_MAX + 64];
        int n = snprintf(line, sizeof line, "%ld\t%s\t%s\n", now, word(op), path);
        syscall(SYS_write, report, line, n);
    }
    pthread_mutex_unlock(&lock);
    if (!hit) return 0;
    if (kind == FULL) return ENOSPC;  /* a disk stays full */
    if (kind == BROKEN) return EIO;
    if (kind == DENIED) return EACCES;
    if (kind == KILLED) {
        if (op == WRITE) return -1;
        kill(getpid(), SIGKILL);
        for (;;) pause();
    }
    /* Vanished: what is read goes itself, what is made loses its folder. */
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    if (!(op & (OPEN_READ | LIST))) { char *last = strrchr(folder, '/'); if (last) *last = 0; }
    if (below(folder)) put_away(folder);
    return 0;
}

static int file_struck(int op, int fd, char *path) {
    if (fd < 0 || fd >= MOST_FILES || !watched[fd] || kind == NONE) return 0;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, PATH_MAX - 1);
    if (n <= 0) return 0;
    path[n] = 0;
    return strike(op, path);
}

static int opened(int fd, const char *path) {
    if (fd >= 0 && fd < MOST_FILES) watched[fd] = kind != NONE && below(path);
    return fd;
}

static int open_op(int flags) {
    return flags & (O_CREAT | O_WRONLY | O_RDWR | O_TRUNC) ? CREATE : OPEN_READ;
}

#define FAIL_IF(error, value) do { int e = (error); if (e > 0) { errno = e; return value; } } while (0)

#define OPENS(name)                                                         \
    int name(const char *path, int flags, ...) {                            \
        mode_t mode = 0; char full[PATH_MAX];                               \
        if (flags & (O_CREAT | O_TMPFILE)) {                                \
            va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); } \
        whole(AT_FDCWD, path, full);                                        \
        if (!(flags & O_DIRECTORY)) FAIL_IF(strike(open_op(flags), full), -1); \
        return opened(REAL(name)(path, flags, mode), full); }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name)                                                      \
    int name(int at, const char *path, int flags, ...) {                    \
        mode_t mode = 0; char full[PATH_MAX];                               \
        if (flags & (O_CREAT | O_TMPFILE)) {                                \
            va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); } \
        whole(at, path, full);                                              \
        if (!(flags & O_DIRECTORY)) FAIL_IF(strike(open_op(flags), full), -1); \
        return opened(REAL(name)(at, path, flags, mode), full); }
OPENS_AT(openat)
OPENS_AT(openat64)

#define STREAMS(name)                                                       \
    FILE *name(const char *path, const char *mode) {                        \
        char full[PATH_MAX]; whole(AT_FDCWD, path, full);                   \
        FAIL_IF(strike(strpbrk(mode, "wa+") ? CREATE : OPEN_READ, full), NULL); \
        return REAL(name)(path, mode); }
STREAMS(fopen)
STREAMS(fopen64)

DIR *opendir(const char *path) {
    char full[PATH_MAX]; whole(AT_FDCWD, path, full);
    FAIL_IF(strike(LIST, full), NULL);
    return REAL(opendir)(path);
}

static void half_and_die(int fd, const void *data, size_t size, off_t where) {
    if (where < 0) syscall(SYS_write, fd, data, size / 2);
    else syscall(SYS_pwrite64, fd, data, size / 2, where);
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

ssize_t write(int fd, const void *data, size_t size) {
    char path[PATH_MAX]; int e = file_struck(WRITE, fd, path);
    if (e < 0) half_and_die(fd, data, size, -1);
    FAIL_IF(e, -1);
    return REAL(write)(fd, data, size);
}

#define WRITES_AT(name, offset)                                             \
    ssize_t name(int fd, const void *data, size_t size, offset where) {     \
        char path[PATH_MAX]; int e = file_struck(WRITE, fd, path);          \
        if (e < 0) half_and_die(fd, data, size, where);                     \
        FAIL_IF(e, -1);                                                     \
        return REAL(name)(fd, data, size, where); }
WRITES_AT(pwrite, off_t)
WRITES_AT(pwrite64, off64_t)

ssize_t read(int fd, void *data, size_t size) {
    char path[PATH_MAX];
    FAIL_IF(file_struck(READ, fd, path), -1);
    return REAL(read)(fd, data, size);
}

#define READS_AT(name, offset)                                              \
    ssize_t name(int fd, void *data, size_t size, offset where) {           \
        char path[PATH_MAX];                                                \
        FAIL_IF(file_struck(READ, fd, path), -1);                           \
        return REAL(name)(fd, data, size, where); }
READS_AT(pread, off_t)
READS_AT(pread64, off64_t)

#define ON_FILE(name, op)                                                   \
    int name(int fd) {                                                      \
        char path[PATH_MAX];                                                \
        FAIL_IF(file_struck(op, fd, path), -1);                             \
        return REAL(name)(fd); }
ON_FILE(fsync, SYNC)
ON_FILE(fdatasync, SYNC)

#define CUTS(name, offset)                                                  \
    int name(int fd, offset size) {                                         \
        char path[PATH_MAX];                                                \
        FAIL_IF(file_struck(CUT, fd, path), -1);                            \
        return REAL(name)(fd, size); }
CUTS(ftruncate, off_t)
CUTS(ftruncate64, off64_t)

int fchmod(int fd, mode_t mode) {
    char path[PATH_MAX];
    FAIL_IF(file_struck(MODE, fd, path), -1);
    return REAL(fchmod)(fd, mode);
}

#define ON_PATH(name, op, ...)                                              \
        char full[PATH_MAX]; whole(AT_FDCWD, path, full);                   \
        FAIL_IF(strike(op, full), -1);                                      \
        return REAL(name)(__VA_ARGS__);

int mkdir(const char *path, mode_t mode) { ON_PATH(mkdir, MAKE, path, mode) }
int rmdir(const char *path) { ON_PATH(rmdir, REMOVE, path) }
int unlink(const char *path) { ON_PATH(unlink, REMOVE, path) }
int remove(const char *path) { ON_PATH(remove, REMOVE, path) }
int chmod(const char *path, mode_t mode) { ON_PATH(chmod, MODE, path, mode) }
int fchmodat(int at, const char *path, mode_t mode, int flags) {
    char full[PATH_MAX]; whole(at, path, full);
    FAIL_IF(strike(MODE, full), -1);
    return REAL(fchmodat)(at, path, mode, flags);
}

int unlinkat(int at, const char *path, int flags) {
    char full[PATH_MAX]; whole(at, path, full);
    FAIL_IF(strike(REMOVE, full), -1);
    return REAL(unlinkat)(at, path, flags);
}

int mkdirat(int at, const char *path, mode_t mode) {
    char full[PATH_MAX]; whole(at, path, full);
    FAIL_IF(strike(MAKE, full), -1);
    return REAL(mkdirat)(at, path, mode);
}

int rename(const char *from, const char *path) { ON_PATH(rename, MOVE, from, path) }
int renameat(int from_at, const char *from, int at, const char *path) {
    char full[PATH_MAX]; whole(at, path, full);
    FAIL_IF(strike(MOVE, full), -1);
    return REAL(renameat)(from_at, from, at, path);
}
int link(const char *from, const char *path) { ON_PATH(link, MOVE, from, path) }
int symlink(const char *from, const char *path) { ON_PATH(symlink, CREATE, from, path) }
