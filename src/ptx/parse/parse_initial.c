/* Initialisers of variables (PTX ISA 9.0, section 5.4.4). */
#include <string.h>

#include "base/memory.h"
#include "ptx/parse/parse.h"

/* Where the parser stands in the array. */
struct initial {
    struct wl_ptx_variable *variable;
    const uint64_t *dimensions; /* counts[0] is 0 for `x[]` */
    unsigned dimension_count;
    size_t element_bytes;
};

static bool check_size(struct wl_ptx_parser *parser, uint64_t size_bytes)
{
    if (size_bytes > WL_PTX_INITIAL_BYTES_MAX - parser->initial_bytes)
        return wl_ptx_fail(parser, parser->token.offset,
                           "the initialised variables are larger than 256 MiB");
    return true;
}

/* Makes room so that the first length bytes exist. */
static bool grow_bytes(struct wl_ptx_parser *parser, uint64_t length)
{
    if (length <= parser->bytes.count)
        return true;
    if (!check_size(parser, length))
        return false;
    size_t capacity = parser->bytes.capacity ? parser->bytes.capacity : 256;
    while (capacity < length)
        capacity *= 2;
    if (capacity != parser->bytes.capacity) {
        parser->bytes.items = wl_resize(parser->bytes.items, capacity, 1);
        parser->bytes.capacity = capacity;
    }
    memset(parser->bytes.items + parser->bytes.count, 0, (size_t)length - parser->bytes.count);
    parser->bytes.count = (size_t)length;
    return true;
}

/* A pointer in a packed structure comes as one masked address per byte; those become one again. */
static bool add_relocation(struct wl_ptx_parser *parser, const struct initial *initial,
                           uint64_t position, const struct wl_ptx_value *value)
{
    size_t width_bytes = value->width_bytes ? value->width_bytes : initial->element_bytes;
    if ((!value->width_bytes && width_bytes < 4) || width_bytes > 8 ||
        width_bytes > initial->element_bytes)
        return wl_ptx_fail(parser, value->offset, "an address does not fit in .%s",
                           wl_ptx_type_name(initial->variable->type));
    struct wl_ptx_relocation *last = parser->relocations.count
                                         ? &parser->relocations.items[parser->relocations.count - 1]
                                         : NULL;
    if (last && value->width_bytes && last->symbol == value->name &&
        last->addend == (int64_t)value->bits && last->is_generic == value->is_generic &&
        last->offset + last->width_bytes == position &&
        last->first_byte + last->width_bytes == value->first_byte) {
        last->width_bytes = (uint8_t)(last->width_bytes + width_bytes);
        return true;
    }
    struct wl_ptx_relocation relocation = {
        .offset = position,
        .width_bytes = (uint8_t)width_bytes,
        .first_byte = value->first_byte,
        .is_generic = value->is_generic,
        .symbol = value->name,
        .addend = (int64_t)value->bits,
    };
    WL_PUSH(&parser->relocations, relocation);
    return true;
}

/* The bits of a number as an element of this type holds them. */
static uint64_t element_bits(enum wl_ptx_type type, const struct wl_ptx_value *value)
{
    uint64_t bits = value->bits;
    double number = wl_ptx_value_double(value);
    float single = (float)number;
    if (type == WL_PTX_F32 && value->kind != WL_PTX_VALUE_SINGLE) {
        uint32_t single_bits;
        memcpy(&single_bits, &single, sizeof single_bits);
        bits = single_bits;
    } else if (type == WL_PTX_F64) {
        memcpy(&bits, &number, sizeof bits);
    }
    return bits;
}

static bool parse_element(struct wl_ptx_parser *parser, const struct initial *initial,
                          uint64_t position)
{
    struct wl_ptx_value value;
    if (!wl_ptx_parse_constant(parser, true, &value) ||
        !grow_bytes(parser, position + initial->element_bytes))
        return false;
    if (value.kind == WL_PTX_VALUE_ADDRESS)
        return add_relocation(parser, initial, position, &value);
    uint64_t bits = element_bits(initial->variable->type, &value);
    for (size_t i = 0; i < initial->element_bytes && i < sizeof bits; i++)
        parser->bytes.items[position + i] = (uint8_t)(bits >> (8 * i));
    return true;
}

/* `{ a, b, {c, d} }` at this level of braces; a nested brace fills one row of the next dimension,
 * plain numbers go on from where the last stood. */
static bool parse_row(struct wl_ptx_parser *parser, const struct initial *initial, unsigned level,
                      uint64_t position, uint64_t limit)
{
    uint64_t row_bytes = initial->element_bytes;
    for (unsigned i = level + 1; i < initial->dimension_count; i++)
        row_bytes *= initial->dimensions[i];
    if (!wl_ptx_enter_nesting(parser) || !wl_ptx_next(parser))
        return false;
    uint64_t start = position;
    while (!wl_ptx_at(parser, '}')) {
        bool is_row = wl_ptx_at(parser, '{') && level + 1 < initial->dimension_count;
        uint64_t taken_bytes = is_row ? row_bytes : initial->element_bytes;
        if (is_row) /* rows start at row boundaries */
            position = start + (position - start + row_bytes - 1) / row_bytes * row_bytes;
        if (position > limit || limit - position < taken_bytes)
            return wl_ptx_fail(parser, parser->token.offset,
                               "there are more initial values than elements");
        if (is_row ? !parse_row(parser, initial, level + 1, position, position + row_bytes)
                   : !parse_element(parser, initial, position))
            return false;
        position += taken_bytes;
        if (!wl_ptx_at(parser, ',')) {
            if (!wl_ptx_at(parser, '}'))
                return wl_ptx_fail_expected_after(parser, "',' or '}'");
        } else if (!wl_ptx_next(parser)) {
            return false;
        }
    }
    if (level == 0 && initial->dimension_count && !initial->dimensions[0] &&
        !grow_bytes(parser, start + (position - start + row_bytes - 1) / row_bytes * row_bytes))
        return false;
    parser->nesting--;
    return wl_ptx_next(parser);
}

bool wl_ptx_parse_initial(struct wl_ptx_parser *parser, struct wl_ptx_variable *variable,
                          const uint64_t *dimensions, unsigned dimension_count)
{
    struct initial initial = {variable, dimensions, dimension_count,
                              wl_ptx_type_bytes(variable->type)};
    bool is_open = dimension_count && dimensions[0] == 0;
    uint64_t limit = is_open ? WL_PTX_VARIABLE_BYTES_MAX : variable->size_bytes;
    parser->bytes.count = 0;
    parser->relocations.count = 0;
    if (!wl_ptx_at(parser, '{')) {
        if (dimension_count)
            return wl_ptx_fail_expected(parser, "'{'");
        if (!parse_element(parser, &initial, 0))
            return false;
    } else if (!parse_row(parser, &initial, 0, 0, limit)) {
        return false;
    }
    if (is_open)
        variable->size_bytes = parser->bytes.count;
    if (!check_size(parser, variable->size_bytes))
        return false;
    parser->initial_bytes += variable->size_bytes;
    struct wl_arena *blocks = &parser->arena->blocks;
    variable->initial = wl_arena_alloc(blocks, variable->size_bytes);
    if (parser->bytes.count)
        memcpy(variable->initial, parser->bytes.items, parser->bytes.count);
    variable->relocations =
        wl_arena_copy(blocks, parser->relocations.items, parser->relocations.count,
                      sizeof *parser->relocations.items);
    variable->relocation_count = (uint32_t)parser->relocations.count;
    return true;
}
