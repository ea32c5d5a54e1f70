#include <lz4.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

#include "base/folder.h"
#include "base/text.h"
#include "binary/binary.h"

static const char ptx[] = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
                          "ret;\n}\n";

/* The offsets are written out here, not taken from the code under test. */
struct entry {
    uint16_t kind, major, minor;
    uint32_t architecture;
    uint64_t flags;
    const void *payload;
    uint32_t payload_bytes, compressed_bytes;
    uint64_t uncompressed_bytes;
};

static void put(struct wl_text *text, size_t offset, const void *value, size_t length)
{
    memcpy(text->data + offset, value, length);
}

static void begin_container(struct wl_text *text)
{
    static const uint8_t header[16] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};
    wl_text_add_bytes(text, header, sizeof header);
}

static void end_container(struct wl_text *text, size_t start)
{
    uint64_t size = text->length - start - 16;
    put(text, start + 8, &size, sizeof size);
}

static void add_entry(struct wl_text *text, const struct entry *entry)
{
    static const uint8_t zeroes[64];
    size_t at = text->length;
    uint16_t version = 0x101;
    uint32_t header_bytes = 64;
    uint64_t padded_bytes = (entry->payload_bytes + UINT64_C(7)) / 8 * 8;
    wl_text_add_bytes(text, zeroes, sizeof zeroes);
    wl_text_add_bytes(text, entry->payload, entry->payload_bytes);
    wl_text_add_bytes(text, zeroes, (size_t)padded_bytes - entry->payload_bytes);
    put(text, at, &entry->kind, 2);
    put(text, at + 2, &version, 2);
    put(text, at + 4, &header_bytes, 4);
    put(text, at + 8, &padded_bytes, 8);
    put(text, at + 16, &entry->compressed_bytes, 4);
    put(text, at + 24, &entry->minor, 2);
    put(text, at + 26, &entry->major, 2);
    put(text, at + 28, &entry->architecture, 4);
    put(text, at + 40, &entry->flags, 8);
    put(text, at + 56, &entry->uncompressed_bytes, 8);
}

static struct entry plain_entry(void)
{
    return (struct entry){1, 9, 0, 90, 0x11, ptx, sizeof ptx - 1, 0, 0};
}

static void add_plain_container(struct wl_text *text)
{
    struct entry entry = plain_entry();
    size_t start = text->length;
    begin_container(text);
    add_entry(text, &entry);
    end_container(text, start);
}

static void assert_ptx(const struct wl_image *image)
{
    assert_int_equal(image->kind, WL_IMAGE_PTX);
    assert_int_equal(image->size_bytes, sizeof ptx - 1);
    assert_string_equal((const char *)image->bytes, ptx);
}

static void test_plain_entries_and_unknown_kinds(void **state)
{
    (void)state;
    struct wl_text text = {0};
    struct entry entries[] = {plain_entry(), plain_entry(), plain_entry()};
    entries[1].kind = 8;
    entries[2].kind = 2;
    entries[2].flags |= 0x100000;
    entries[2].payload = "\177ELF1234";
    entries[2].payload_bytes = 8;
    begin_container(&text);
    for (int i = 0; i < 3; i++)
        add_entry(&text, &entries[i]);
    end_container(&text, 0);
    wl_text_add(&text, "whatever follows");
    struct wl_fatbin fatbin = {0};
    struct wl_error error = {0};
    assert_int_equal(wl_fatbin_read(text.data, text.length, &fatbin, &error), WL_OK);
    assert_int_equal(fatbin.count, 2);
    assert_ptx(&fatbin.items[0]);
    assert_int_equal(fatbin.items[0].architecture, 90);
    assert_int_equal(fatbin.items[0].version_major, 9);
    assert_int_equal(fatbin.items[0].version_minor, 0);
    assert_false(fatbin.items[0].architecture_specific);
    assert_null(fatbin.items[0].options);
    assert_null(fatbin.items[0].source_name);
    assert_int_equal(fatbin.items[1].kind, WL_IMAGE_CUBIN);
    assert_true(fatbin.items[1].architecture_specific);
    assert_int_equal(fatbin.items[1].size_bytes, 8);
    wl_fatbin_free(&fatbin);
    assert_int_equal(fatbin.count, 0);
    wl_text_free(&text);
}

