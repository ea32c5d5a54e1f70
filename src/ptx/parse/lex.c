#include "ptx/parse/lex.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"

static const struct {
    const char *word;
    enum wl_ptx_keyword keyword;
} keyword_rows[] = {
    {"version", WL_PTX_KEY_VERSION},
    {"target", WL_PTX_KEY_TARGET},
    {"address_size", WL_PTX_KEY_ADDRESS_SIZE},
    {"file", WL_PTX_KEY_FILE},
    {"loc", WL_PTX_KEY_LOC},
    {"section", WL_PTX_KEY_SECTION},
    {"pragma", WL_PTX_KEY_PRAGMA},
    {"alias", WL_PTX_KEY_ALIAS},
    {"visible", WL_PTX_KEY_VISIBLE},
    {"extern", WL_PTX_KEY_EXTERN},
    {"weak", WL_PTX_KEY_WEAK},
    {"common", WL_PTX_KEY_COMMON},
    {"entry", WL_PTX_KEY_ENTRY},
    {"func", WL_PTX_KEY_FUNC},
    {"reg", WL_PTX_KEY_REG},
    {"param", WL_PTX_KEY_PARAM},
    {"global", WL_PTX_KEY_GLOBAL},
    {"const", WL_PTX_KEY_CONST},
    {"shared", WL_PTX_KEY_SHARED},
    {"local", WL_PTX_KEY_LOCAL},
    {"tex", WL_PTX_KEY_TEX},
    {"align", WL_PTX_KEY_ALIGN},
    {"ptr", WL_PTX_KEY_PTR},
    {"attribute", WL_PTX_KEY_ATTRIBUTE},
    {"managed", WL_PTX_KEY_MANAGED},
    {"v2", WL_PTX_KEY_V2},
    {"v4", WL_PTX_KEY_V4},
    {"v8", WL_PTX_KEY_V8},
    {"maxntid", WL_PTX_KEY_MAXNTID},
    {"reqntid", WL_PTX_KEY_REQNTID},
    {"minnctapersm", WL_PTX_KEY_MINNCTAPERSM},
    {"maxnreg", WL_PTX_KEY_MAXNREG},
    {"explicitcluster", WL_PTX_KEY_EXPLICITCLUSTER},
    {"reqnctapercluster", WL_PTX_KEY_REQNCTAPERCLUSTER},
    {"maxnctapersm", WL_PTX_KEY_IGNORED_NUMBERS},
    {"maxclusterrank", WL_PTX_KEY_IGNORED_NUMBERS},
    {"blocksareclusters", WL_PTX_KEY_BLOCKSARECLUSTERS},
    {"noreturn", WL_PTX_KEY_IGNORED_NUMBERS},
    {"abi_preserve", WL_PTX_KEY_IGNORED_NUMBERS},
    {"abi_preserve_control", WL_PTX_KEY_IGNORED_NUMBERS},
    {"branchtargets", WL_PTX_KEY_BRANCHTARGETS},
    {"calltargets", WL_PTX_KEY_CALLTARGETS},
    {"callprototype", WL_PTX_KEY_CALLPROTOTYPE},
    {"unified", WL_PTX_KEY_UNIFIED},
};

/* Special registers without their .x .y .z. */
static const char *const special_rows[] = {
    "%tid",
    "%ntid",
    "%laneid",
    "%warpid",
    "%nwarpid",
    "%ctaid",
    "%nctaid",
    "%smid",
    "%nsmid",
    "%gridid",
    "%is_explicit_cluster",
    "%clusterid",
    "%nclusterid",
    "%cluster_ctaid",
    "%cluster_nctaid",
    "%cluster_ctarank",
    "%cluster_nctarank",
    "%lanemask_eq",
    "%lanemask_le",
    "%lanemask_lt",
    "%lanemask_ge",
    "%lanemask_gt",
    "%clock",
    "%clock_hi",
    "%clock64",
    "%globaltimer",
    "%globaltimer_lo",
    "%globaltimer_hi",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_end",
    "%reserved_smem_offset_cap",
    "%reserved_smem_offset_0",
    "%reserved_smem_offset_1",
    "%total_smem_size",
    "%aggr_smem_size",
    "%dynamic_smem_size",
    "%current_graph_exec",
    "%pm0",
    "%pm1",
    "%pm2",
    "%pm3",
    "%pm4",
    "%pm5",
    "%pm6",
    "%pm7",
    "%pm0_64",
    "%pm1_64",
    "%pm2_64",
    "%pm3_64",
    "%pm4_64",
    "%pm5_64",
    "%pm6_64",
    "%pm7_64",
};

enum { ENVIRONMENT_REGISTERS = 32 }; /* %envreg0 to %envreg31 */

static struct wl_ptx_symbol *intern(struct wl_ptx_names *names, const char *text)
{
    return wl_ptx_names_intern(names, text, strlen(text));
}

