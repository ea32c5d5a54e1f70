#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/memory.h"
#include "show/export/html.h"

struct wl_html_entry {
    char *key; /* the item as JSON; of a text, itself behind '"' */
    json_int_t position;
    UT_hash_handle hh;
};

static char *key_of(const json_t *item)
{
    if (!json_is_string(item))
        return json_dumps(item, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS);
    size_t length = json_string_length(item);
    char *key = wl_alloc_zero(length + 2, 1);
    key[0] = '"';
    memcpy(key + 1, json_string_value(item), length);
    return key;
}

json_int_t wl_html_intern(struct wl_html_table *table, json_t *item)
{
    struct wl_html_entry *entry = NULL;
    char *key = key_of(item);
    if (!table->items)
        table->items = json_array();
    HASH_FIND_STR(table->entries, key, entry);
    if (entry) {
        free(key);
        json_decref(item);
        return entry->position;
    }
    entry = wl_alloc_zero(1, sizeof *entry);
    entry->key = key;
    entry->position = (json_int_t)json_array_size(table->items);
    HASH_ADD_KEYPTR(hh, table->entries, entry->key, strlen(entry->key), entry);
    json_array_append_new(table->items, item);
    return entry->position;
}

json_t *wl_html_table_take(struct wl_html_table *table)
{
    struct wl_html_entry *entry, *next;
    json_t *items = table->items ? table->items : json_array();
    HASH_ITER(hh, table->entries, entry, next)
    {
        HASH_DEL(table->entries, entry);
        free(entry->key);
        free(entry);
    }
    *table = (struct wl_html_table){0};
    return items;
}
