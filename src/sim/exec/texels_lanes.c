/* Fetches of all lanes of a warp from one texture, in vectors: what comes out is what each lane's
 * fetch alone gives (texels.c). */
#include "sim/exec/texel_values.h"
#include "sim/exec/texels.h"

/* Along one axis: the two texels and how much of the second. */
struct axis_of_lanes {
    s32 texel[2][WL_LANES];
    s32 weight[WL_LANES]; /* of texel[1], of ONE */
};

/* A fetch: of a corner of the texels around a position where they lie, from the texture's start,
 * and which lanes' are none of the border's. */
struct fetch {
    const struct wl_texture *texture;
    struct axis_of_lanes axes[3];
    s32 weights[8][WL_LANES]; /* by corner: x, y and z are its bits from the lowest */
    u64 offset[WL_LANES];
    u32 is_there[WL_LANES];
    u32 words[WL_LANES];
};

/* Positions beyond the texture by so many texels are as good as any that are farther away. */
#define BEYOND 4

static enum wl_texture_edge edge_of(const struct wl_texture *texture, int axis, bool is_integer)
{
    const enum wl_texture_edge edge = texture->edges[axis];
    const bool repeats = edge == WL_TEXTURE_WRAP || edge == WL_TEXTURE_MIRROR;
    return repeats && (is_integer || !texture->is_normalized) ? WL_TEXTURE_CLAMP : edge;
}

/* Positions in texels; turned: texels count from the far end. */
static void find_positions(const struct wl_texture *texture, int axis, const u32 *bits,
                           bool is_integer, f64 *position, u32 *turned)
{
    const enum wl_texture_edge edge = edge_of(texture, axis, is_integer);
    const f64 length = axis_length(texture, axis);
    WL_FOR_LANES (i) {
        turned[i] = 0;
        position[i] = is_integer ? (f64)(s32)bits[i] : bounded((f64)float_of(bits[i]));
    }
    if (!is_integer && texture->is_normalized)
        WL_FOR_LANES (i)
            position[i] = floor(position[i] * COORDINATE_ONE) / COORDINATE_ONE;
    if (edge == WL_TEXTURE_WRAP || edge == WL_TEXTURE_MIRROR)
        WL_FOR_LANES (i) {
            const f64 turns = floor(position[i]);
            turned[i] = edge == WL_TEXTURE_MIRROR && turns - 2 * floor(turns * 0.5) != 0;
            position[i] -= turns;
        }
    if (!is_integer && texture->is_normalized)
        WL_FOR_LANES (i)
            position[i] *= length;
    WL_FOR_LANES (i) {
        const f64 low = position[i] < -BEYOND ? -BEYOND : position[i];
        position[i] = low > length + BEYOND ? length + BEYOND : low;
    }
}

/* Texels beyond the edge become those that are read for them. */
static void meet_edge(enum wl_texture_edge edge, s32 length, const u32 *turned, s32 *texel)
{
    if (edge == WL_TEXTURE_MIRROR)
        WL_FOR_LANES (i)
            texel[i] = turned[i] ? length - 1 - texel[i] : texel[i];
    if (edge == WL_TEXTURE_WRAP) {
        WL_FOR_LANES (i) {
            const s32 above = texel[i] < 0 ? texel[i] + length : texel[i];
            texel[i] = texel[i] >= length ? texel[i] - length : above;
        }
    } else if (edge == WL_TEXTURE_BORDER) {
        WL_FOR_LANES (i)
            texel[i] = texel[i] < 0 || texel[i] >= length ? OUTSIDE : texel[i];
    } else {
        WL_FOR_LANES (i) {
            const s32 above = texel[i] < 0 ? 0 : texel[i];
            texel[i] = above >= length ? length - 1 : above;
        }
    }
}

static void find_axis(const struct wl_texture *texture, int axis, const u32 *bits, bool is_integer,
                      bool takes_two, struct axis_of_lanes *found)
{
    const enum wl_texture_edge edge = edge_of(texture, axis, is_integer);
    const s32 length = (s32)axis_length(texture, axis), last = (length - 1) * ONE;
    f64 position[WL_LANES] __attribute__((aligned(64)));
    u32 turned[WL_LANES] __attribute__((aligned(64)));
    find_positions(texture, axis, bits, is_integer, position, turned);
    if (!takes_two) {
        WL_FOR_LANES (i)
            found->texel[0][i] = (s32)floor(position[i]);
        meet_edge(edge, length, turned, found->texel[0]);
        return;
    }
    WL_FOR_LANES (i) {
        s32 fixed = (s32)floor(position[i] * ONE + 0.5) - HALF;
        if (edge == WL_TEXTURE_CLAMP) {
            fixed = fixed < 0 ? 0 : fixed;
            fixed = fixed > last ? last : fixed;
        }
        found->weight[i] = fixed & (ONE - 1);
        found->texel[0][i] = fixed >> 8;
        found->texel[1][i] = (fixed >> 8) + 1;
    }
    meet_edge(edge, length, turned, found->texel[0]);
    meet_edge(edge, length, turned, found->texel[1]);
}

