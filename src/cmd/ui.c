/* `warplens ui`: the workbench in a browser. This is its one thread that does things: it runs the
 * program, builds it, sees what changes; windows ask through the book (show/serve/book.h). */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/memory.h"
#include "cmd/pages.h"
#include "cmd/verbs.h"
#include "run/program.h"
#include "run/progress.h"
#include "run/task.h"
#include "run/watch.h"
#include "show/format/json.h"
#include "show/serve/server.h"
#include "timing/timing.h"

enum {
    look_ms = 100,         /* between looks at a run */
    settle_ms = 300,       /* after the last change of a file, a run begins */
    most_log_bytes = 3000, /* of what a failed command said */
};

struct options {
    struct wl_general_options general;
    struct wl_page_options pages;
    const char *build, *folder, *gpu, *profile_options;
    uint64_t port;
    bool never_watches, never_opens, waits;
};

static const struct wl_option rows[] = {
    WL_ROWS_HEADING("WORKBENCH"),
    WL_ROW(struct options, build, TEXT, "build", 0, "COMMAND",
           "when a source file changes, run this with sh, and then the program"),
    WL_ROW(struct options, folder, TEXT, "output", 'o', "FOLDER",
           "where reports of runs go, as run-N.wlr; default: warplens-ui"),
    WL_ROW(struct options, gpu, TEXT, "gpu", 0, "NAME", "run on a model of this GPU"),
    WL_ROW(struct options, profile_options, TEXT, "profile-options", 0, "OPTIONS",
           "further options of `warplens profile` for each run, spaces between"),
    WL_ROW(struct options, port, NUMBER, "port", 0, "PORT",
           "listen on this port of 127.0.0.1; default: any free one"),
    WL_ROW(struct options, never_watches, FLAG, "no-watch", 0, NULL,
           "run again only when asked, not when files change"),
    WL_ROW(struct options, never_opens, FLAG, "no-open", 0, NULL,
           "print the address, and open no browser"),
    WL_ROW(struct options, waits, FLAG, "no-run", 0, NULL, "do not run the program at once"),
    WL_SECTION_FOLDER_ROW(struct options, pages.metrics.section_folder, WL_OWN_SECTIONS),
    WL_ROWS_END,
};

static const struct wl_option_table tables[] = {
    {rows, 0, 0},
    WL_TABLE(struct options, general, wl_general_rows),
    WL_TABLES_END,
};

enum phase { IDLE, BUILDING, RUNNING };
static const char *const phase_names[] = {"idle", "building", "running"};

struct workbench {
    const struct options *options;
    const struct wl_console *console;
    const char *folder;
    struct wl_book *book;
    struct wl_watch *watch;
    struct wl_task task;
    enum phase phase;
    json_t *words;     /* program and arguments; NULL: only reports are shown */
    json_t *own_words; /* those of the command line */
    char *own_path, *log_path, *report_path;
    char *message; /* what went wrong last, NULL: nothing */
    size_t number, baseline;
    uint64_t begun_ns, changed_ns; /* changed_ns 0: nothing has */
    bool source_changed, is_cancelled;
    char progress[256];
    struct wl_progress_start progress_start;
};

static volatile sig_atomic_t is_ending;

static void on_signal(int number)
{
    (void)number;
    is_ending = 1;
}

/* ---- what windows are told ---- */

static json_t *progress_json(struct workbench *bench)
{
    struct wl_progress_numbers numbers;
    if (bench->phase != RUNNING || !wl_progress_read(bench->progress, &numbers))
        return json_null();
    struct wl_progress_pace pace;
    wl_progress_measure(&bench->progress_start, &numbers, wl_clock_monotonic_ns(), &pace);
    return json_pack("{s:o, s:I, s:I, s:I, s:f, s:f, s:f}", "kernel", wl_json_text(numbers.kernel),
                     "done", (json_int_t)numbers.done, "total", (json_int_t)numbers.total,
                     "instructions", (json_int_t)numbers.instructions, "instructions_total",
                     pace.instructions_total, "rate", pace.instructions_per_s, "left_s",
                     pace.left_s);
}

static void tell(struct workbench *bench)
{
    json_t *state = json_pack("{s:s, s:O?, s:b, s:I, s:o, s:o}", "phase", phase_names[bench->phase],
                              "program", bench->words, "builds", bench->options->build != NULL,
                              "baseline", (json_int_t)bench->baseline, "message",
                              bench->message ? wl_json_text(bench->message) : json_null(),
                              "progress", progress_json(bench));
    wl_book_tell(bench->book, state);
    json_decref(state);
}

