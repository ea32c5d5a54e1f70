#include <stdio.h>

#include "generate.h"

const char *output_folder;

int main(int argument_count, char **arguments)
{
    if (argument_count != 2) {
        fprintf(stderr, "usage: generate FOLDER\n");
        return 2;
    }
    output_folder = arguments[1];
    generate_integer();
    generate_bits();
    generate_floats();
    generate_contract();
    generate_approximate();
    generate_compare();
    generate_convert();
    generate_memory();
    generate_atomic();
    generate_lanes();
    generate_special();
    generate_control();
    generate_random();
    return 0;
}
