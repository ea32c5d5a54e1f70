/* What the workbench shows: numbered runs with their reports, and what happens now. The server
 * reads it on its threads; who runs the program writes it. */
#ifndef WL_SHOW_SERVE_BOOK_H
#define WL_SHOW_SERVE_BOOK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "show/page/view.h"

struct wl_book;

/* view must outlive the book. */
struct wl_book *wl_book_create(const struct wl_view_options *view);
void wl_book_free(struct wl_book *book);

/* Opens a report as the next run, which becomes the current one; note: how it came to be. Errors:
 * those of wl_report_open. */
enum wl_code wl_book_add(struct wl_book *book, const char *path, const char *note,
                         struct wl_error *error);

/* What every window gets: a copy of state ("program", "phase", ...), and of the runs. */
void wl_book_publish(struct wl_book *book, const json_t *state);
/* Waits until something is published after version, at most limit_ms, and gives it as JSON. Returns
 * its version; 0: the book is closed. */
uint64_t wl_book_wait(struct wl_book *book, uint64_t version, uint32_t limit_ms,
                      struct wl_text *json);
/* From here on wl_book_wait returns 0 at once. */
void wl_book_close(struct wl_book *book);

/* A section of a run's page (show/export/export.h), compared with the run base (0: with none).
 * Errors: WL_ERR_INPUT where there is no such run. */
enum wl_code wl_book_section(struct wl_book *book, const char *name, size_t run, size_t base,
                             struct wl_text *json, struct wl_error *error);
/* The whole page. */
enum wl_code wl_book_page(struct wl_book *book, size_t run, size_t base, struct wl_text *html,
                          struct wl_error *error);

/* What a window asks for; who runs the program takes it. */
enum wl_book_command {
    WL_COMMAND_NONE,
    WL_COMMAND_RUN,
    WL_COMMAND_CANCEL,
    WL_COMMAND_BASELINE,
    WL_COMMAND_WHATIF
};
/* text: arguments as a JSON array, or NULL for those of the run before; of WL_COMMAND_WHATIF
 * causes, "a+b"; number: of the baseline's run. */
void wl_book_request(struct wl_book *book, enum wl_book_command command, const char *text,
                     size_t number);
/* The oldest command that was not taken; free() *text. */
enum wl_book_command wl_book_take(struct wl_book *book, char **text, size_t *number);
/* A descriptor that can be read when there is a command. */
int wl_book_descriptor(const struct wl_book *book);

size_t wl_book_count(struct wl_book *book);

#endif
