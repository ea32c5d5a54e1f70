#include "base/near.h"

#include <string.h>

enum { longest_word = 80 };

/* Levenshtein's distance of the first 80 characters. */
static size_t word_distance(const char *left, const char *right)
{
    size_t row[longest_word + 1];
    size_t width = strnlen(right, longest_word), height = strnlen(left, longest_word);
    for (size_t x = 0; x <= width; x++)
        row[x] = x;
    for (size_t y = 1; y <= height; y++) {
        size_t diagonal = row[0];
        row[0] = y;
        for (size_t x = 1; x <= width; x++) {
            size_t best = diagonal + (left[y - 1] != right[x - 1]);
            if (row[x] + 1 < best)
                best = row[x] + 1;
            if (row[x - 1] + 1 < best)
                best = row[x - 1] + 1;
            diagonal = row[x];
            row[x] = best;
        }
    }
    return row[width];
}

void wl_near_offer(struct wl_near *near, const char *name)
{
    size_t length = strlen(near->word);
    size_t distance = word_distance(near->word, name);
    /* a word that the name contains is as near as one typing error */
    if (length >= 3 && distance > 1 && strstr(name, near->word))
        distance = 1;
    if (distance > (length < 5 ? 1 : length / 3))
        return;
    for (size_t i = 0; i < 3; i++) {
        if (near->names[i] && near->distances[i] <= distance)
            continue;
        for (size_t j = 2; j > i; j--) {
            near->names[j] = near->names[j - 1];
            near->distances[j] = near->distances[j - 1];
        }
        near->names[i] = name;
        near->distances[i] = distance;
        return;
    }
}

void wl_near_print(const struct wl_near *near, const char *prefix, struct wl_text *out)
{
    for (size_t i = 0; i < 3 && near->names[i]; i++) {
        bool is_last = i == 2 || !near->names[i + 1];
        wl_text_addf(out, "%s%s%s", i == 0 ? "" : is_last ? " or " : ", ", prefix, near->names[i]);
    }
}
