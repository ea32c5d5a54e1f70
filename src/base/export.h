/* All code is compiled with hidden visibility, so that our symbols and the program's cannot
 * interpose each other. A function that another of our libraries calls, or that is looked up by
 * name at run time, is exported by its declaration; tests/exports lists them all. */
#ifndef WL_BASE_EXPORT_H
#define WL_BASE_EXPORT_H

#define WL_EXPORT __attribute__((visibility("default")))

#endif
