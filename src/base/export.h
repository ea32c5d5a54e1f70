/* What is not an API of its own is compiled with hidden visibility, so that a name of ours is never
 * the program's, nor the other way round. Where another of our libraries calls a function of
 * libwarplens-gpu.so, or somebody finds a function by its name at run time, the declaration says
 * so: tests/exports lists them. */
#ifndef WL_BASE_EXPORT_H
#define WL_BASE_EXPORT_H

#define WL_EXPORT __attribute__((visibility("default")))

#endif