void wl_ptx_lexer_add_keywords(struct wl_ptx_names *names)
{
    for (size_t i = 0; i < WL_COUNT(keyword_rows); i++)
        intern(names, keyword_rows[i].word)->keyword = (uint8_t)keyword_rows[i].keyword;
    for (int type = 1; type < wl_ptx_type_row_count; type++)
        intern(names, wl_ptx_type_rows[type].name)->type = (uint8_t)type;
    for (size_t i = 0; i < WL_COUNT(special_rows); i++)
        intern(names, special_rows[i])->is_special = 1;
    for (int i = 0; i < ENVIRONMENT_REGISTERS; i++) {
        char *name = wl_string_format("%%envreg%d", i);
        intern(names, name)->is_special = 1;
        free(name);
    }
}

void wl_ptx_lexer_free(struct wl_ptx_lexer *lexer)
{
    if (lexer->c_locale)
        freelocale(lexer->c_locale);
    lexer->c_locale = NULL;
}

enum { FOLLOWS = 1, STARTS = 2, DIGIT = 4, HEX = 8 };

/* Character classes without the locale. */
static unsigned class_of(char character)
{
    unsigned char c = (unsigned char)character;
    if (c >= '0' && c <= '9')
        return FOLLOWS | DIGIT | HEX;
    if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
        return FOLLOWS | STARTS | HEX;
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
        return FOLLOWS | STARTS;
    if (c == '_' || c == '$')
        return FOLLOWS | STARTS;
    return 0;
}

static bool fail(struct wl_ptx_lexer *lexer, const char *where, const char *problem)
{
    lexer->problem = problem;
    lexer->problem_offset = (uint32_t)(where - lexer->text);
    return false;
}

static bool skip_blanks(struct wl_ptx_lexer *lexer)
{
    const char *cursor = lexer->cursor;
    for (;;) {
        while (*cursor == ' ' || (*cursor >= '\t' && *cursor <= '\r'))
            cursor++;
        if (cursor[0] == '/' && cursor[1] == '/') {
            const char *line_end = memchr(cursor, '\n', (size_t)(lexer->end - cursor));
            cursor = line_end ? line_end + 1 : lexer->end;
        } else if (cursor[0] == '/' && cursor[1] == '*') {
            const char *close = memmem(cursor + 2, (size_t)(lexer->end - cursor - 2), "*/", 2);
            if (!close)
                return fail(lexer, cursor, "this comment is not closed");
            cursor = close + 2;
        } else {
            lexer->cursor = cursor;
            return true;
        }
    }
}

static bool read_digits(struct wl_ptx_lexer *lexer, struct wl_ptx_token *token, const char *first,
                        unsigned base)
{
    const char *cursor = first;
    uint64_t value = 0;
    for (; class_of(*cursor) & HEX; cursor++) {
        unsigned digit = class_of(*cursor) & DIGIT ? (unsigned)(*cursor - '0')
                                                   : (unsigned)(*cursor | 0x20) - 'a' + 10;
        if (digit >= base)
            break;
        if (value > (UINT64_MAX - digit) / base)
            return fail(lexer, lexer->cursor, "this number does not fit in 64 bits");
        value = value * base + digit;
    }
    token->kind = WL_PTX_TOKEN_INTEGER;
    token->bits = value;
    token->is_unsigned = value > INT64_MAX;
    if (*cursor == 'U' && cursor > first) {
        token->is_unsigned = true;
        cursor++;
    }
    if (cursor == first || class_of(*cursor) & FOLLOWS)
        return fail(lexer, lexer->cursor, "malformed number");
    lexer->cursor = cursor;
    return true;
}

/* 0f and 8 hexadecimal digits, 0d and 16 */
static bool read_float_bits(struct wl_ptx_lexer *lexer, struct wl_ptx_token *token)
{
    const char *start = lexer->cursor;
    token->is_single = (start[1] | 0x20) == 'f';
    int digit_count = token->is_single ? 8 : 16, count = 0;
    while (class_of(start[2 + count]) & HEX && count <= digit_count)
        count++;
    if (count != digit_count)
        return fail(lexer, start, "malformed number");
    if (!read_digits(lexer, token, start + 2, 16))
        return false;
    if (lexer->cursor != start + 2 + digit_count) /* a U */
        return fail(lexer, start, "malformed number");
    token->kind = WL_PTX_TOKEN_FLOAT;
    token->is_unsigned = false;
    return true;
}

static bool read_decimal_float(struct wl_ptx_lexer *lexer, struct wl_ptx_token *token,
                               const char *fraction)
{
    const char *cursor = fraction;
    if (*cursor == '.')
        cursor++;
    while (class_of(*cursor) & DIGIT)
        cursor++;
    if ((*cursor | 0x20) == 'e') {
        cursor++;
        if (*cursor == '+' || *cursor == '-')
            cursor++;
        if (!(class_of(*cursor) & DIGIT))
            return fail(lexer, lexer->cursor, "malformed number");
        while (class_of(*cursor) & DIGIT)
            cursor++;
    }
    if (class_of(*cursor) & FOLLOWS)
        return fail(lexer, lexer->cursor, "malformed number");
    if (!lexer->c_locale)
        lexer->c_locale = newlocale(LC_ALL_MASK, "C", NULL);
    if (!lexer->c_locale)
        wl_memory_fail(1);
    double value = strtod_l(lexer->cursor, NULL, lexer->c_locale);
    memcpy(&token->bits, &value, sizeof value);
    token->kind = WL_PTX_TOKEN_FLOAT;
    lexer->cursor = cursor;
    return true;
}

