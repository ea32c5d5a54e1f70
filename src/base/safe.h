/* Text from the user's program, its files or a received report, made safe to show. */
#ifndef WL_BASE_SAFE_H
#define WL_BASE_SAFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Decodes one UTF-8 character and returns its length in bytes; 0: invalid UTF-8. */
size_t wl_safe_decode(const char *string, uint32_t *character);
/* False for control characters and for those that change how neighbouring text is displayed. */
bool wl_safe_is_plain(uint32_t character);
/* Appends the character as \xNN, \uNNNN or \UNNNNNNNN. */
void wl_safe_add_escaped(uint32_t character, struct wl_text *out);

/* One line for a terminal: characters that are not plain and invalid UTF-8 are escaped; a tab
 * becomes spaces up to the next multiple of 4 columns. */
void wl_safe_add(const char *string, struct wl_text *out);
/* The same, keeping newlines. */
void wl_safe_add_lines(const char *string, struct wl_text *out);

/* Adds string with U+FFFD for each byte of invalid UTF-8. */
void wl_safe_add_valid(const char *string, struct wl_text *out);

#endif
