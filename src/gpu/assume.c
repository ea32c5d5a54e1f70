/* What is assumed of a GPU whose model does not say it: data/gpus/defaults.gpu. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/memory.h"
#include "gpu/gpu.h"
#include "gpu/keys.h"

static WL_VECTOR(struct wl_gpu_rule) rules;
static pthread_once_t rules_once = PTHREAD_ONCE_INIT;

static double *find_operand(struct wl_gpu_rule *rule, const char *word)
{
    return !strcmp(word, "or")  ? &rule->otherwise
           : !strcmp(word, "*") ? &rule->factor
           : !strcmp(word, "/") ? &rule->divisor
           : !strcmp(word, "+") ? &rule->addend
                                : NULL;
}

/* Changes the line. */
static bool read_rule(char *line, struct wl_gpu_rule *rule)
{
    static const char blanks[] = " \t";
    char *rest;
    const char *key = strtok_r(line, blanks, &rest), *sign = strtok_r(NULL, blanks, &rest);
    const char *value = strtok_r(NULL, blanks, &rest);
    *rule = (struct wl_gpu_rule){.factor = 1, .divisor = 1};
    if (!key || !sign || !value || strcmp(sign, "=") != 0)
        return false;
    rule->key = wl_gpu_key_find(key);
    rule->base = wl_gpu_key_find(value);
    if (!rule->base)
        rule->otherwise = strtod(value, NULL);
    for (const char *word; (word = strtok_r(NULL, blanks, &rest)) != NULL;) {
        double *operand = find_operand(rule, word);
        const char *number = strtok_r(NULL, blanks, &rest);
        if (!operand || !number || strtod(number, NULL) <= 0)
            return false;
        *operand = strtod(number, NULL);
    }
    return rule->key && (rule->base || rule->otherwise > 0);
}

void wl_gpu_rule_apply(const struct wl_gpu_rule *rule, struct wl_gpu *assumed)
{
    double value = rule->base ? wl_gpu_key_get(rule->base, assumed) : 0;
    if (wl_gpu_key_get(rule->key, assumed) > 0)
        return;
    value = (value > 0 ? value : rule->otherwise) * rule->factor / rule->divisor + rule->addend;
    wl_gpu_key_assign(rule->key, value, assumed);
}

bool wl_gpu_rule_read(const char *line, struct wl_gpu_rule *rule)
{
    char *copy = wl_string_copy_length(line, strcspn(line, "#\n"));
    bool is_good = read_rule(copy, rule);
    free(copy);
    return is_good;
}

static void read_rules(void)
{
    const struct wl_embedded_file *file = wl_embedded_gpus;
    struct wl_gpu_rule rule;
    while (strcmp(file->name, "defaults.gpu") != 0)
        file++;
    for (const char *line = file->content; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (wl_gpu_rule_read(line, &rule))
            WL_PUSH(&rules, rule);
    }
}

void wl_gpu_assume(const struct wl_gpu *gpu, struct wl_gpu *assumed)
{
    pthread_once(&rules_once, read_rules);
    *assumed = *gpu;
    assumed->notes = NULL;
    for (size_t i = 0; i < rules.count; i++)
        wl_gpu_rule_apply(&rules.items[i], assumed);
}