/* Both forms of compression, with the NUL that the toolkit counts into the text. */
static void test_compressed_entries(void **state)
{
    (void)state;
    char packed[2][4096];
    struct entry zstd = plain_entry(), lz4 = plain_entry();
    zstd.flags = 0x8011;
    zstd.payload = packed[0];
    zstd.compressed_bytes =
        (uint32_t)ZSTD_compress(packed[0], sizeof packed[0], ptx, sizeof ptx, 3);
    zstd.payload_bytes = zstd.compressed_bytes;
    lz4.flags = 0x2011;
    lz4.payload = packed[1];
    lz4.compressed_bytes =
        (uint32_t)LZ4_compress_default(ptx, packed[1], sizeof ptx, sizeof packed[1]);
    lz4.payload_bytes = lz4.compressed_bytes;
    zstd.uncompressed_bytes = lz4.uncompressed_bytes = sizeof ptx;
    struct wl_text text = {0};
    begin_container(&text);
    add_entry(&text, &zstd);
    add_entry(&text, &lz4);
    end_container(&text, 0);
    struct wl_fatbin fatbin = {0};
    assert_int_equal(wl_fatbin_read(text.data, text.length, &fatbin, NULL), WL_OK);
    assert_int_equal(fatbin.count, 2);
    assert_ptx(&fatbin.items[0]);
    assert_ptx(&fatbin.items[1]);
    wl_fatbin_free(&fatbin);
    wl_text_free(&text);
}

static void test_written_container_is_read_back(void **state)
{
    (void)state;
    for (size_t cut = 0; cut < 9; cut++) { /* every residue of the length */
        struct wl_image image = {
            .architecture = 86,
            .architecture_specific = cut & 1,
            .version_major = 7,
            .version_minor = 5,
            .bytes = (uint8_t *)ptx,
            .size_bytes = sizeof ptx - 1 - cut,
            .options = cut % 3 ? "-O3 -dlcm=ca" : NULL,
            .source_name = cut % 2 ? "folder/a.cu" : NULL,
        };
        struct wl_text text = {0};
        struct wl_fatbin fatbin = {0};
        wl_text_add(&text, "12345678");
        wl_fatbin_write_ptx(&image, &text);
        assert_int_equal(text.length % 8, 0);
        assert_int_equal(wl_fatbin_read(text.data + 8, text.length - 8, &fatbin, NULL), WL_OK);
        assert_int_equal(fatbin.count, 1);
        assert_int_equal(fatbin.items[0].kind, WL_IMAGE_PTX);
        assert_int_equal(fatbin.items[0].architecture, 86);
        assert_int_equal(fatbin.items[0].architecture_specific, cut & 1);
        assert_int_equal(fatbin.items[0].version_major, 7);
        assert_int_equal(fatbin.items[0].version_minor, 5);
        assert_int_equal(fatbin.items[0].size_bytes, image.size_bytes);
        assert_memory_equal(fatbin.items[0].bytes, ptx, image.size_bytes);
        assert_int_equal(fatbin.items[0].bytes[image.size_bytes], 0);
        if (image.options)
            assert_string_equal(fatbin.items[0].options, image.options);
        else
            assert_null(fatbin.items[0].options);
        if (image.source_name)
            assert_string_equal(fatbin.items[0].source_name, image.source_name);
        else
            assert_null(fatbin.items[0].source_name);
        wl_fatbin_free(&fatbin);
        wl_text_free(&text);
    }
}

struct wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const *list;
};

static void test_wrappers(void **state)
{
    (void)state;
    struct wl_text text = {0}, empty = {0};
    add_plain_container(&text);
    begin_container(&empty);
    struct wl_fatbin fatbin = {0};
    struct wrapper one = {0x466243B1, 1, text.data, NULL};
    assert_int_equal(wl_fatbin_read_wrapper(&one, &fatbin, NULL), WL_OK);
    assert_int_equal(fatbin.count, 1);
    assert_int_equal(fatbin.items[0].container, 0);
    wl_fatbin_free(&fatbin);

    const void *list[] = {text.data, empty.data, text.data, NULL};
    struct wrapper many = {0x466243B1, 2, empty.data, list};
    assert_int_equal(wl_fatbin_read_wrapper(&many, &fatbin, NULL), WL_OK);
    assert_int_equal(fatbin.count, 2);
    assert_int_equal(fatbin.items[0].container, 0);
    assert_int_equal(fatbin.items[1].container, 2);
    wl_fatbin_free(&fatbin);
    many.data = text.data;
    assert_int_equal(wl_fatbin_read_wrapper(&many, &fatbin, NULL), WL_OK);
    assert_int_equal(fatbin.count, 3);
    assert_int_equal(fatbin.items[2].container, 3);
    wl_fatbin_free(&fatbin);

    struct wl_error error = {0};
    struct wrapper strange = {0x12345678, 1, text.data, NULL};
    assert_int_equal(wl_fatbin_read_wrapper(&strange, &fatbin, &error), WL_ERR_CORRUPT);
    assert_string_equal(error.message, "not a registered fat binary: it begins with 12345678");
    struct wrapper later = {0x466243B1, 3, text.data, NULL};
    assert_int_equal(wl_fatbin_read_wrapper(&later, &fatbin, &error), WL_ERR_CORRUPT);
    assert_string_equal(error.message, "registered fat binary is of version 3; 1 and 2 are known");
    struct wrapper mistaken = {0x466243B1, 1, "something else entirely", NULL};
    assert_int_equal(wl_fatbin_read_wrapper(&mistaken, &fatbin, &error), WL_ERR_CORRUPT);
    assert_string_equal(error.message, "not a fat binary: it begins with 656d6f73");
    wl_text_free(&text);
    wl_text_free(&empty);
}

