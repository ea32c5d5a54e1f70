#include "base/python_stack.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *stack, *folder, *line;
} rows[] = {
    {"/home/me/train.py:12 main;/home/me/model.py:40 Block.forward", NULL,
     "/home/me/model.py:40 Block.forward"},
    {"/home/me/train.py:12 main;/home/me/model.py:40 Block.forward", "/home/me",
     "model.py:40 Block.forward"},
    {"/home/me/train.py:12 main;/x/site-packages/torch/nn.py:9 call;libtorch.so+0x1", NULL,
     "/home/me/train.py:12 main"},
    {"/usr/lib/python3.11/threading.py:9 run;/x/site-packages/a.py:3 f", NULL,
     "/x/site-packages/a.py:3 f"},
    {"/x/site-packages/a.py:3 f;<string>:1 <module>", NULL, "<string>:1 <module>"},
    {"/home/me/train.py:12 main", "/home/m", "/home/me/train.py:12 main"},
    {"main;solve;step", NULL, NULL},
    {"", NULL, NULL},
    {":12 main;x:y main", NULL, NULL},
};

int main(void)
{
    int failures = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t length = 0;
        const char *line = wl_python_line_of(rows[i].stack, rows[i].folder, &length);
        const char *wanted = rows[i].line;
        if (!line != !wanted ||
            (line && (strlen(wanted) != length || strncmp(line, wanted, length) != 0))) {
            printf("%s: %.*s\n", rows[i].stack, (int)length, line ? line : "");
            failures++;
        }
    }
    return failures != 0;
}
