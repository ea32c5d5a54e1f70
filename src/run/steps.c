#include "run/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/count.h"
#include "base/memory.h"
#include "record/steps.h"
#include "run/prompt.h"
#include "show/format/format.h"
#include "show/page/diff.h"

static const char prompt_text[] = "(warplens) ";
static const char shown_section[] = "SpeedOfLight";

enum mode { MODE_STOP, MODE_UNTIL_NAME, MODE_PASS_ALL, MODE_PROFILE_ALL };

struct wl_steps {
    struct wl_launch_run *run;
    struct wl_steps_desk desk;
    struct wl_prompt *prompt; /* reads what was our stdin */
    bool is_typed;            /* by somebody at a terminal */
    size_t profiled, passed;  /* launches so far */
    bool is_quit;             /* the program is ended */
    enum mode mode;
    char *name;      /* of MODE_UNTIL_NAME */
    bool has_new;    /* a kernel was profiled and not yet shown */
    char *step_path; /* a report of what was profiled so far */
    char *baseline_path;
    size_t baseline; /* launches up to it in the baseline's report; 0: none is set */
};

/* ---- what was profiled so far ---- */

static enum wl_code open_so_far(struct wl_steps *steps, const char *path, bool is_built,
                                struct wl_report **report, size_t *count, struct wl_error *error)
{
    struct wl_report_build build = {.stream_folder = steps->run->stream_folder,
                                    .report_path = path,
                                    .overwrite = true,
                                    .source_folders =
                                        steps->run->request->report->source_folders.data,
                                    .program = steps->run->program_path,
                                    .import_source = true};
    enum wl_code code = is_built ? WL_OK : wl_report_build(&build, error);
    *report = NULL;
    *count = 0;
    if (code == WL_OK)
        code = wl_report_open(path, report, error);
    if (code == WL_OK)
        wl_report_launches(*report, count);
    return code;
}

static void compare_with_baseline(struct wl_steps *steps, struct wl_report *report, size_t count,
                                  struct wl_error *error)
{
    struct wl_report *base = NULL;
    size_t base_count = 0;
    if (open_so_far(steps, steps->baseline_path, true, &base, &base_count, error) == WL_OK &&
        steps->baseline <= base_count) {
        const struct wl_metric_options *asked = steps->run->request->metrics;
        struct wl_diff_report reports[] = {
            {"baseline", base, &wl_report_launches(base, &base_count)[steps->baseline - 1]},
            {"this kernel", report, &wl_report_launches(report, &count)[count - 1]},
        };
        struct wl_diff_options options = {.metrics = asked->metrics.data,
                                          .section_folder = asked->section_folder,
                                          .allows_unlike = true};
        wl_view_diff(reports, 2, &options, steps->run->messages.pages, error);
    }
    wl_report_close(base);
}

/* The kernel profiled last: page as in --page, or its speed of light. */
static void show_last(struct wl_steps *steps, const char *page)
{
    const struct wl_messages *messages = &steps->run->messages;
    struct wl_report *report = NULL;
    struct wl_error error = {0};
    struct wl_view_options view;
    size_t count = 0;
    enum wl_code code = open_so_far(steps, steps->step_path, false, &report, &count, &error);
    if (code == WL_ERR_NOTHING || (code == WL_OK && count == 0)) {
        fputs("nothing is profiled yet\n", messages->pages);
        goto out;
    }
    if (code != WL_OK)
        goto out;
    view = *steps->run->request->view;
    view.launch_skip = count - 1;
    view.launch_count = 1;
    int chosen = page ? wl_view_page_find(page) : WL_PAGE_DETAILS;
    if (chosen < 0) {
        wl_messages_print(messages, "there is no page %s\n", page);
        goto out;
    }
    view.page = (enum wl_view_page)chosen;
    if (!page && !view.set && !view.sections)
        view.sections = shown_section;
    code = wl_view_print(report, &view, messages->pages, &error);
    if (code == WL_OK && steps->baseline && !page)
        compare_with_baseline(steps, report, count, &error);
out:
    if (error.message[0] && code != WL_ERR_NOTHING)
        wl_messages_warn(messages, NULL, "%s", error.message);
    wl_report_close(report);
}

static void set_baseline(struct wl_steps *steps)
{
    const struct wl_messages *messages = &steps->run->messages;
    struct wl_report *report = NULL;
    struct wl_error error = {0};
    size_t count = 0;
    enum wl_code code = open_so_far(steps, steps->baseline_path, false, &report, &count, &error);
    if (code == WL_OK && count > 0) {
        const struct wl_report_launch *last = &wl_report_launches(report, &count)[count - 1];
        steps->baseline = count;
        wl_messages_print(messages, "baseline: launch %" PRId64 ", %s\n", last->key,
                          last->kernel ? last->kernel->record.function : "");
    } else {
        fputs("nothing is profiled yet\n", messages->pages);
    }
    wl_report_close(report);
}

