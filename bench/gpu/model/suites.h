// The launches of a program in suites, of which its arguments name some; without any all are run.
#ifndef WL_BENCH_SUITES_H
#define WL_BENCH_SUITES_H

#include <cstdio>
#include <cstring>

struct suite {
    const char *name;
    void (*run)();
};

// Prints the head of what the launches print, too.
template <int COUNT> static void run_suites(const suite (&suites)[COUNT], int argc, char **argv)
{
    printf("name,operations,warps,blocks\n");
    for (const suite &each : suites) {
        bool is_wanted = argc == 1;
        for (int i = 1; i < argc; i++)
            is_wanted |= !strcmp(argv[i], each.name);
        if (is_wanted)
            each.run();
    }
}

#endif
