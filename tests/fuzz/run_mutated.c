/* Runs a fuzzer's function over what its mutator makes of files, from a seed: run_mutated SEED
 * COUNT FILE... The same seed makes the same texts. With WL_FUZZ_LAST in the environment each text
 * is first written to the file it names, so that the one that ended the program is there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t size, size_t size_max, unsigned seed);

#define SIZE_MAX_BYTES 65536
#define ROUNDS 4 /* a text is changed this often before the next file's turn */

static size_t read_file(const char *path, unsigned char *data)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    size_t size = fread(data, 1, SIZE_MAX_BYTES / 2, file);
    fclose(file);
    return size;
}

static void keep(const unsigned char *data, size_t size)
{
    const char *path = getenv("WL_FUZZ_LAST");
    FILE *file = path ? fopen(path, "wb") : NULL;
    if (!file)
        return;
    fwrite(data, 1, size, file);
    fclose(file);
}

int main(int count, char **arguments)
{
    static unsigned char data[SIZE_MAX_BYTES];
    size_t size = 0;
    if (count < 4) {
        fprintf(stderr, "usage: run_mutated SEED COUNT FILE...\n");
        return 1;
    }
    unsigned random = (unsigned)strtoul(arguments[1], NULL, 0);
    const unsigned long runs = strtoul(arguments[2], NULL, 0);
    for (unsigned long i = 0; i < runs; i++) {
        if (i % ROUNDS == 0) {
            random = random * 1664525u + 1013904223u;
            size = read_file(arguments[3 + (random >> 8) % (unsigned)(count - 3)], data);
        }
        random = random * 1664525u + 1013904223u;
        size = LLVMFuzzerCustomMutator(data, size, sizeof data, random);
        unsigned char *exact = malloc(size ? size : 1); /* a sanitizer sees what lies behind */
        if (!exact)
            return 1;
        memcpy(exact, data, size);
        keep(exact, size);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    printf("%lu texts\n", runs);
    return 0;
}
