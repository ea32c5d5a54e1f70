#include "import/csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* One field; next is behind its comma, or at its line's end. Quotes are taken off in place. */
static char *read_field(struct wl_csv *csv, bool *is_last)
{
    char *from = csv->next, *to = csv->next, *field = csv->next;
    if (*from == '"') {
        field = to = ++from;
        while (*from && !(*from == '"' && from[1] != '"')) {
            from += *from == '"';
            *to++ = *from++;
        }
        csv->is_cut = !*from;
        from += *from == '"';
    }
    while (*from && *from != ',' && *from != '\n')
        *to++ = *from++;
    *is_last = *from != ',';
    csv->next = *from ? from + 1 : from;
    if (to > field && to[-1] == '\r')
        to--;
    *to = '\0';
    return field;
}

bool wl_csv_read(struct wl_csv *csv)
{
    bool is_last = false;
    csv->fields.count = 0;
    while (*csv->next == '\n' || *csv->next == '\r')
        csv->next++;
    if (!*csv->next)
        return false;
    while (!is_last) {
        char *field = read_field(csv, &is_last);
        WL_PUSH(&csv->fields, field);
    }
    return true;
}

const char *wl_csv_field(const struct wl_csv *csv, int column)
{
    return column >= 0 && (size_t)column < csv->fields.count ? csv->fields.items[column] : "";
}

int wl_csv_find(const struct wl_csv *csv, const char *text)
{
    for (size_t i = 0; i < csv->fields.count; i++)
        if (strcmp(csv->fields.items[i], text) == 0)
            return (int)i;
    return -1;
}

void wl_csv_free(struct wl_csv *csv)
{
    free(csv->fields.items);
}