static void assert_corrupt(const struct wl_text *text, size_t length, const char *message,
                           const char *where)
{
    struct wl_fatbin fatbin = {0};
    struct wl_error error = {0};
    void *copy = malloc(length ? length : 1); /* so that a sanitizer sees reads behind it */
    if (length)
        memcpy(copy, text->data, length);
    assert_int_equal(wl_fatbin_read(copy, length, &fatbin, &error), WL_ERR_CORRUPT);
    assert_string_equal(error.message, message);
    assert_string_equal(error.where, where);
    wl_fatbin_free(&fatbin);
    free(copy);
}

/* One field of a good container overwritten at a time. */
static void test_damaged_fields(void **state)
{
    (void)state;
    static const struct {
        size_t offset, length;
        uint64_t value;
        const char *message, *where;
    } cases[] = {
        {0, 4, 0x464c457f, "not a fat binary: it begins with 464c457f", "byte offset 0"},
        {4, 2, 2, "fat binary is of version 2; 1 is known", "byte offset 4"},
        {6, 2, 15, "fat binary has a header of 15 bytes", "byte offset 6"},
        {6, 2, 60000, "fat binary has a header of 60000 bytes", "byte offset 6"},
        {8, 8, UINT64_MAX,
         "fat binary is cut short: 18446744073709551615 bytes announced, 144 there",
         "byte offset 8"},
        {8, 8, 63, "entry header is cut short: 63 of 64 bytes there", "byte offset 16"},
        {16 + 4, 4, 63, "entry header says it has 63 bytes, with 144 left", "byte offset 16"},
        {16 + 4, 4, 0xffffffff, "entry header says it has 4294967295 bytes, with 144 left",
         "byte offset 16"},
        {16 + 8, 8, 81, "payload is cut short: 81 bytes announced, 80 there", "byte offset 16"},
        {16 + 8, 8, UINT64_MAX,
         "payload is cut short: 18446744073709551615 bytes announced, 80 there", "byte offset 16"},
        {16 + 16, 4, 81, "81 compressed bytes do not fit into a payload of 80", "byte offset 16"},
        {16 + 20, 4, 57, "options lie outside the entry header", "byte offset 16"},
        {16 + 20, 4, 0xfffffffc, "options lie outside the entry header", "byte offset 16"},
        {16 + 20, 4, 8, "options lie outside the entry header", "byte offset 16"},
        {16 + 32, 8, UINT64_C(1) << 32 | 64, "source name lies outside the entry header",
         "byte offset 16"},
        {16 + 32, 8, UINT64_C(0xffffffff) << 32 | 32, "source name lies outside the entry header",
         "byte offset 16"},
        {16 + 40, 8, 0x8011, "compressed payload of 0 bytes", "byte offset 16"},
    };
    struct wl_text good = {0};
    add_plain_container(&good);
    assert_int_equal(good.length, 160);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wl_text text = {0};
        wl_text_add_bytes(&text, good.data, good.length);
        put(&text, cases[i].offset, &cases[i].value, cases[i].length);
        assert_corrupt(&text, text.length, cases[i].message, cases[i].where);
        wl_text_free(&text);
    }
    for (size_t length = 0; length < good.length; length++) {
        struct wl_fatbin fatbin = {0};
        void *copy = malloc(length + 1);
        memcpy(copy, good.data, length);
        assert_int_equal(wl_fatbin_read(copy, length, &fatbin, NULL), WL_ERR_CORRUPT);
        assert_int_equal(fatbin.count, 0);
        free(copy);
    }
    assert_corrupt(&good, 15, "fat binary ends within its header", "byte offset 0");
    wl_text_free(&good);
}

