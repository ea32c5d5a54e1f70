#include "show/page/advice_documents.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/format/format.h"
#include "show/page/advice_text.h"

/* ---- Markdown ---- */

/* Text as Markdown shows it: what has a meaning there is escaped, and it stays on its line. */
static void add_markdown(struct wl_text *out, const char *text)
{
    struct wl_text safe = {0};
    wl_format_safe(text, &safe);
    for (const char *at = safe.data ? safe.data : ""; *at; at++) {
        if (strchr("\\`*_{}[]<>()#|!", *at))
            wl_text_add_char(out, '\\');
        wl_text_add_char(out, *at);
    }
    wl_text_free(&safe);
}

static void markdown_finding(struct wl_text *out, const struct wl_advice *advice, size_t number)
{
    struct wl_text piece = {0};
    bool is_mark_shown[3] = {false};
    wl_text_addf(out, "%zu. **", number);
    wl_advice_add_place(advice, &piece);
    add_markdown(out, piece.data);
    wl_text_addf(out, "** %s%s: ", advice->severity == WL_ADVICE_NOTE ? "note: " : "",
                 advice->rule->id);
    add_markdown(out, advice->title);
    piece.length = 0;
    wl_text_add(&piece, "");
    wl_advice_add_gain(advice, &piece);
    wl_text_addf(out, "%s%s\n", piece.length ? "; " : "", piece.data);
    for (size_t i = 0; i < advice->evidence_count; i++) {
        piece.length = 0;
        wl_advice_add_evidence(is_mark_shown, &advice->evidence[i], &piece);
        wl_text_add(out, "   - ");
        add_markdown(out, piece.data);
        wl_text_add_char(out, '\n');
    }
    wl_text_add(out, "   - ");
    add_markdown(out, advice->todo);
    wl_text_add(out, "\n");
    if (advice->has_gain) {
        piece.length = 0;
        wl_advice_add_method(advice, &piece);
        wl_text_add(out, "   - gain ");
        add_markdown(out, piece.data);
        wl_text_add_char(out, '\n');
    }
    wl_text_free(&piece);
}

enum wl_code wl_advice_write_markdown(struct wl_view_context *context, struct wl_text *out,
                                      struct wl_error *error)
{
    const struct wl_view_advice *advice = NULL;
    enum wl_code code = wl_view_advise(context, &advice, error);
    if (code != WL_OK)
        return code;
    wl_text_add(out, "## Findings\n\n");
    for (size_t i = 0; i < advice->finding_count; i++)
        markdown_finding(out, &advice->findings[i], i + 1);
    if (advice->finding_count == 0)
        wl_text_add(out, "No rule found anything.\n");
    for (size_t i = 0; i < advice->skip_count; i++) {
        struct wl_text text = {0};
        wl_text_add(out, i == 0 ? "\nNot looked at:\n\n" : "");
        if (wl_advice_add_skip(advice, i, &text)) {
            wl_text_add(out, "- ");
            add_markdown(out, text.data);
            wl_text_add_char(out, '\n');
        }
        wl_text_free(&text);
    }
    return WL_OK;
}
