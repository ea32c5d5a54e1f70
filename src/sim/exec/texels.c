#include "sim/exec/texels.h"

#include <string.h>

#include "sim/exec/texel_values.h"
#include "sim/reach.h"

#define TILE_BYTES 64u
#define TILE_ROWS 8u
#define FACES 6u

/* Along one axis: the two texels and how much of the second. */
struct axis {
    int64_t texel[2];
    int32_t weight; /* of texel[1], of ONE */
};

/* A position along an axis, in texels. Wrapping and mirroring need coordinates from 0 to 1; others
 * are clamped instead. */
struct position {
    double texels;
    int64_t length;
    enum wl_texture_edge edge;
    bool is_turned; /* by mirroring: texels count from the far end */
};

static struct position find_position(const struct wl_texture *texture, int axis, uint32_t bits,
                                     bool is_integer)
{
    struct position found = {.length = axis_length(texture, axis),
                             .edge = (enum wl_texture_edge)texture->edges[axis]};
    const bool repeats = found.edge == WL_TEXTURE_WRAP || found.edge == WL_TEXTURE_MIRROR;
    double value = is_integer ? (double)(int32_t)bits : bounded((double)float_of(bits));
    if (is_integer || !texture->is_normalized) {
        found.edge = repeats ? WL_TEXTURE_CLAMP : found.edge;
        found.texels = value;
        return found;
    }
    value = floor(value * COORDINATE_ONE) / COORDINATE_ONE;
    if (repeats) {
        double turns = floor(value);
        value -= turns;
        found.is_turned = found.edge == WL_TEXTURE_MIRROR && fmod(turns, 2) != 0;
    }
    found.texels = value * (double)found.length;
    return found;
}

static int64_t find_texel_at(const struct position *position, int64_t texel)
{
    const int64_t length = position->length;
    if (position->is_turned)
        texel = length - 1 - texel;
    if (texel >= 0 && texel < length)
        return texel;
    switch (position->edge) {
    case WL_TEXTURE_WRAP:
        return texel < 0 ? texel + length : texel - length;
    case WL_TEXTURE_BORDER:
        return OUTSIDE;
    default:
        return texel < 0 ? 0 : length - 1;
    }
}

static struct axis find_axis(const struct wl_texture *texture, int axis, uint32_t bits,
                             bool is_integer, bool takes_two, bool gathers)
{
    const struct position position = find_position(texture, axis, bits, is_integer);
    struct axis found = {{0, 0}, 0};
    if (!takes_two) {
        found.texel[0] = find_texel_at(&position, (int64_t)floor(position.texels));
        return found;
    }
    int64_t fixed = (int64_t)floor(position.texels * ONE + 0.5) - HALF;
    if (position.edge == WL_TEXTURE_CLAMP && !gathers) {
        const int64_t last = (position.length - 1) * ONE;
        fixed = fixed < 0 ? 0 : fixed > last ? last : fixed;
    }
    found.weight = (int32_t)(fixed & (ONE - 1));
    found.texel[0] = find_texel_at(&position, fixed >> 8);
    found.texel[1] = find_texel_at(&position, (fixed >> 8) + 1);
    return found;
}

/* ---- memory ---- */

/* Arrays lie in tiles of 512 bytes; in a tile, sectors of 16 bytes by 2 rows. */
static uint64_t tiled_offset(const struct wl_texture *texture, uint64_t x_bytes, uint64_t y)
{
    uint64_t row = y % TILE_ROWS, column = x_bytes % TILE_BYTES;
    return y / TILE_ROWS * TILE_ROWS * texture->pitch_bytes +
           x_bytes / TILE_BYTES * TILE_BYTES * TILE_ROWS + column / 32 * 256 + row / 2 * 64 +
           column % 32 / 16 * 32 + row % 2 * 16 + column % 16;
}

static uint64_t cached_address(const struct wl_texture *texture, uint64_t x_bytes, uint64_t y,
                               uint64_t z)
{
    bool is_tiled = texture->storage == WL_TEXTURE_ARRAY && texture->height > 1;
    return texture->address + z * texture->slice_bytes +
           (is_tiled ? tiled_offset(texture, x_bytes, y) : y * texture->pitch_bytes + x_bytes);
}