static void show_baseline(struct wl_steps *steps)
{
    struct wl_report *report = NULL;
    struct wl_error error = {0};
    struct wl_view_options view;
    size_t count = 0;
    if (!steps->baseline) {
        fputs("no baseline is set\n", steps->run->messages.pages);
        return;
    }
    enum wl_code code = open_so_far(steps, steps->baseline_path, true, &report, &count, &error);
    view = *steps->run->request->view;
    view.launch_skip = steps->baseline - 1;
    view.launch_count = 1;
    view.page = WL_PAGE_DETAILS;
    view.sections = shown_section;
    if (code == WL_OK)
        code = wl_view_print(report, &view, steps->run->messages.pages, &error);
    if (code != WL_OK)
        wl_messages_warn(&steps->run->messages, NULL, "%s", error.message);
    wl_report_close(report);
}

/* ---- commands ---- */

enum outcome { ASK_AGAIN, PROFILE, PASS };

static enum outcome do_profile(struct wl_steps *steps, const char *argument)
{
    (void)steps, (void)argument;
    return PROFILE;
}

static enum outcome do_next(struct wl_steps *steps, const char *argument)
{
    (void)steps, (void)argument;
    return PASS;
}

/* argument: the name, or NULL: that of the kernel that waits, which steps->name is then. */
static enum outcome do_until(struct wl_steps *steps, const char *argument)
{
    if (argument) {
        free(steps->name);
        steps->name = wl_string_copy(argument);
    }
    steps->mode = MODE_UNTIL_NAME;
    return PASS;
}

static enum outcome do_end(struct wl_steps *steps, const char *argument)
{
    (void)argument;
    steps->mode = MODE_PASS_ALL;
    wl_messages_print(&steps->run->messages,
                      "the program runs to its end; nothing more is profiled\n");
    return PASS;
}

/* What was counted so far is a report. */
static enum outcome do_quit(struct wl_steps *steps, const char *argument)
{
    (void)argument;
    steps->mode = MODE_PASS_ALL;
    steps->is_quit = true;
    return PASS;
}

static enum outcome do_all(struct wl_steps *steps, const char *argument)
{
    (void)argument;
    steps->mode = MODE_PROFILE_ALL;
    return PROFILE;
}

static enum outcome do_show(struct wl_steps *steps, const char *argument)
{
    show_last(steps, argument);
    return ASK_AGAIN;
}

static enum outcome do_baseline(struct wl_steps *steps, const char *argument)
{
    if (!argument)
        set_baseline(steps);
    else if (strcmp(argument, "clear") == 0)
        steps->baseline = 0;
    else if (strcmp(argument, "show") == 0)
        show_baseline(steps);
    else
        fputs("baseline, baseline clear, baseline show\n", steps->run->messages.pages);
    return ASK_AGAIN;
}

static enum outcome do_help(struct wl_steps *steps, const char *argument);

static const struct {
    const char *name, *letter, *arguments, *help;
    enum outcome (*act)(struct wl_steps *steps, const char *argument);
} commands[] = {
    {"profile", "p", "", "profile this kernel, stop at the next one", do_profile},
    {"next", "n", "", "run this kernel only, stop at the next one", do_next},
    {"until", "u", " [NAME]", "run to the next kernel of this name; without one, of this kernel's",
     do_until},
    {"end", "e", "", "run to the end, profile no more", do_end},
    {"all", "a", "", "profile all that follow", do_all},
    {"show", "s", " [PAGE]", "the kernel profiled last, or a page of it: advice, source ...",
     do_show},
    {"baseline", "b", " [show|clear]", "compare what follows with the kernel profiled last",
     do_baseline},
    {"quit", "q", "", "end the program here; what was profiled is the report", do_quit},
    {"help", "h", "", "this list", do_help},
};
enum { command_count = WL_COUNT(commands) };

static enum outcome do_help(struct wl_steps *steps, const char *argument)
{
    (void)argument;
    for (size_t i = 0; i < command_count; i++) {
        char *words = wl_string_format("%s, %s%s", commands[i].letter, commands[i].name,
                                       commands[i].arguments);
        fprintf(steps->run->messages.pages, "  %-28s %s\n", words, commands[i].help);
        free(words);
    }
    return ASK_AGAIN;
}

/* One line of commands. */
static enum outcome obey(struct wl_steps *steps, char *line)
{
    char *rest = NULL;
    const char *word = strtok_r(line, " \t\r\n", &rest);
    const char *argument = word ? strtok_r(NULL, " \t\r\n", &rest) : NULL;
    if (!word)
        return ASK_AGAIN;
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(word, commands[i].name) == 0 || strcmp(word, commands[i].letter) == 0)
            return commands[i].act(steps, argument);
    wl_messages_print(&steps->run->messages, "there is no command %s; help lists them\n", word);
    return ASK_AGAIN;
}