static bool read_number(struct wl_ptx_lexer *lexer, struct wl_ptx_token *token)
{
    const char *first = lexer->cursor;
    char second = (char)(first[1] | 0x20);
    if (*first == '0' && second == 'x')
        return read_digits(lexer, token, first + 2, 16);
    if (*first == '0' && second == 'b')
        return read_digits(lexer, token, first + 2, 2);
    if (*first == '0' && (second == 'f' || second == 'd'))
        return read_float_bits(lexer, token);
    const char *cursor = first;
    while (class_of(*cursor) & DIGIT)
        cursor++;
    bool has_fraction = *cursor == '.' && (class_of(cursor[1]) & DIGIT || !class_of(cursor[1]));
    if (has_fraction || (*cursor | 0x20) == 'e')
        return read_decimal_float(lexer, token, cursor);
    return read_digits(lexer, token, first, *first == '0' ? 8 : 10);
}

static void read_name(struct wl_ptx_lexer *lexer, struct wl_ptx_token *token)
{
    const char *cursor = lexer->cursor + 1;
    while (class_of(*cursor) & FOLLOWS)
        cursor++;
    token->kind = WL_PTX_TOKEN_NAME;
    token->symbol =
        wl_ptx_names_intern(lexer->names, lexer->cursor, (size_t)(cursor - lexer->cursor));
    lexer->cursor = cursor;
}

static bool read_word(struct wl_ptx_lexer *lexer, struct wl_ptx_token *token)
{
    const char *first = lexer->cursor + 1;
    const char *cursor = first;
    if (!(class_of(*cursor) & FOLLOWS))
        return fail(lexer, lexer->cursor, "a word must follow this dot");
    for (;;) {
        while (class_of(*cursor) & FOLLOWS)
            cursor++;
        if (cursor[0] != ':' || cursor[1] != ':' || !(class_of(cursor[2]) & FOLLOWS))
            break;
        cursor += 2;
    }
    token->kind = WL_PTX_TOKEN_WORD;
    token->symbol = wl_ptx_names_intern(lexer->names, first, (size_t)(cursor - first));
    lexer->cursor = cursor;
    return true;
}

static bool read_string(struct wl_ptx_lexer *lexer, struct wl_ptx_token *token)
{
    const char *cursor = lexer->cursor + 1;
    while (*cursor != '"') {
        if (*cursor == '\0' || *cursor == '\n')
            return fail(lexer, lexer->cursor, "this string is not closed");
        cursor += cursor[0] == '\\' && cursor[1] != '\0' && cursor[1] != '\n' ? 2 : 1;
    }
    token->kind = WL_PTX_TOKEN_STRING;
    lexer->cursor = cursor + 1;
    return true;
}

static bool read_mark(struct wl_ptx_lexer *lexer, struct wl_ptx_token *token)
{
    char mark = *lexer->cursor;
    if (mark == '\0' || !strchr(",;:()[]{}<>@!|+-*/%&^~=?", mark))
        return fail(lexer, lexer->cursor, "this character has no place in PTX");
    token->kind = WL_PTX_TOKEN_MARK;
    token->mark = mark;
    lexer->cursor++;
    return true;
}

bool wl_ptx_lexer_next(struct wl_ptx_lexer *lexer, struct wl_ptx_token *token)
{
    if (!skip_blanks(lexer))
        return false;
    const char *start = lexer->cursor;
    *token = (struct wl_ptx_token){.offset = (uint32_t)(start - lexer->text)};
    if (start == lexer->end)
        return true; /* WL_PTX_TOKEN_END */
    bool is_read = true;
    unsigned class = class_of(*start);
    if (class & DIGIT)
        is_read = read_number(lexer, token);
    else if (class & STARTS || (*start == '%' && class_of(start[1]) & FOLLOWS))
        read_name(lexer, token);
    else if (*start == '.')
        is_read = read_word(lexer, token);
    else if (*start == '"')
        is_read = read_string(lexer, token);
    else
        is_read = read_mark(lexer, token);
    token->length = (uint32_t)(lexer->cursor - start);
    return is_read;
}

char wl_ptx_lexer_peek(struct wl_ptx_lexer *lexer)
{
    return skip_blanks(lexer) ? *lexer->cursor : '\0';
}

bool wl_ptx_lexer_reread_number(struct wl_ptx_lexer *lexer, struct wl_ptx_token *token)
{
    lexer->cursor = lexer->text + token->offset;
    const char *start = lexer->cursor;
    *token = (struct wl_ptx_token){.offset = token->offset};
    bool is_read = read_decimal_float(lexer, token, start);
    token->length = (uint32_t)(lexer->cursor - start);
    return is_read;
}