/* z is split first, then x, then y. */
static void spread_weights(struct fetch *fetch)
{
    const struct axis_of_lanes *axes = fetch->axes;
    for (int z = 0; z < 2; z++)
        for (int x = 0; x < 2; x++)
            WL_FOR_LANES (i) {
                const s32 plane = z ? axes[2].weight[i] : ONE - axes[2].weight[i];
                const s32 right = part_of(plane, axes[0].weight[i], true);
                const s32 column = x ? right : plane - right;
                const s32 low = part_of(column, axes[1].weight[i], x);
                fetch->weights[z * 4 + 2 + x][i] = low;
                fetch->weights[z * 4 + x][i] = column - low;
            }
}

/* Where the corner's texels lie. */
static void find_corner(struct fetch *fetch, int corner)
{
    const struct wl_texture *texture = fetch->texture;
    const u64 element = wl_texture_element_bytes(texture), most = texture->size_bytes - element;
    const u64 pitch = texture->pitch_bytes, slice = texture->slice_bytes;
    const s32 *x = fetch->axes[0].texel[corner & 1], *y = fetch->axes[1].texel[corner >> 1 & 1];
    const s32 *z = fetch->axes[2].texel[corner >> 2];
    WL_FOR_LANES (i) {
        const u64 offset =
            (u64)(u32)z[i] * slice + (u64)(u32)y[i] * pitch + (u64)(u32)x[i] * element;
        const bool is_there = (x[i] | y[i] | z[i]) >= 0 && offset <= most;
        fetch->is_there[i] = is_there;
        fetch->offset[i] = is_there ? offset : 0;
    }
}

/* Channel k of each lane's texel: its bits, of signed ones with their sign. */
static void load_words(struct fetch *fetch, u32 k)
{
    const struct wl_texture *texture = fetch->texture;
    const u32 bytes = texture->channel_bytes;
    const uint8_t *from = (const uint8_t *)(uintptr_t)texture->address + (size_t)k * bytes;
    u32 *words = fetch->words;
    if (bytes == 4)
        WL_FOR_LANES (i)
            memcpy(&words[i], from + fetch->offset[i], 4);
    else if (bytes == 2)
        for (int i = 0; i < WL_LANES; i++) {
            uint16_t word;
            memcpy(&word, from + fetch->offset[i], 2);
            words[i] = word;
        }
    else
        for (int i = 0; i < WL_LANES; i++)
            words[i] = from[fetch->offset[i]];
    if (texture->kind == WL_TEXEL_SIGNED && bytes < 4) {
        const u32 sign = 1u << (8 * bytes - 1);
        WL_FOR_LANES (i)
            words[i] = (words[i] ^ sign) - sign;
    }
}

/* What they are worth as filtering sees it. */
static void find_values(const struct fetch *fetch, u32 k, f64 *values)
{
    const struct wl_texture *texture = fetch->texture;
    const f64 border = border_value(texture, k), step = step_of(texture);
    const u32 *words = fetch->words;
    if (texture->kind == WL_TEXEL_FLOAT && texture->channel_bytes == 4)
        WL_FOR_LANES (i)
            values[i] = (f64)float_of(words[i]);
    else if (texture->kind == WL_TEXEL_FLOAT)
        WL_FOR_LANES (i)
            values[i] = (f64)half_to_float(words[i]);
    else if (texture->kind == WL_TEXEL_SIGNED)
        WL_FOR_LANES (i)
            values[i] = (f64)(s32)words[i] * step;
    else
        WL_FOR_LANES (i)
            values[i] = (f64)(s32)words[i] * step; /* at most 16 bits */
    WL_FOR_LANES (i)
        values[i] = fetch->is_there[i] ? values[i] : border;
}

static void find_results(const struct wl_texture *texture, const f64 *values, u32 *results)
{
    const f64 one = one_of(texture), step = step_of(texture);
    if (texture->kind == WL_TEXEL_FLOAT && texture->channel_bytes == 4)
        WL_FOR_LANES (i)
            results[i] = float_result(values[i], false);
    else if (texture->kind == WL_TEXEL_FLOAT)
        WL_FOR_LANES (i)
            results[i] = float_result(values[i], true);
    else if (gives_float(texture))
        WL_FOR_LANES (i)
            results[i] = fraction_result(values[i], one);
    else
        WL_FOR_LANES (i)
            results[i] = integer_result(values[i], step);
}