static void test_hostile_compression(void **state)
{
    (void)state;
    char packed[4096];
    uint32_t packed_bytes = (uint32_t)ZSTD_compress(packed, sizeof packed, ptx, sizeof ptx - 1, 3);
    struct entry good = plain_entry();
    good.flags = 0x8011;
    good.payload = packed;
    good.payload_bytes = good.compressed_bytes = packed_bytes;
    good.uncompressed_bytes = sizeof ptx - 1;
    char ratio_message[128];
    snprintf(ratio_message, sizeof ratio_message,
             "payload would grow from %u to 1073741824 bytes, more than 1000 times", packed_bytes);
    const struct {
        uint64_t flags, uncompressed_bytes;
        uint32_t compressed_bytes;
        const char *message;
    } cases[] = {
        {0x8011, (UINT64_C(1) << 30) + 1, packed_bytes,
         "payload would take 1073741825 bytes, more than 1 GiB"},
        {0x8011, UINT64_MAX, packed_bytes,
         "payload would take 18446744073709551615 bytes, more than 1 GiB"},
        {0x8011, UINT64_C(1) << 30, packed_bytes, ratio_message},
        {0x8011, sizeof ptx, packed_bytes, "payload has 73 bytes instead of 74"},
        {0x8011, sizeof ptx - 2, packed_bytes, "zstd payload is damaged"},
        {0x8011, sizeof ptx - 1, packed_bytes - 1, "zstd payload is damaged"},
        {0x2011, sizeof ptx - 1, packed_bytes, "LZ4 payload is damaged"},
        {0x2011, 0, packed_bytes, "LZ4 payload is damaged"},
    };
    assert_int_equal(sizeof ptx, 74);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct entry entry = good;
        entry.flags = cases[i].flags;
        entry.uncompressed_bytes = cases[i].uncompressed_bytes;
        entry.compressed_bytes = cases[i].compressed_bytes;
        struct wl_text text = {0};
        begin_container(&text);
        add_entry(&text, &entry);
        end_container(&text, 0);
        assert_corrupt(&text, text.length, cases[i].message, "byte offset 16");
        wl_text_free(&text);
    }
}

/* With the toolkit: its own compilation modes, options and source names. */
static void test_what_nvcc_makes(void **state)
{
    (void)state;
    if (system("nvcc --version > /dev/null 2>&1") != 0) {
        puts("skipped: there is no nvcc");
        skip();
    }
    static const char *const modes[] = {"none", "speed", "size", "balance"};
    char *folder;
    assert_int_equal(wl_folder_create_temporary("wl-fatbin-test", &folder, NULL), WL_OK);
    struct wl_text first = {0};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        char command[1024], path[512];
        snprintf(command, sizeof command,
                 "cd %s && echo '__global__ void k(float *p) { p[threadIdx.x] += 1; }' > a.cu && "
                 "nvcc -arch=sm_80 -lineinfo -Xptxas -dlcm=ca --compress-mode=%s -fatbin a.cu",
                 folder, modes[i]);
        if (system(command) != 0) {
            puts("skipped: an older nvcc has no --compress-mode");
            skip();
        }
        struct wl_text content = {0};
        struct wl_fatbin fatbin = {0};
        snprintf(path, sizeof path, "%s/a.fatbin", folder);
        assert_int_equal(wl_file_read(path, &content, NULL), WL_OK);
        assert_int_equal(wl_fatbin_read(content.data, content.length, &fatbin, NULL), WL_OK);
        assert_int_equal(fatbin.count, 2);
        const struct wl_image *image = &fatbin.items[fatbin.items[0].kind == WL_IMAGE_CUBIN];
        assert_int_equal(image->kind, WL_IMAGE_PTX);
        assert_int_equal(image->architecture, 80);
        assert_non_null(strstr(image->options, "-dlcm=ca"));
        assert_non_null(strstr(image->options, "--generate-line-info"));
        assert_string_equal(image->source_name, "a.cu");
        assert_non_null(strstr((const char *)image->bytes, ".visible .entry _Z1kPf("));
        if (i == 0)
            wl_text_add(&first, (const char *)image->bytes);
        assert_string_equal((const char *)image->bytes, first.data);
        wl_fatbin_free(&fatbin);
        wl_text_free(&content);
    }
    wl_text_free(&first);
    wl_folder_remove(folder, NULL);
    free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_entries_and_unknown_kinds),
        cmocka_unit_test(test_compressed_entries),
        cmocka_unit_test(test_written_container_is_read_back),
        cmocka_unit_test(test_wrappers),
        cmocka_unit_test(test_damaged_fields),
        cmocka_unit_test(test_hostile_compression),
        cmocka_unit_test(test_what_nvcc_makes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