/* Takes message, which may be NULL. */
static void set_message(struct workbench *bench, char *message)
{
    free(bench->message);
    bench->message = message;
    if (message)
        wl_console_warn(bench->console, NULL, "%s", message);
}

/* What a command that failed said last. */
static char *log_end(const struct workbench *bench, const char *what, int status)
{
    struct wl_text log = {0}, text = {0};
    struct wl_error ignored = {0};
    wl_text_addf(&text, "%s ended with %d", what, status);
    if (!wl_file_read(bench->log_path, &log, &ignored) && log.length)
        wl_text_addf(&text, ":\n%s",
                     log.data + (log.length > most_log_bytes ? log.length - most_log_bytes : 0));
    wl_text_free(&log);
    return wl_text_take(&text);
}

/* ---- runs ---- */

static void start(struct workbench *bench, enum phase phase, char *const *arguments)
{
    struct wl_error error = {0};
    if (wl_task_start(&bench->task, arguments, bench->log_path, &error)) {
        set_message(bench, wl_string_copy(error.message));
        bench->phase = IDLE;
    } else {
        bench->phase = phase;
        bench->begun_ns = wl_clock_monotonic_ns();
        bench->is_cancelled = false;
        set_message(bench, NULL);
    }
    tell(bench);
}

/* The first free number: reports of earlier sessions stay. */
static void choose_path(struct workbench *bench)
{
    struct stat status;
    do {
        free(bench->report_path);
        bench->report_path = wl_string_format("%s/run-%zu.wlr", bench->folder, ++bench->number);
    } while (stat(bench->report_path, &status) == 0);
    snprintf(bench->progress, sizeof bench->progress, "%s.stream/progress", bench->report_path);
}

/* together: causes that are taken away together in this run (--whatif-together), or NULL. */
static void run_program(struct workbench *bench, const char *together)
{
    WL_VECTOR(char *) words = {0};
    char *own_options =
        wl_string_copy(bench->options->profile_options ? bench->options->profile_options : "");
    json_t *word;
    size_t i;
    choose_path(bench);
    for (i = 0; i < 4; i++)
        WL_PUSH(&words, ((char *[]){bench->own_path, "profile", "-o", bench->report_path})[i]);
    if (bench->options->gpu) {
        WL_PUSH(&words, "--gpu");
        WL_PUSH(&words, (char *)bench->options->gpu);
    }
    char *rest = NULL;
    for (char *each = strtok_r(own_options, " ", &rest); each; each = strtok_r(NULL, " ", &rest))
        WL_PUSH(&words, each);
    if (together) {
        WL_PUSH(&words, "--whatif-together");
        WL_PUSH(&words, (char *)together);
    }
    WL_PUSH(&words, "--");
    json_array_foreach(bench->words, i, word) WL_PUSH(&words, (char *)json_string_value(word));
    WL_PUSH(&words, NULL);
    start(bench, RUNNING, words.items);
    free(words.items);
    free(own_options);
}

static void build_program(struct workbench *bench)
{
    char *arguments[] = {"sh", "-c", (char *)bench->options->build, NULL};
    start(bench, BUILDING, arguments);
}

/* Arguments that are others than those of the command line, else "". */
static char *arguments_text(const struct workbench *bench)
{
    struct wl_text text = {0};
    json_t *word;
    size_t i;
    if (!json_equal(bench->words, bench->own_words))
        json_array_foreach(bench->words, i, word) if (i > 0)
            wl_text_addf(&text, "%s%s", text.length ? " " : "", json_string_value(word));
    return wl_text_take(&text);
}

static void add_report(struct workbench *bench, int status)
{
    struct wl_error error = {0};
    char *words = arguments_text(bench);
    char *note = wl_string_format("%.1f s%s%s%s%s",
                                  (double)(wl_clock_monotonic_ns() - bench->begun_ns) / 1e9,
                                  bench->is_cancelled ? ", cancelled" : "",
                                  status && !bench->is_cancelled ? ", the program failed" : "",
                                  words[0] ? ", arguments " : "", words);
    free(words);
    if (access(bench->report_path, R_OK) != 0)
        set_message(bench, log_end(bench, "the run", status));
    else if (wl_book_add(bench->book, bench->report_path, note, &error))
        set_message(bench, wl_string_copy(error.message));
    else
        wl_console_say(bench->console, "run %zu: %s (%s)", wl_book_count(bench->book),
                       bench->report_path, note);
    free(note);
}