static void filter(struct fetch *fetch, u32 (*results)[WL_LANES])
{
    f64 sums[4][WL_LANES] __attribute__((aligned(64))) = {{0}};
    f64 values[WL_LANES] __attribute__((aligned(64)));
    spread_weights(fetch);
    for (int corner = 0; corner < 8; corner++) {
        const s32 *weights = fetch->weights[corner];
        s32 any = 0;
        WL_FOR_LANES (i)
            any |= weights[i];
        if (!any)
            continue;
        find_corner(fetch, corner);
        for (u32 k = 0; k < fetch->texture->channels; k++) {
            load_words(fetch, k);
            find_values(fetch, k, values);
            WL_FOR_LANES (i) {
                const f64 part = (f64)weights[i] / ONE * values[i];
                sums[k][i] += weights[i] ? part : 0;
            }
        }
    }
    for (u32 k = 0; k < fetch->texture->channels; k++)
        find_results(fetch->texture, sums[k], results[k]);
}

/* Without filtering: the bits of integers and of numbers of single precision are as they are. */
static void read_texels(struct fetch *fetch, u32 (*results)[WL_LANES])
{
    const struct wl_texture *texture = fetch->texture;
    const bool is_plain =
        !gives_float(texture) || (texture->kind == WL_TEXEL_FLOAT && texture->channel_bytes == 4);
    f64 values[WL_LANES] __attribute__((aligned(64)));
    find_corner(fetch, 0);
    for (u32 k = 0; k < texture->channels; k++) {
        u32 border;
        WL_EXEC(texels_border)(texture, k, &border);
        load_words(fetch, k);
        if (!is_plain)
            find_values(fetch, k, values);
        if (is_plain)
            memcpy(results[k], fetch->words, sizeof fetch->words);
        else if (texture->kind == WL_TEXEL_FLOAT)
            WL_FOR_LANES (i)
                results[k][i] = bits_of((f32)values[i]);
        else if (texture->kind == WL_TEXEL_SIGNED && texture->channel_bytes == 1)
            WL_FOR_LANES (i) {
                const f64 fraction = (f64)(s32)fetch->words[i] / 127.0;
                results[k][i] = bits_of((f32)(fraction < -1 ? -1 : fraction));
            }
        else
            find_results(texture, values, results[k]);
        WL_FOR_LANES (i)
            results[k][i] = fetch->is_there[i] ? results[k][i] : border;
    }
}

/* Whether lengths and formats are those whose fetches go in vectors. */
static bool is_common(const struct wl_texture *texture, enum wl_texture_geometry geometry,
                      bool takes_two)
{
    const u32 most = takes_two ? 1 << 21 : 1 << 30;
    return geometry != WL_TEXTURE_CUBE && geometry != WL_TEXTURE_ACUBE && !texture->is_srgb &&
           axis_length(texture, 0) < most && axis_length(texture, 1) < most &&
           axis_length(texture, 2) < most && texture->channels &&
           texture->size_bytes >= wl_texture_element_bytes(texture) &&
           (texture->channel_bytes < 4 || texture->kind == WL_TEXEL_FLOAT || !texture->reads_float);
}

bool WL_EXEC(texels_fetch_lanes)(const struct wl_texture *texture,
                                 enum wl_texture_geometry geometry, bool is_integer,
                                 const u32 *const coordinates[4], u32 (*results)[WL_LANES])
{
    static const u32 zeros[WL_LANES] __attribute__((aligned(64)));
    const bool is_layered = geometry == WL_TEXTURE_A1D || geometry == WL_TEXTURE_A2D;
    const bool is_flat = geometry == WL_TEXTURE_1D || geometry == WL_TEXTURE_A1D;
    const bool takes_two = texture->is_filtered && is_filterable(texture) && !is_integer;
    const u32 *const *at = coordinates + is_layered;
    struct fetch fetch __attribute__((aligned(64)));
    if (!is_common(texture, geometry, takes_two))
        return false;
    fetch.texture = texture;
    memset(results, 0, 4 * sizeof *results);
    memset(fetch.axes + 1, 0, 2 * sizeof fetch.axes[0]);
    find_axis(texture, 0, at[0], is_integer, takes_two, &fetch.axes[0]);
    if (geometry == WL_TEXTURE_1D) /* one row at 0 */
        find_axis(texture, 1, zeros, false, takes_two, &fetch.axes[1]);
    else if (!is_flat)
        find_axis(texture, 1, at[1], is_integer, takes_two, &fetch.axes[1]);
    if (geometry == WL_TEXTURE_3D) {
        find_axis(texture, 2, at[2], is_integer, takes_two, &fetch.axes[2]);
    } else if (is_layered) {
        const u32 last = axis_length(texture, 2) - 1;
        WL_FOR_LANES (i) {
            const u32 layer = coordinates[0][i] > last ? last : coordinates[0][i];
            fetch.axes[2].texel[0][i] = fetch.axes[2].texel[1][i] = (s32)layer;
        }
    }
    if (takes_two)
        filter(&fetch, results);
    else
        read_texels(&fetch, results);
    if (texture->storage == WL_TEXTURE_BUFFER)
        for (u32 k = 0; k < texture->channels; k++)
            WL_FOR_LANES (i)
                results[k][i] = at[0][i] >= texture->width ? 0 : results[k][i];
    return true;
}
