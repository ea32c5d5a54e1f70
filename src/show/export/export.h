/* A report as files for people: one HTML page that needs nothing beside it, a PDF, or
 * drawings. */
#ifndef WL_SHOW_EXPORT_EXPORT_H
#define WL_SHOW_EXPORT_EXPORT_H

#include "base/error.h"
#include "base/text.h"
#include "report/report.h"
#include "show/page/view.h"

struct wl_export_report {
    const char *name; /* as it is shown: the file name without folders */
    struct wl_report *report;
};

/* Writes reports[0], with the others as baselines, as an HTML page to path; view chooses launches,
 * sections and metrics as for the pages. A file that is there is replaced only when all went well.
 * Errors: those of wl_view_print and, unless allows_unlike, of wl_view_diff for reports of
 * different GPUs; WL_ERR_OUTPUT where path cannot be written. */
enum wl_code wl_export_html(const struct wl_export_report *reports, size_t count,
                            bool allows_unlike, const struct wl_view_options *view,
                            const char *path, struct wl_error *error);

/* The same page in parts, for who serves it: opened once, its sections made as they are asked for.
 */
struct wl_export_page;
/* reports and what they hold must outlive the page; errors as wl_export_html. NULL on errors. */
enum wl_code wl_export_page_open(const struct wl_export_report *reports, size_t count,
                                 bool allows_unlike, const struct wl_view_options *view,
                                 struct wl_export_page **page, struct wl_error *error);
/* A section as JSON, with what its names mean: {"data": {...} or null, "definitions": {...}};
 * "parts" says which there are; "launches:7,9" and "drawings:7" have these launches only. Of more
 * than 1,000 launches "launches" has no values. Errors: those of the
 * pages; WL_ERR_INPUT where there is no section of this name. */
enum wl_code wl_export_page_section(struct wl_export_page *page, const char *name,
                                    struct wl_text *json, struct wl_error *error);
/* The whole, as wl_export_html writes it. */
enum wl_code wl_export_page_whole(struct wl_export_page *page, struct wl_text *html,
                                  struct wl_error *error);
void wl_export_page_close(struct wl_export_page *page);
/* The page without data, which asks the server that it came from. */
void wl_export_page_shell(const char *title, struct wl_text *html);

/* Writes the whole analysis of a report as PDF: launches, findings, the guided walk; then launches
 * in full, of many only the longest of each kernel. Errors: as wl_export_html. */
enum wl_code wl_export_pdf(const struct wl_export_report *report,
                           const struct wl_view_options *view, const char *path,
                           struct wl_error *error);

enum wl_export_picture { WL_EXPORT_SVG, WL_EXPORT_PNG };

/* Writes the drawings of each launch that view chooses as FOLDER/ID-NAME.svg or .png; the folder is
 * made where it is not there. *written: how many. Errors: those of wl_view_print; WL_ERR_OUTPUT. */
enum wl_code wl_export_pictures(struct wl_report *report, const struct wl_view_options *view,
                                enum wl_export_picture form, const char *folder, bool overwrites,
                                size_t *written, struct wl_error *error);

#endif