/* Looks whether what runs has ended. */
static void look(struct workbench *bench)
{
    struct wl_ending ending = {0};
    if (bench->phase == IDLE)
        return;
    if (!wl_task_poll(&bench->task, &ending)) {
        tell(bench);
        return;
    }
    enum phase ended = bench->phase;
    bench->phase = IDLE;
    if (ended == RUNNING)
        add_report(bench, ending.exit_code);
    else if (ending.exit_code)
        set_message(bench, log_end(bench, "the build", ending.exit_code));
    else
        run_program(bench, NULL);
    if (ended == BUILDING && bench->watch) { /* what the build made is no change of the user's */
        bool is_program, is_source;
        wl_watch_read(bench->watch, &is_program, &is_source);
        bench->changed_ns = 0;
    }
    tell(bench);
}

/* ---- wishes and changes ---- */

/* Arguments of a window, behind the program, which stays the one of the command line. False: they
 * are none. */
static bool take_arguments(struct workbench *bench, const char *text)
{
    json_t *given = text ? json_loads(text, 0, NULL) : NULL, *word;
    size_t i;
    bool is_good = json_is_array(given);
    if (!text)
        return true;
    json_array_foreach(given, i, word) is_good = is_good && json_is_string(word);
    if (is_good) {
        while (json_array_size(bench->words) > 1)
            json_array_remove(bench->words, 1);
        json_array_extend(bench->words, given);
    } else {
        set_message(bench, wl_string_copy("arguments are a JSON array of strings"));
    }
    json_decref(given);
    return is_good;
}

/* Once more, with a what-if of these causes together. */
static void simulate(struct workbench *bench, const char *together)
{
    struct wl_timing_set sets[WL_TIMING_SETS_MOST];
    struct wl_error error = {0};
    size_t count;
    if (wl_timing_sets_read(together, sets, &count, &error))
        set_message(bench, wl_string_copy(error.message));
    else if (count)
        run_program(bench, together);
}

static void grant_wishes(struct workbench *bench)
{
    char *text = NULL;
    size_t number = 0;
    for (enum wl_book_wish wish;
         (wish = wl_book_take(bench->book, &text, &number)) != WL_WISH_NONE;) {
        if (wish == WL_WISH_BASELINE && number <= wl_book_count(bench->book))
            bench->baseline = number;
        if (wish == WL_WISH_CANCEL && bench->phase != IDLE) {
            bench->is_cancelled = true;
            wl_task_cancel(&bench->task);
        }
        if (wish == WL_WISH_RUN && bench->words && bench->phase == IDLE) {
            if (take_arguments(bench, text))
                run_program(bench, NULL);
        }
        if (wish == WL_WISH_WHATIF && bench->words && bench->phase == IDLE)
            simulate(bench, text ? text : "");
        free(text);
        text = NULL;
        tell(bench);
    }
}

static void see_changes(struct workbench *bench)
{
    bool is_program = false, is_source = false;
    if (!bench->watch)
        return;
    wl_watch_read(bench->watch, &is_program, &is_source);
    if (bench->phase != BUILDING && (is_program || is_source)) {
        bench->changed_ns = wl_clock_monotonic_ns();
        bench->source_changed |= is_source;
    }
    bool is_settled = bench->changed_ns &&
                      wl_clock_monotonic_ns() - bench->changed_ns > (uint64_t)settle_ms * 1000000;
    if (!is_settled || bench->phase != IDLE)
        return;
    bool is_to_be_built = bench->source_changed && bench->options->build;
    bench->changed_ns = 0;
    bench->source_changed = false;
    if (is_to_be_built)
        build_program(bench);
    else
        run_program(bench, NULL);
}

/* ---- the whole ---- */

static void print_address(struct workbench *bench, struct wl_server *server)
{
    char *address = wl_server_address(server);
    wl_console_say(bench->console, "workbench: %s", address);
    fflush(bench->console->messages);
    free(address);
}

/* Where there is a display. */
static void open_browser(struct wl_server *server)
{
    struct wl_task task = {0};
    struct wl_error ignored = {0};
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
        return;
    char *address = wl_server_address(server);
    char *arguments[] = {"xdg-open", address, NULL};
    wl_task_start(&task, arguments, "/dev/null", &ignored); /* ends by itself */
    free(address);
}

static void work(struct workbench *bench, struct wl_server *server)
{
    size_t windows = 0;
    while (!is_ending) {
        struct pollfd files[] = {
            {.fd = wl_book_descriptor(bench->book), .events = POLLIN},
            {.fd = bench->watch ? wl_watch_descriptor(bench->watch) : -1, .events = POLLIN},
        };
        poll(files, WL_COUNT(files), look_ms);
        grant_wishes(bench);
        see_changes(bench);
        look(bench);
        if (wl_server_windows(server) !=
            windows) { /* the token was used: another window has its own */
            windows = wl_server_windows(server);
            print_address(bench, server);
        }
    }
    wl_task_end(&bench->task);
}

