/* What the user asked for, on its way from the command line to a collector inside the watched
 * program: `key=value` lines in a file named by the environment variable WARPLENS_SETTINGS.
 * Each setting is a row of settings.def: its field here, its key there, and its option, if it has
 * one. Unknown keys are an error (a newer warplens wrote them). */
#ifndef WL_RECORD_SETTINGS_H
#define WL_RECORD_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/options.h"
#include "base/override.h"
#include "base/text.h"

#define WL_CHOICE(name, words, ...) \
    enum wl_##name{__VA_ARGS__};    \
    extern const char wl_##name##_words[]; /* "all|none" */
#include "record/settings.def"

/* What tells replay modes apart for whoever does not count: the launcher, and pages by what
 * launch__replay says. */
struct wl_replay_facts {
    const char *passes;  /* what so many passes are, "each launch runs %zu times"; NULL: none */
    bool has_runs;       /* each run of the program is a pass */
    bool has_ranges;     /* ranges of launches are counted as one */
    bool repeats_ranges; /* within the program: nothing may be loaded in the middle of one */
    /* Samples of warps and counts of instructions have runs of their own, and are wanted. */
    bool has_runs_of_instructions;
    bool counts_nothing;
    bool gives_means; /* values are those of several launches */
};
const struct wl_replay_facts *wl_replay_facts(enum wl_replay replay);
/* Of a mode's name; of none of these (NULL, "graph") what auto has. Never NULL. */
const struct wl_replay_facts *wl_replay_facts_named(const char *name);

/* Owns its texts. */
struct wl_settings {
#define WL_SETTING_TYPE_TEXT char *
#define WL_SETTING_TYPE_BOOL bool
#define WL_SETTING_TYPE_U32 uint32_t
#define WL_SETTING_TYPE_U64 uint64_t
#define WL_SETTING(type, field, initial, off, reported, option) WL_SETTING_TYPE_##type field;
#define WL_SETTING_CHOICE(choice, field, initial, off, reported, option) enum wl_##choice field;
#include "record/settings.def"
};

/* Which options stand together: a verb has those of some groups. Bits. */
enum wl_settings_group {
    WL_SETTINGS_COLLECTOR = 1,
    WL_SETTINGS_GPU = 2,
    WL_SETTINGS_LAUNCHES = 4, /* which launches, also of a report */
    WL_SETTINGS_FILTERS = 8,  /* and what else chooses among them while they run */
    WL_SETTINGS_CHECKS = 16,
    WL_SETTINGS_TRACE = 32,
};
extern const struct wl_option wl_settings_options[]; /* offsets into struct wl_settings */

void wl_settings_init(struct wl_settings *settings); /* initial values */
/* The same for a command line to be read into: collector and gpu are not chosen yet,
 * WL_COLLECTOR_AUTO and "". */
void wl_settings_init_unchosen(struct wl_settings *settings);
void wl_settings_free(struct wl_settings *settings);
/* to need not be initialised. */
void wl_settings_copy(struct wl_settings *to, const struct wl_settings *from);
/* Replaces one of its texts; NULL is "". */
void wl_settings_set_text(char **field, const char *text);

void wl_settings_print(const struct wl_settings *settings, struct wl_text *out);
/* Reads key=value lines over the present values. Errors: WL_ERR_CORRUPT with line. */
enum wl_code wl_settings_parse(const char *text, struct wl_settings *settings,
                               struct wl_error *error);

/* Gives take() those that a report of the run lists, in order; key outlives all, value the call.
 */
void wl_settings_report(const struct wl_settings *settings,
                        void (*take)(void *self, const char *key, const char *value,
                                     bool is_number),
                        void *self);

#endif
