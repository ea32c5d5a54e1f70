#include "base/near.h"

#include <string.h>

enum { longest_word = 80 };

/* How many letters were added, left out, changed, or exchanged with the next one, of the first 80.
 */
static size_t word_distance(const char *left, const char *right)
{
    size_t rows[3][longest_word + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    size_t width = strnlen(right, longest_word), height = strnlen(left, longest_word);
    for (size_t x = 0; x <= width; x++)
        row[x] = x;
    for (size_t y = 1; y <= height; y++) {
        size_t *free_row = before;
        before = above;
        above = row;
        row = free_row;
        row[0] = y;
        for (size_t x = 1; x <= width; x++) {
            size_t best = above[x - 1] + (left[y - 1] != right[x - 1]);
            if (above[x] + 1 < best)
                best = above[x] + 1;
            if (row[x - 1] + 1 < best)
                best = row[x - 1] + 1;
            if (y > 1 && x > 1 && left[y - 1] == right[x - 2] && left[y - 2] == right[x - 1] &&
                before[x - 2] + 1 < best)
                best = before[x - 2] + 1;
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
