#include "analyse/advise/rule_process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyse/advise/confine.h"
#include "base/memory.h"
#include "base/text.h"

#if defined(__SANITIZE_ADDRESS__)
#define IS_ADDRESS_SANITIZED 1
#elif defined(__has_feature)
#define IS_ADDRESS_SANITIZED __has_feature(address_sanitizer)
#else
#define IS_ADDRESS_SANITIZED 0
#endif

enum {
    default_cpu_ms = 2000,
    default_wait_ms = 300000,
    most_memory_mib = 1024,
    shared_bytes = 64 << 10,
};

static const char refusal[] = "!"; /* begins a line that says why rules cannot be loaded */

/* The work as a list: each subject with each rule of launches, then the rules of the program; or
 * each subject with all of them. */
struct work {
    const struct wl_rule_run *run;
    size_t *launch_rules, *program_rules; /* indices of rules */
    size_t launch_rule_count, program_rule_count, count;
    bool *is_given_up; /* by rule */
    char refused[512]; /* why the rules cannot be loaded, or "" */
    struct unsent *unsent;
};

/* Lines that the child has not sent yet, in memory of both: one at a time would wake the parent for
 * each rule, and what is here survives a child that is ended. */
struct unsent {
    atomic_size_t length;
    char bytes[shared_bytes];
};

struct item {
    size_t rule;
    const struct wl_rule_subject *subject; /* NULL: all */
};

static struct item item_alone(const struct work *work, size_t number)
{
    size_t rules = work->launch_rule_count + work->program_rule_count, place = number % rules;
    size_t rule = place < work->launch_rule_count
                      ? work->launch_rules[place]
                      : work->program_rules[place - work->launch_rule_count];
    return (struct item){rule, &work->run->subjects[number / rules]};
}

static struct item item_at(const struct work *work, size_t number)
{
    if (work->run->is_each_alone)
        return item_alone(work, number);
    size_t of_launches = work->launch_rule_count * work->run->each_count;
    if (number >= of_launches)
        return (struct item){work->program_rules[number - of_launches], NULL};
    return (struct item){work->launch_rules[number % work->launch_rule_count],
                         &work->run->subjects[number / work->launch_rule_count]};
}

/* ---- in the child ---- */

static void limit_process(void)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
#if !IS_ADDRESS_SANITIZED /* it maps terabytes */
    struct rlimit memory = {0, 0};
    if (getrlimit(RLIMIT_DATA, &memory) == 0) {
        struct rusage usage = {0};
        getrusage(RUSAGE_SELF, &usage);
        memory.rlim_cur = ((rlim_t)most_memory_mib << 20) + ((rlim_t)usage.ru_maxrss << 10);
        setrlimit(RLIMIT_DATA, &memory);
    }
