/* Pieces of findings that the formats of the advice page, the guided walk and exports share. */
#ifndef WL_SHOW_PAGE_ADVICE_TEXT_H
#define WL_SHOW_PAGE_ADVICE_TEXT_H

#include "analyse/advise/advice.h"
#include "show/page/context.h"

/* Rules and what they found among the context's launches. */
struct wl_view_advice {
    struct wl_rules *rules;
    struct wl_advice_list *list;
    const struct wl_advice *findings;
    size_t finding_count;
    const struct wl_advice_skip *skips;
    size_t skip_count;
    size_t looked_at; /* launches, where some stand for all (longest.h); 0: at all */
};

/* The advice of a context, which owns it: rules run once for all callers; of very many launches
 * they look at the longest (longest.h). Errors: those of wl_rules_load and wl_advise. */
enum wl_code wl_view_advise(struct wl_view_context *context, const struct wl_view_advice **advice,
                            struct wl_error *error);

/* For each of some launches as if there was no other, with rules that are loaded already; lists as
 * for wl_advise_each. */
enum wl_code wl_view_advise_each(struct wl_view_context *context, const struct wl_rules *rules,
                                 const struct wl_report_launch *const *launches,
                                 size_t launch_count, struct wl_advice_list **lists,
                                 struct wl_error *error);
/* Takes a list of such to be looked at; wl_view_advice_release frees it. */
void wl_view_advice_set(struct wl_view_advice *advice, struct wl_advice_list *list);
/* Says how many launches the rules looked at, where that is not all. */
void wl_view_advice_say_looked_at(const struct wl_view_context *context,
                                  const struct wl_view_advice *advice, struct wl_page_sink *sink);
/* Frees what is in it, the rules too. */
void wl_view_advice_release(struct wl_view_advice *advice);

/* Each adds to out; what comes from the user's program is not yet safe for a terminal. */

/* "gemm.cu:87:14", or the kernel's name where there is no line, or "program". */
void wl_advice_add_place(const struct wl_advice *advice, struct wl_text *out);
/* "saves 13% (1.15x)", with the time where it is known; nothing where no gain is known. */
void wl_advice_add_gain(const struct wl_advice *advice, struct wl_text *out);
/* "metric = 50 % (threshold 10)", marked; is_mark_shown: see wl_mark_text. */
void wl_advice_add_evidence(bool is_mark_shown[3], const struct wl_advice_evidence *evidence,
                            struct wl_text *out);
/* "by formula: ...; confidence low; overlaps finding 2, do not add them" */
void wl_advice_add_method(const struct wl_advice *advice, struct wl_text *out);
/* "issue-slots, near-peak: needs metric gpu__time_duration.sum, not in this report" for the skip at
 * index and all that lack the same, or what is wrong with its rule. False where an earlier one has
 * said it. */
bool wl_advice_add_skip(const struct wl_view_advice *advice, size_t index, struct wl_text *out);
/* The source line of a place without leading spaces, or its PTX where there is no line; "" if
 * neither is known. free() it. */
char *wl_advice_source_line(struct wl_report *report, const struct wl_advice_place *place);

#endif