static bool is_report(const char *word)
{
    size_t length = strlen(word);
    return length > 4 && strcmp(word + length - 4, ".wlr") == 0;
}

static enum wl_code prepare_program(struct workbench *bench, const struct wl_arguments *arguments,
                                    struct wl_error *error)
{
    char *path = NULL, own[4096];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    enum wl_code code = wl_program_find(arguments->items[0], &path, error);
    if (code)
        return code;
    own[length > 0 ? length : 0] = '\0';
    bench->own_path = wl_string_copy(own);
    bench->words = json_array();
    for (size_t i = 0; i < arguments->count; i++)
        json_array_append_new(bench->words, wl_json_text(arguments->items[i]));
    bench->own_words = json_deep_copy(bench->words);
    bench->log_path = wl_string_format("%s/log.txt", bench->folder);
    if (mkdir(bench->folder, 0777) != 0 && errno != EEXIST)
        code = wl_error_set(error, WL_ERR_OUTPUT, "cannot make the folder %s: %s", bench->folder,
                            strerror(errno));
    if (!code && !bench->options->never_watches)
        code = wl_watch_start(path, bench->options->build != NULL, &bench->watch, error);
    free(path);
    return code;
}

static enum wl_code prepare(struct workbench *bench, const struct wl_arguments *arguments,
                            struct wl_error *error)
{
    enum wl_code code = WL_OK;
    if (arguments->count == 0) {
        wl_error_set(error, WL_ERR_USAGE, "ui takes reports or a program");
        return wl_error_set_hint(error, "warplens ui -- ./app 100, or warplens ui app.wlr");
    }
    bool is_of_reports = true;
    for (size_t i = 0; i < arguments->count; i++)
        is_of_reports = is_of_reports && is_report(arguments->items[i]);
    if (!is_of_reports)
        return prepare_program(bench, arguments, error);
    for (size_t i = 0; i < arguments->count && !code; i++)
        code = wl_book_add(bench->book, arguments->items[i], "opened", error);
    if (!code && arguments->count > 1)
        bench->baseline = 1;
    return code;
}

static void clean(struct workbench *bench)
{
    wl_watch_stop(bench->watch);
    wl_book_free(bench->book);
    json_decref(bench->words);
    json_decref(bench->own_words);
    free(bench->own_path);
    free(bench->log_path);
    free(bench->report_path);
    free(bench->message);
}

static enum wl_code serve(void *given, const struct wl_arguments *arguments,
                          const struct wl_console *console, struct wl_error *error)
{
    const struct options *options = given;
    struct wl_view_options view;
    struct wl_settings settings;
    struct wl_server *server = NULL;
    struct workbench bench = {.options = options,
                              .console = console,
                              .folder = options->folder ? options->folder : "warplens-ui"};
    const struct sigaction action = {.sa_handler = on_signal};
    if (options->port > UINT16_MAX)
        return wl_error_set(error, WL_ERR_USAGE, "--port is a number up to %d", UINT16_MAX);
    wl_settings_init_unchosen(&settings);
    wl_pages_view(&options->pages, &settings, console->pages, &view);
    bench.book = wl_book_create(&view);
    enum wl_code code = prepare(&bench, arguments, error);
    if (!code)
        code = wl_server_start(bench.book, arguments->items[0], (uint16_t)options->port, &server,
                               error);
    if (!code) {
        sigaction(SIGINT, &action, NULL);
        sigaction(SIGTERM, &action, NULL);
        signal(SIGPIPE, SIG_IGN);
        print_address(&bench, server);
        if (!options->never_opens)
            open_browser(server);
        if (bench.words && !options->waits)
            run_program(&bench, NULL);
        tell(&bench);
        work(&bench, server);
    }
    wl_server_stop(server);
    clean(&bench);
    wl_settings_free(&settings);
    return code;
}

static void init(void *given)
{
    struct options *options = given;
    wl_page_options_init(&options->pages);
}

const struct wl_verb wl_verb_ui = {
    .name = "ui",
    .usage = "ui [options] REPORT... | ui [options] -- PROGRAM [ARGUMENTS]",
    .summary = "a workbench in the browser: measure, see, change, measure again",
    .options_bytes = sizeof(struct options),
    .tables = tables,
    .words = WL_WORDS_PROGRAM,
    .init = init,
    .work = serve,
};
