/* Allocation that needs no check: these functions never return NULL. Out of memory ends the calling
 * operation through wl_memory_fail. In a watched program that handler
 * switches the collector off instead of ending the process. */
#ifndef WL_BASE_MEMORY_H
#define WL_BASE_MEMORY_H

#include <stddef.h>

#include "base/export.h"

/* Called when memory runs out; must not return. Default: message and abort(). */
extern void (*wl_memory_fail)(size_t size_bytes) __attribute__((noreturn));

WL_EXPORT void *wl_alloc(size_t size_bytes);                    /* uninitialised */
WL_EXPORT void *wl_alloc_zero(size_t count, size_t size_bytes); /* zeroed, checks overflow */
void *wl_resize(void *block, size_t count, size_t size_bytes);  /* realloc, checks overflow */
void *wl_alloc_aligned(size_t alignment, size_t size_bytes);    /* zeroed; free() it */
/* Zeroed pages of their own, large ones where the system has them, which cost nothing before they
 * are touched, for large tables of which little may be used. Free with wl_pages_free. */
void *wl_pages_alloc(size_t size_bytes);
void wl_pages_free(void *pages, size_t size_bytes); /* NULL is fine */
WL_EXPORT char *wl_string_copy(const char *text);   /* NULL gives NULL; free() it */
WL_EXPORT char *wl_string_copy_length(const char *text, size_t length); /* free() it */
WL_EXPORT char *wl_string_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Grows *items so that one more fits: doubles capacity. Use through WL_PUSH. */
WL_EXPORT void wl_vector_grow(void **items, size_t count, size_t *capacity, size_t item_bytes);

/* A growable vector, zero-initialised, whose items are freed by free(): for WL_PUSH. The fields are
 * for a struct that has a name of its own or holds more. */
#define WL_VECTOR_FIELDS(type) \
    type *items;               \
    size_t count, capacity
#define WL_VECTOR(type)         \
    struct {                    \
        WL_VECTOR_FIELDS(type); \
    }

/* Appends value to a WL_VECTOR, or to a struct of WL_VECTOR_FIELDS. */
#define WL_PUSH(vector, value)                                                          \
    do {                                                                                \
        wl_vector_grow((void **)&(vector)->items, (vector)->count, &(vector)->capacity, \
                       sizeof *(vector)->items);                                        \
        (vector)->items[(vector)->count++] = (value);                                   \
    } while (0)

#endif
