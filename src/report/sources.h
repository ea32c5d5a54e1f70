/* The text of the source files that a report names, as they are when it is made. */
#ifndef WL_REPORT_SOURCES_H
#define WL_REPORT_SOURCES_H

#include "report/inserter.h"
#include "report/writer.h"

/* Adds the row of one file: found as named, or in one of the folders under the longest end of its
 * path ("/home/a/src/k.cu": FOLDER/home/a/src/k.cu, ... FOLDER/k.cu). Its text is kept only if it
 * is a regular file of text, of at most 8 MB, under the working folder, the program's folder, the
 * version control's folder above one of these, or one of the folders, and nothing on the way down
 * from there is hidden; else the row says why not. */
void wl_report_source_add(struct wl_inserter *inserter, int64_t file_id, const char *file,
                          const struct wl_report_writer_sources *sources);

#endif
