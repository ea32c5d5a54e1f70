/* Plans as texts: every node of a configuration, behind those that it holds, the configuration
 * last:
 *   [[type, [name, type, values...], ...], ...]
 * Values of descriptors are numbers of nodes; all others are whole numbers of their bits. What is
 * only told, handles and pointers are left out. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/cudnn/backend.h"

/* ---- writing ---- */

struct writer {
    WL_VECTOR(char) text;
    WL_VECTOR(const struct wl_cudnn_node *) nodes;
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *self, const char *format, ...)
{
    char piece[64];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    for (int i = 0; i < length; i++)
        WL_PUSH(&self->text, piece[i]);
}

static size_t number_of(const struct writer *self, const struct wl_cudnn_node *node)
{
    size_t at = 0;
    while (at < self->nodes.count && self->nodes.items[at] != node)
        at++;
    return at;
}

static bool is_written(const struct wl_cudnn_node *node, const struct wl_cudnn_attribute *attribute)
{
    return attribute->type != WL_CUDNN_IS_HANDLE && attribute->type != WL_CUDNN_IS_POINTER &&
           !wl_cudnn_attribute_is_told(node, attribute->name);
}

static void write_values(struct writer *self, const struct wl_cudnn_attribute *attribute)
{
    const size_t bytes = wl_cudnn_attribute_bytes(attribute->type);
    put(self, ",[%d,%d", attribute->name, attribute->type);
    for (int64_t i = 0; i < attribute->count; i++) {
        int64_t value = 0;
        memcpy(&value, (const char *)attribute->values + (size_t)i * bytes, bytes);
        if (attribute->type == WL_CUDNN_IS_DESCRIPTOR)
            value = (int64_t)number_of(self, ((struct wl_cudnn_node **)attribute->values)[i]);
        put(self, ",%" PRId64, value);
    }
    put(self, "]");
}

static void write_node(struct writer *self, const struct wl_cudnn_node *node)
{
    if (number_of(self, node) < self->nodes.count)
        return;
    for (size_t i = 0; i < node->attributes.count; i++) {
        const struct wl_cudnn_attribute *attribute = &node->attributes.items[i];
        if (attribute->type != WL_CUDNN_IS_DESCRIPTOR || !is_written(node, attribute))
            continue;
        for (int64_t k = 0; k < attribute->count; k++)
            write_node(self, ((struct wl_cudnn_node **)attribute->values)[k]);
    }
    put(self, "%s[%d", self->nodes.count ? "," : "[", node->type);
    for (size_t i = 0; i < node->attributes.count; i++)
        if (is_written(node, &node->attributes.items[i]))
            write_values(self, &node->attributes.items[i]);
    put(self, "]");
    WL_PUSH(&self->nodes, node);
}

char *wl_cudnn_node_write(const struct wl_cudnn_node *config)
{
    struct writer writer = {0};
    write_node(&writer, config);
    put(&writer, "]");
    WL_PUSH(&writer.text, '\0');
    free(writer.nodes.items);
    return writer.text.items;
}

/* ---- reading ---- */

struct reader {
    const char *at, *end;
    WL_VECTOR(struct wl_cudnn_node *) nodes;
};

static bool skip(struct reader *self, char wanted)
{
    if (self->at == self->end || *self->at != wanted)
        return false;
    self->at++;
    return true;
}

static bool read_number(struct reader *self, int64_t *made)
{
    const bool is_negative = skip(self, '-');
    uint64_t value = 0;
    int digits = 0;
    for (; self->at < self->end && *self->at >= '0' && *self->at <= '9' && digits < 20; digits++)
        value = value * 10 + (uint64_t)(*self->at++ - '0');
    *made = (int64_t)(is_negative ? 0 - value : value);
    return digits > 0;
}

/* A value as it is kept; false: it is the number of no node before this one. */
static bool keep(const struct reader *self, int type, int64_t value, void *to)
{
    if (type != WL_CUDNN_IS_DESCRIPTOR) {
        memcpy(to, &value, wl_cudnn_attribute_bytes(type));
        return true;
    }
    if (value < 0 || (uint64_t)value + 1 >= self->nodes.count)
        return false;
    memcpy(to, &self->nodes.items[value], sizeof *self->nodes.items);
    return true;
}

static bool read_attribute(struct reader *self, struct wl_cudnn_node *node)
{
    WL_VECTOR(char) values = {0};
    int64_t name, type, value, count = 0;
    bool is_right = skip(self, '[') && read_number(self, &name) && skip(self, ',') &&
                    read_number(self, &type) && type > WL_CUDNN_IS_HANDLE &&
                    type != WL_CUDNN_IS_POINTER && type < INT8_MAX &&
                    wl_cudnn_attribute_bytes((int)type);
    while (is_right && skip(self, ',')) {
        char kept[sizeof value];
        is_right = read_number(self, &value) && keep(self, (int)type, value, kept);
        for (size_t i = 0; is_right && i < wl_cudnn_attribute_bytes((int)type); i++)
            WL_PUSH(&values, kept[i]);
        count += is_right;
    }
    is_right = is_right && skip(self, ']') && name >= 0 && name < INT32_MAX &&
               !wl_cudnn_attribute_give(node, (int)name, (int)type, count, values.items);
    free(values.items);
    return is_right;
}

static bool read_node(struct reader *self)
{
    int64_t type;
    if (!skip(self, '[') || !read_number(self, &type) || type < 0 || type > INT8_MAX)
        return false;
    struct wl_cudnn_node *made = wl_cudnn_node_make((int)type);
    WL_PUSH(&self->nodes, made);
    bool is_right = true;
    while (is_right && skip(self, ','))
        is_right = read_attribute(self, made);
    return is_right && skip(self, ']') && !wl_cudnn_node_finalize(made);
}

struct wl_cudnn_node *wl_cudnn_node_read(const char *text, size_t length)
{
    struct reader reader = {.at = text, .end = text + length};
    bool is_right = skip(&reader, '[');
    do
        is_right = is_right && read_node(&reader);
    while (is_right && skip(&reader, ','));
    is_right = is_right && skip(&reader, ']') && reader.at == reader.end;
    struct wl_cudnn_node *made = NULL;
    if (is_right && reader.nodes.items[reader.nodes.count - 1]->type == WL_CUDNN_NODE_CONFIG)
        made = wl_cudnn_node_hold(reader.nodes.items[reader.nodes.count - 1]);
    for (size_t i = 0; i < reader.nodes.count; i++)
        wl_cudnn_node_release(reader.nodes.items[i]);
    free(reader.nodes.items);
    return made;
}
