/* Text from the user's program, its files or a received report, made safe to show. */
#ifndef WL_BASE_SAFE_H
#define WL_BASE_SAFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Decodes one character of UTF-8; 0 bytes taken means that the bytes are none. */
size_t wl_safe_decode(const char *string, uint32_t *character);
/* False: a control character, or one that changes how what stands around it is shown. */
bool wl_safe_is_plain(uint32_t character);
/* Such a character as \xNN, \uNNNN or \UNNNNNNNN. */
void wl_safe_add_escaped(uint32_t character, struct wl_text *out);

/* A line for a terminal: what is not plain is escaped, as are bytes that are no UTF-8; a tab
 * becomes spaces up to the next multiple of 4 columns. */
void wl_safe_add(const char *string, struct wl_text *out);
/* The same with lines kept. */
void wl_safe_add_lines(const char *string, struct wl_text *out);

/* Adds string with U+FFFD for each byte that is no UTF-8. */
void wl_safe_add_valid(const char *string, struct wl_text *out);

#endif