/* The program that asked may be ended while the user thinks. */
static bool is_there(pid_t process)
{
    siginfo_t info = {0};
    bool is_ended = waitid(P_PID, (id_t)process, &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
                    info.si_pid == process;
    return !is_ended && kill(process, 0) == 0;
}

static enum outcome ask_user(struct wl_steps *steps, const struct wl_steps_question *question)
{
    FILE *pages = steps->run->messages.pages;
    enum outcome outcome = ASK_AGAIN;
    while (outcome == ASK_AGAIN) {
        fflush(pages);
        char *line = wl_prompt_read(steps->prompt);
        if (!line) { /* no more commands */
            fputs(steps->is_typed ? "\n" : "", pages);
            outcome = do_end(steps, NULL);
        } else if (!is_there(question->process)) {
            wl_messages_print(&steps->run->messages, "the program has ended\n");
            outcome = PASS;
        } else {
            outcome = obey(steps, line);
        }
    }
    return outcome;
}

/* ---- the run ---- */

static void say_where(struct wl_steps *steps, const struct wl_steps_question *question)
{
    wl_messages_print(&steps->run->messages, "before %s (%u, %u, %u)x(%u, %u, %u)\n",
                      question->kernel, question->grid[0], question->grid[1], question->grid[2],
                      question->block[0], question->block[1], question->block[2]);
}

static bool is_to_stop(struct wl_steps *steps, const struct wl_steps_question *question)
{
    if (steps->mode == MODE_UNTIL_NAME && strcmp(steps->name, question->kernel) == 0)
        steps->mode = MODE_STOP;
    return steps->mode == MODE_STOP;
}

void wl_steps_tick(void *self)
{
    struct wl_steps *steps = self;
    struct wl_steps_question question;
    while (wl_steps_next(&steps->desk, &question)) {
        enum outcome outcome = steps->mode == MODE_PROFILE_ALL ? PROFILE : PASS;
        if (!is_there(question.process))
            continue;
        if (is_to_stop(steps, &question)) {
            if (steps->has_new)
                show_last(steps, NULL);
            steps->has_new = false;
            free(steps->name);
            steps->name = wl_string_copy(question.kernel);
            say_where(steps, &question);
            outcome = ask_user(steps, &question);
            fflush(steps->run->messages.pages); /* before what the program prints from here on */
        }
        if (steps->is_quit) {
            steps->passed++;
            kill(question.process, SIGTERM);
            continue; /* no answer: it has nothing more to do */
        }
        steps->has_new |= outcome == PROFILE;
        steps->profiled += outcome == PROFILE;
        steps->passed += outcome != PROFILE;
        wl_steps_answer(&steps->desk, outcome == PROFILE);
    }
}

/* The commands are ours: the program gets an empty stdin. */
static enum wl_code take_stdin(struct wl_steps *steps, struct wl_error *error)
{
    int own = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
    steps->is_typed = isatty(STDIN_FILENO);
    FILE *commands = own >= 0 ? fdopen(own, "r") : NULL;
    bool is_taken = commands && empty >= 0 && dup2(empty, STDIN_FILENO) >= 0;
    if (commands)
        steps->prompt =
            wl_prompt_begin(prompt_text, commands, steps->run->messages.pages, steps->is_typed);
    if (empty >= 0)
        close(empty);
    if (is_taken)
        return WL_OK;
    wl_error_set(error, WL_ERR_USAGE, "--interactive: there is no stdin to read commands from");
    return wl_error_set_hint(error, "run it at a terminal, or give it a file of commands");
}

enum wl_code wl_steps_begin(struct wl_launch_run *run, struct wl_steps **steps,
                            struct wl_error *error)
{
    struct wl_steps *made = wl_alloc_zero(1, sizeof *made);
    made->run = run;
    made->desk = (struct wl_steps_desk){-1, -1};
    made->step_path = wl_string_format("%s/so-far.wlr", run->stream_folder);
    made->baseline_path = wl_string_format("%s/baseline.wlr", run->stream_folder);
    *steps = made;
    enum wl_code code = take_stdin(made, error); /* first: a pipe must not become stdin */
    if (code == WL_OK)
        code = wl_steps_open(run->settings.stream_folder, &made->desk, error);
    if (code == WL_OK && made->is_typed)
        fputs("stops before each kernel; help lists the commands\n", run->messages.pages);
    return code;
}

/* What became of the kernels, so that nobody takes a part of the program for all of it. */
static void say_end(const struct wl_steps *steps)
{
    size_t count = steps->profiled + steps->passed;
    if (count > 0 || steps->is_quit)
        wl_messages_print(&steps->run->messages, "the program %s: %zu of %zu kernel%s profiled\n",
                          steps->is_quit ? "was ended" : "has ended", steps->profiled, count,
                          count == 1 ? "" : "s");
}

bool wl_steps_is_quit(const struct wl_steps *steps)
{
    return steps && steps->is_quit;
}

void wl_steps_end(struct wl_steps *steps)
{
    if (!steps)
        return;
    wl_steps_close(&steps->desk);
    if (steps->has_new && steps->mode == MODE_STOP)
        show_last(steps, NULL);
    if (steps->mode == MODE_UNTIL_NAME)
        wl_messages_warn(&steps->run->messages,
                         "until takes the whole name, as it stands after before",
                         "no further kernel %s came", steps->name);
    say_end(steps);
    wl_prompt_end(steps->prompt);
    unlink(steps->step_path);
    unlink(steps->baseline_path);
    free(steps->step_path);
    free(steps->baseline_path);
    free(steps->name);
    free(steps);
}
