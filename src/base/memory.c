#include "base/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

__attribute__((noreturn)) static void fail_by_abort(size_t size_bytes)
{
    fprintf(stderr, "warplens: out of memory (%zu bytes asked)\n", size_bytes);
    abort();
}

__attribute__((noreturn)) void (*wl_memory_fail)(size_t size_bytes) = fail_by_abort;

void *wl_alloc(size_t size_bytes)
{
    void *block = malloc(size_bytes ? size_bytes : 1);
    if (!block)
        wl_memory_fail(size_bytes);
    return block;
}

void *wl_alloc_zero(size_t count, size_t size_bytes)
{
    void *block = calloc(count ? count : 1, size_bytes ? size_bytes : 1);
    if (!block)
        wl_memory_fail(count * size_bytes);
    return block;
}

void *wl_resize(void *block, size_t count, size_t size_bytes)
{
    if (size_bytes && count > SIZE_MAX / size_bytes)
        wl_memory_fail(SIZE_MAX);
    size_t total_bytes = count * size_bytes;
    void *resized = realloc(block, total_bytes ? total_bytes : 1);
    if (!resized)
        wl_memory_fail(total_bytes);
    return resized;
}

void *wl_alloc_aligned(size_t alignment, size_t size_bytes)
{
    void *block = NULL;
    size_t rounded_bytes = (size_bytes + alignment - 1) / alignment * alignment;
    if (rounded_bytes < size_bytes || posix_memalign(&block, alignment, rounded_bytes + alignment))
        wl_memory_fail(size_bytes);
    memset(block, 0, rounded_bytes + alignment);
    return block;
}

void *wl_pages_alloc(size_t size_bytes)
{
    void *pages =
        mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        wl_memory_fail(size_bytes);
    madvise(pages, size_bytes, MADV_HUGEPAGE); /* which need not be there */
    return pages;
}

void wl_pages_free(void *pages, size_t size_bytes)
{
    if (pages)
        munmap(pages, size_bytes);
}

char *wl_string_copy(const char *text)
{
    return text ? wl_string_copy_length(text, strlen(text)) : NULL;
}

char *wl_string_copy_length(const char *text, size_t length)
{
    char *copy = wl_alloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *wl_string_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        return wl_string_copy("");
    char *text = wl_alloc((size_t)length + 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

void wl_vector_grow(void **items, size_t count, size_t *capacity, size_t item_bytes)
{
    if (count < *capacity)
        return;
    size_t grown = *capacity ? *capacity * 2 : 8;
    *items = wl_resize(*items, grown, item_bytes);
    *capacity = grown;
}