static uint32_t read_channel(const uint8_t *memory, uint32_t bytes, bool is_signed)
{
    uint32_t word = 0;
    memcpy(&word, memory, bytes);
    if (is_signed && bytes < 4) {
        uint32_t sign = 1u << (8 * bytes - 1);
        word = (word ^ sign) - sign;
    }
    return word;
}

static float linear_of_srgb(float value)
{
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

/* Where texels lie in the texture's memory; false: not in it, as where a kernel fetches from
 * another geometry than the texture has. */
static bool place_bytes(const struct wl_texture *texture, uint64_t x_bytes, uint64_t y, uint64_t z,
                        uint32_t bytes, uint64_t *address)
{
    const uint64_t offset = z * texture->slice_bytes + y * texture->pitch_bytes + x_bytes;
    *address = texture->address + offset;
    return wl_reach_holds(0, texture->size_bytes, offset, bytes);
}

/* What is where it was looked for; NULL: the border. */
static const uint8_t *find_texel(const struct wl_texture *texture, int64_t x, int64_t y, int64_t z,
                                 struct texels *texels)
{
    if (x == OUTSIDE || y == OUTSIDE || z == OUTSIDE)
        return NULL;
    const uint32_t element = wl_texture_element_bytes(texture);
    const uint64_t x_bytes = (uint64_t)x * element;
    uint64_t address;
    if (!place_bytes(texture, x_bytes, (uint64_t)y, (uint64_t)z, element, &address))
        return NULL;
    if (texels->wants_addresses && texels->count < TEXELS_MAX)
        texels->addresses[texels->count++] =
            cached_address(texture, x_bytes, (uint64_t)y, (uint64_t)z);
    return (const uint8_t *)(uintptr_t)address;
}

/* A channel as filtering sees it: numbers of single precision, or 16-bit integers. memory NULL: of
 * the border. */
static double channel_value(const struct wl_texture *texture, const uint8_t *memory, uint32_t i)
{
    const uint32_t bytes = texture->channel_bytes;
    const bool is_float = texture->kind == WL_TEXEL_FLOAT;
    if (!memory)
        return border_value(texture, i);
    uint32_t word = read_channel(memory + i * bytes, bytes, texture->kind == WL_TEXEL_SIGNED);
    if (is_float)
        return (double)(bytes == 2 ? half_to_float(word) : float_of(word));
    if (texture->kind == WL_TEXEL_SIGNED)
        return (double)(int32_t)word * step_of(texture);
    double value = word * step_of(texture);
    return texture->is_srgb && i < 3 ? (double)linear_of_srgb((float)(value / 65535.0)) * 65535.0
                                     : value;
}

static uint32_t result_of(const struct wl_texture *texture, double value)
{
    if (texture->kind == WL_TEXEL_FLOAT)
        return float_result(value, texture->channel_bytes == 2);
    return gives_float(texture) ? fraction_result(value, one_of(texture))
                                : integer_result(value, step_of(texture));
}

/* The channels of a texel as a fetch without filtering gives them. */
static void read_texel(const struct wl_texture *texture, int64_t x, int64_t y, int64_t z,
                       struct texels *texels, uint32_t words[4])
{
    const uint8_t *memory = find_texel(texture, x, y, z, texels);
    const uint32_t bytes = texture->channel_bytes;
    if (memory && bytes == 4) { /* the bits, whatever they are */
        memset(words, 0, 4 * sizeof *words);
        memcpy(words, memory, 4 * texture->channels);
        return;
    }
    const bool is_signed = texture->kind == WL_TEXEL_SIGNED;
    uint32_t border[4]; /* of integers: the bits */
    memcpy(border, texture->border, sizeof border);
    memset(words, 0, 4 * sizeof *words);
    for (uint32_t i = 0; i < texture->channels; i++) {
        uint32_t word = memory ? read_channel(memory + i * bytes, bytes, is_signed)
                               : read_channel((const uint8_t *)&border[i], bytes, is_signed);
        if (!gives_float(texture))
            words[i] = word;
        else if (texture->kind == WL_TEXEL_FLOAT)
            words[i] = bits_of((float)channel_value(texture, memory, i));
        else if (memory && bytes == 1 && is_signed)
            words[i] = bits_of((float)fmax((int32_t)word / 127.0, -1));
        else
            words[i] = result_of(texture, channel_value(texture, memory, i));
    }
}

void WL_EXEC(texels_border)(const struct wl_texture *texture, u32 k, u32 *word)
{
    struct texels none = {.count = 0};
    u32 words[4];
    read_texel(texture, OUTSIDE, 0, 0, &none, words);
    *word = words[k];
}

/* ---- fetching ---- */

/* The weights of the texels: z is split first, then x, then y. */
static void spread_weight(const struct axis axes[3], int32_t weights[2][2][2])
{
    for (int z = 0; z < 2; z++) {
        int32_t plane = z ? axes[2].weight : ONE - axes[2].weight;
        int32_t right = part_of(plane, axes[0].weight, true);
        for (int x = 0; x < 2; x++) {
            int32_t column = x ? right : plane - right;
            int32_t low = part_of(column, axes[1].weight, x == 1);
            weights[z][1][x] = low;
            weights[z][0][x] = column - low;
        }
    }
}

static void filter(const struct wl_texture *texture, const struct axis axes[3],
                   struct texels *texels)
{
    int32_t weights[2][2][2];
    double sums[4] = {0};
    spread_weight(axes, weights);
    for (int i = 0; i < 8; i++) {
        const int x = i & 1, y = i >> 1 & 1, z = i >> 2;
        if (weights[z][y][x] == 0)
            continue;
        const uint8_t *memory =
            find_texel(texture, axes[0].texel[x], axes[1].texel[y], axes[2].texel[z], texels);
        for (uint32_t k = 0; k < texture->channels; k++)
            sums[k] += (double)weights[z][y][x] / ONE * channel_value(texture, memory, k);
    }
    for (uint32_t k = 0; k < texture->channels; k++)
        texels->result[k] = result_of(texture, sums[k]);
}

/* One component of the four texels that linear filtering would take, from the lower left on. */
static void gather(const struct wl_texture *texture, const struct axis axes[3], uint32_t component,
                   struct texels *texels)
{
    static const struct {
        int x, y;
    } order[4] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    for (int i = 0; i < 4; i++) {
        uint32_t words[4];
        read_texel(texture, axes[0].texel[order[i].x], axes[1].texel[order[i].y], axes[2].texel[0],
                   texels, words);
        texels->result[i] = words[component];
    }
}

static int64_t find_layer(const struct wl_texture *texture, uint32_t layer, uint32_t of)
{
    uint32_t count = axis_length(texture, 2) / of, last = count ? count - 1 : 0;
    return layer > last ? last : layer;
}

/* The face that a direction points to, and where on it, from 0 to 1. */
static uint32_t find_face(const uint32_t direction[3], uint32_t place[2])
{
    float x = float_of(direction[0]), y = float_of(direction[1]), z = float_of(direction[2]);
    float ax = fabsf(x), ay = fabsf(y), az = fabsf(z), major, s, t;
    uint32_t face;
    if (az >= ax && az >= ay) {
        face = 4 + (z < 0);
        major = az, s = z < 0 ? -x : x, t = -y;
    } else if (ay >= ax) {
        face = 2 + (y < 0);
        major = ay, s = x, t = y < 0 ? -z : z;
    } else {
        face = x < 0;
        major = ax, s = x < 0 ? z : -z, t = -y;
    }
    place[0] = bits_of((s / major + 1) / 2);
    place[1] = bits_of((t / major + 1) / 2);
    return face;
}

void WL_EXEC(texels_fetch)(const struct wl_texture *texture, const struct texel_request *request,
                           struct texels *texels)
{
    const enum wl_texture_geometry geometry = request->geometry;
    const bool is_cube = geometry == WL_TEXTURE_CUBE || geometry == WL_TEXTURE_ACUBE;
    const bool is_layered =
        geometry == WL_TEXTURE_A1D || geometry == WL_TEXTURE_A2D || geometry == WL_TEXTURE_ACUBE;
    const bool is_flat = geometry == WL_TEXTURE_1D || geometry == WL_TEXTURE_A1D;
    const bool takes_two =
        (texture->is_filtered && is_filterable(texture) && !request->is_integer) || request->gather;
    const uint32_t *at = request->coordinates + is_layered;
    struct axis axes[3] = {{{0, 0}, 0}, {{0, 0}, 0}, {{0, 0}, 0}};
    int64_t slice =
        is_layered ? find_layer(texture, request->coordinates[0], is_cube ? FACES : 1) : 0;
    uint32_t place[2];
    texels->count = 0;
    texels->wants_addresses = request->is_counted;
    memset(texels->result, 0, sizeof texels->result);
    if (texture->storage == WL_TEXTURE_BUFFER && at[0] >= texture->width)
        return;
    if (is_cube) {
        slice = slice * FACES + find_face(at, place);
        at = place;
    }
    axes[0] = find_axis(texture, 0, at[0], request->is_integer, takes_two, request->gather);
    if (geometry == WL_TEXTURE_1D) /* one row at 0: with a border, half of it is filtered in */
        axes[1] = find_axis(texture, 1, 0, false, takes_two, false);
    else if (!is_flat)
        axes[1] = find_axis(texture, 1, at[1], request->is_integer, takes_two, request->gather);
    if (geometry == WL_TEXTURE_3D)
        axes[2] = find_axis(texture, 2, at[2], request->is_integer, takes_two, false);
    else
        axes[2].texel[0] = axes[2].texel[1] = slice;
    if (request->gather)
        gather(texture, axes, request->gather - 1u, texels);
    else if (takes_two)
        filter(texture, axes, texels);
    else
        read_texel(texture, axes[0].texel[0], axes[1].texel[0], axes[2].texel[0], texels,
                   texels->result);
}

/* ---- surfaces ---- */

static bool bound(int64_t *value, int64_t greatest, bool clamps)
{
    if (*value >= 0 && *value <= greatest)
        return true;
    *value = *value < 0 || greatest < 0 ? 0 : greatest;
    return clamps && greatest >= 0;
}

bool WL_EXEC(texels_locate)(const struct wl_texture *texture, enum wl_texture_geometry geometry,
                            const int32_t *coordinates, uint32_t bytes, bool is_formatted,
                            bool clamps, uint64_t *address, uint64_t *cached)
{
    const bool is_layered = geometry == WL_TEXTURE_A1D || geometry == WL_TEXTURE_A2D;
    const bool is_flat = geometry == WL_TEXTURE_1D || geometry == WL_TEXTURE_A1D;
    const uint32_t element = wl_texture_element_bytes(texture);
    const int32_t *at = coordinates + is_layered;
    int64_t x = (int64_t)at[0] * (is_formatted ? element : 1), y = is_flat ? 0 : at[1];
    int64_t z = is_layered ? coordinates[0] : geometry == WL_TEXTURE_3D ? at[2] : 0;
    int64_t row_bytes = (int64_t)texture->width * element;
    bool is_inside = bound(&x, row_bytes - bytes, clamps);
    is_inside &= bound(&y, (int64_t)axis_length(texture, 1) - 1, clamps);
    is_inside &= bound(&z, (int64_t)axis_length(texture, 2) - 1, clamps);
    if (!is_inside)
        return false;
    if (!place_bytes(texture, (uint64_t)x, (uint64_t)y, (uint64_t)z, bytes, address))
        return false;
    *cached = cached_address(texture, (uint64_t)x, (uint64_t)y, (uint64_t)z);
    return true;
}

void WL_EXEC(texels_store)(const struct wl_texture *texture, uint64_t address,
                           const uint32_t values[4])
{
    const uint32_t bytes = texture->channel_bytes;
    uint8_t *memory = (uint8_t *)(uintptr_t)address;
    for (uint32_t i = 0; i < texture->channels; i++) {
        uint32_t word = values[i];
        if (texture->kind == WL_TEXEL_FLOAT && bytes == 2)
            word = float_to_half(float_of(word));
        memcpy(memory + i * bytes, &word, bytes);
    }
}

uint32_t WL_EXEC(texels_query)(const struct wl_texture *texture, enum wl_texture_property property)
{
    const bool has_layers = texture->is_layered || texture->is_cube;
    switch (property) {
    case WL_TEXTURE_WIDTH:
        return texture->width;
    case WL_TEXTURE_HEIGHT:
        return texture->height;
    case WL_TEXTURE_DEPTH:
        return has_layers ? 0 : texture->depth;
    case WL_TEXTURE_ARRAY_SIZE:
        return has_layers ? texture->depth : 0;
    default:
        return 1; /* levels, samples */
    }
}
