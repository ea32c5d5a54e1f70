/* Runs a fuzzer's function over files, where there is no libFuzzer: run_corpus FILE... */
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int main(int count, char **paths)
{
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(paths[i], "rb");
        if (!file || fseek(file, 0, SEEK_END) != 0) {
            perror(paths[i]);
            return 1;
        }
        size_t size = (size_t)ftell(file);
        unsigned char *data = malloc(size + 1); /* of its size: a sanitizer sees what lies behind */
        rewind(file);
        if (!data || fread(data, 1, size, file) != size) {
            perror(paths[i]);
            return 1;
        }
        fclose(file);
        LLVMFuzzerTestOneInput(data, size);
        /* and cut short at a few places */
        for (size_t cut = size; cut > 0; cut = cut * 7 / 8)
            LLVMFuzzerTestOneInput(data, cut);
        free(data);
    }
    return count > 1 ? 0 : 1;
}