#endif
    signal(SIGPROF, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    sigset_t all;
    sigemptyset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void limit_time(uint32_t limit_ms)
{
    struct itimerval limit = {.it_value = {limit_ms / 1000, limit_ms % 1000 * 1000}};
    setitimer(ITIMER_PROF, &limit, NULL);
}

static void write_all(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(file, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            _exit(0); /* nobody reads */
        bytes += written;
        length -= (size_t)written;
    }
}

static void send_unsent(struct unsent *unsent, int file)
{
    write_all(file, unsent->bytes, unsent->length);
    unsent->length = 0;
}

/* Tells the parent, by and by, where the line is short; at once else. */
static void say(struct unsent *unsent, const struct wl_text *line, int file)
{
    if (line->length > sizeof unsent->bytes - unsent->length)
        send_unsent(unsent, file);
    if (line->length > sizeof unsent->bytes) {
        write_all(file, line->data, line->length);
        return;
    }
    memcpy(unsent->bytes + unsent->length, line->data, line->length);
    unsent->length += line->length;
}

static __attribute__((noreturn)) void work_off(const struct work *work, size_t first, int file)
{
    const struct wl_rule_run *run = work->run;
    struct wl_rule_state *state = NULL;
    struct wl_error error = {0};
    limit_process();
    json_object_seed(0); /* which reads a file, not possible later */
    limit_time(run->cpu_limit_ms ? run->cpu_limit_ms : default_cpu_ms);
    if (wl_rule_state_create(run->folder, wl_confine_process, &state, &error) != WL_OK) {
        write_all(file, refusal, 1);
        write_all(file, error.message, strlen(error.message));
        write_all(file, "\n", 1);
        _exit(1);
    }
    for (size_t i = first; i < work->count; i++) {
        struct item item = item_at(work, i);
        if (work->is_given_up[item.rule])
            continue;
        limit_time(run->cpu_limit_ms ? run->cpu_limit_ms : default_cpu_ms);
        json_t *result = wl_rule_state_apply(state, run->rules[item.rule],
                                             item.subject ? item.subject : run->subjects,
                                             item.subject ? 1 : run->subject_count, run->trace);
        char *dump = json_dumps(result, JSON_COMPACT);
        struct wl_text line = {0};
        wl_text_addf(&line, "%zu %s\n", i, dump ? dump : "{\"failed\":\"its result is no text\"}");
        say(work->unsent, &line, file);
        wl_text_free(&line);
        free(dump);
        json_decref(result);
    }
    _exit(0);
}

/* ---- in the parent ---- */

static void take_failure(struct work *work, size_t number, const char *what)
{
    struct item item = item_at(work, number);
    json_t *result = json_pack("{s:s}", "failed", what);
    work->run->take(work->run->self, work->run->rules[item.rule], item.subject, result);
    work->is_given_up[item.rule] = true;
    json_decref(result);
}

/* A line of the child: "NUMBER JSON". Returns the number, or SIZE_MAX for what is no such line. */
static size_t take_line(struct work *work, char *line)
{
    char *end = NULL;
    size_t number = strtoul(line, &end, 10);
    if (end == line || *end != ' ' || number >= work->count)
        return SIZE_MAX;
    json_t *result = json_loads(end + 1, 0, NULL);
    if (!json_is_object(result)) {
        json_decref(result);
        return SIZE_MAX;
    }
    struct item item = item_at(work, number);
    work->run->take(work->run->self, work->run->rules[item.rule], item.subject, result);
    json_decref(result);
    return number;
}

/* Takes the whole lines of text away. Returns the item after the last one taken. */
static size_t take_lines(struct work *work, struct wl_text *text, size_t next)
{
    char *line = text->data, *end = NULL;
    while (line && (end = strchr(line, '\n')) != NULL) {
        *end = '\0';
        if (line[0] == refusal[0])
            snprintf(work->refused, sizeof work->refused, "%s", line + 1);
        size_t number = take_line(work, line);
        if (number != SIZE_MAX)
            next = number + 1;
        line = end + 1;
    }
    if (line && line > text->data) {
        text->length -= (size_t)(line - text->data);
        memmove(text->data, line, text->length + 1);
    }
    return next;
}

/* Takes what the child that has ended did not send. */
static size_t take_unsent(struct work *work, size_t next)
{
    struct wl_text text = {0};
    size_t length = work->unsent->length;
    wl_text_add_bytes(&text, work->unsent->bytes, length < shared_bytes ? length : shared_bytes);
    next = take_lines(work, &text, next);
    wl_text_free(&text);
    return next;
}

/* Reads what the child sends until it ends or gets nothing done for too long. */
static size_t read_child(struct work *work, int file, pid_t child, size_t next, bool *is_killed)
{
    uint32_t wait_ms = work->run->wait_limit_ms ? work->run->wait_limit_ms : default_wait_ms;
    struct wl_text text = {0};
    char buffer[16384];
    size_t seen = 0; /* of what is unsent */
    *is_killed = false;
    while (true) {
        struct pollfd wanted = {.fd = file, .events = POLLIN};
        int ready = poll(&wanted, 1, (int)wait_ms);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready == 0 && work->unsent->length != seen) {
            seen = work->unsent->length;
            continue;
        }
        if (ready <= 0) {
            kill(child, SIGKILL);
            *is_killed = true;
            break;
        }
        ssize_t got = read(file, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        wl_text_add_bytes(&text, buffer, (size_t)got);
        next = take_lines(work, &text, next);
    }
    wl_text_free(&text);
    return next;
}

static size_t skip_given_up(const struct work *work, size_t next)
{
    while (next < work->count && work->is_given_up[item_at(work, next).rule])
        next++;
    return next;
}

static void describe_end(int status, bool is_killed, uint32_t cpu_ms, char *text, size_t size)
{
    if (is_killed)
        snprintf(text, size, "it does not end");
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
        snprintf(text, size, "it takes more than %g s of CPU time", cpu_ms / 1000.0);
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
        snprintf(text, size, "it made a system call that rules may not make");
    else if (WIFSIGNALED(status))
        snprintf(text, size, "its process was ended by signal %d", WTERMSIG(status));
    else
        snprintf(text, size, "its process ended with %d", WEXITSTATUS(status));
}

/* One child, from item next on. Returns the item to go on with. */
static enum wl_code run_child(struct work *work, size_t *next, struct wl_error *error)
{
    int files[2];
    work->unsent->length = 0;
    if (pipe(files) != 0)
        return wl_error_set(error, WL_ERR_INTERNAL, "no pipe for the process of the rules: %s",
                            strerror(errno));
    pid_t child = fork();
    if (child < 0) {
        close(files[0]);
        close(files[1]);
        return wl_error_set(error, WL_ERR_INTERNAL, "no process for the rules: %s",
                            strerror(errno));
    }
    if (child == 0) {
        close(files[0]);
        work_off(work, *next, files[1]);
    }
    close(files[1]);
    bool is_killed = false;
    *next = read_child(work, files[0], child, *next, &is_killed);
    close(files[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    *next = skip_given_up(work, take_unsent(work, *next));
    if (work->refused[0])
        return wl_error_set(error, WL_ERR_CORRUPT, "%s", work->refused);
    if (*next < work->count) {
        char what[96];
        uint32_t cpu_ms = work->run->cpu_limit_ms ? work->run->cpu_limit_ms : default_cpu_ms;
        describe_end(status, is_killed, cpu_ms, what, sizeof what);
        take_failure(work, *next, what);
        *next = skip_given_up(work, *next + 1);
    }
    return WL_OK;
}

enum wl_code wl_rules_run(const struct wl_rule_run *run, struct wl_error *error)
{
    struct work work = {.run = run};
    work.unsent =
        mmap(NULL, sizeof *work.unsent, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (work.unsent == MAP_FAILED)
        return wl_error_set(error, WL_ERR_INTERNAL,
                            "no memory shared with the process of the rules: %s", strerror(errno));
    work.launch_rules = wl_alloc_zero(run->rule_count + 1, sizeof *work.launch_rules);
    work.program_rules = wl_alloc_zero(run->rule_count + 1, sizeof *work.program_rules);
    work.is_given_up = wl_alloc_zero(run->rule_count + 1, sizeof *work.is_given_up);
    for (size_t i = 0; i < run->rule_count; i++) {
        const struct wl_rule *rule = run->rules[i];
        bool is_of_all = rule->is_of_program || rule->is_of_trace;
        bool has_subject = rule->is_of_trace ? run->trace != NULL : run->subject_count > 0;
        if (is_of_all && has_subject)
            work.program_rules[work.program_rule_count++] = i;
        else if (!is_of_all)
            work.launch_rules[work.launch_rule_count++] = i;
    }
    work.count = run->is_each_alone
                     ? (work.launch_rule_count + work.program_rule_count) * run->subject_count
                     : work.launch_rule_count * run->each_count + work.program_rule_count;
    enum wl_code code = WL_OK;
    for (size_t next = 0; next < work.count && code == WL_OK;)
        code = run_child(&work, &next, error);
    free(work.launch_rules);
    free(work.program_rules);
    free(work.is_given_up);
    munmap(work.unsent, sizeof *work.unsent);
    return code;
}
