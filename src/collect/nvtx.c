#include "collect/nvtx.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/count.h"
#include "base/export.h"
#include "collect/nvtx_events.h"
#include "collect/operator_name.h"
#include "collect/sites.h"
#include "record/traced.h"

/* ---- the interface, as the NVTX headers of version 3 have it ---- */

enum { EXPORT_CALLBACKS = 1 };
enum { MODULE_CORE = 1, MODULE_CORE2 = 5 };
enum { MESSAGE_ASCII = 1, MESSAGE_WIDE = 2, MESSAGE_REGISTERED = 3 };

struct nvtx_attributes {
    uint16_t version, size_bytes;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    union {
        const char *ascii;
        const wchar_t *wide;
        const struct registered_string *registered;
    } message;
};

struct nvtx_callbacks {
    size_t struct_bytes;
    /* Gives an array of pointers to the functions to fill in, and its length; 1: done. */
    int (*get_functions)(int module, void (***functions[])(void), unsigned *count);
};

WL_EXPORT int InitializeInjectionNvtx2(const void *(*get_export_table)(uint32_t id));

/* ---- domains and strings: what the program's handles point to ---- */

struct registered_string {
    char *text;
    struct registered_string *next;
};

struct domain {
    char *name;
    _Atomic(struct registered_string *) strings; /* they live as long as the domain */
};

static struct domain default_domain;
static atomic_bool is_wanted_now;
static void (*_Atomic range_listener)(const char *name, bool is_begin);

/* Allocation fails quietly here: a range is then called "?". */
static const char unknown_name[] = "?";

/* UTF-8; free() it. NULL if there is no memory. */
static char *from_wide(const wchar_t *wide)
{
    char *text = malloc(wcslen(wide) * 4 + 1), *out = text;
    for (; text && *wide; wide++) {
        uint32_t code = (uint32_t)*wide;
        if (code < 0x80) {
            *out++ = (char)code;
            continue;
        }
        int extra = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};
        *out++ = (char)(leads[extra] | (code >> 6 * extra & (0x3f >> extra)));
        while (extra-- > 0)
            *out++ = (char)(0x80 | (code >> 6 * extra & 0x3f));
    }
    if (text)
        *out = '\0';
    return text;
}

/* name is taken over. */
static void *make_domain(char *name)
{
    struct domain *domain = calloc(1, sizeof *domain);
    if (!domain || !name) {
        free(domain);
        free(name);
        return NULL;
    }
    domain->name = name;
    return domain;
}

static void *domain_create_ascii(const char *name)
{
    int saved_errno = errno;
    void *domain = name ? make_domain(strdup(name)) : NULL;
    errno = saved_errno;
    return domain;
}

static void *domain_create_wide(const wchar_t *name)
{
    int saved_errno = errno;
    void *domain = name ? make_domain(from_wide(name)) : NULL;
    errno = saved_errno;
    return domain;
}

static void domain_destroy(void *handle)
{
    struct domain *domain = handle;
    if (!domain)
        return;
    int saved_errno = errno;
    struct registered_string *string = atomic_load(&domain->strings), *next;
    for (; string; string = next) {
        next = string->next;
        free(string->text);
        free(string);
    }
    free(domain->name);
    free(domain);
    errno = saved_errno;
}

/* text is taken over. No lock: a fork may happen at any moment. */
static const void *register_text(struct domain *domain, char *text)
{
    struct registered_string *string = calloc(1, sizeof *string);
    if (!string || !text) {
        free(string);
        free(text);
        return NULL;
    }
    string->text = text;
    if (!domain)
        domain = &default_domain;
    string->next = atomic_load(&domain->strings);
    while (!atomic_compare_exchange_weak(&domain->strings, &string->next, string))
        continue;
    return string;
}

static const void *register_ascii(void *domain, const char *text)
{
    int saved_errno = errno;
    const void *handle = text ? register_text(domain, strdup(text)) : NULL;
    errno = saved_errno;
    return handle;
}

static const void *register_wide(void *domain, const wchar_t *text)
{
    int saved_errno = errno;
    const void *handle = text ? register_text(domain, from_wide(text)) : NULL;
    errno = saved_errno;
    return handle;
}

/* ---- the stack of a thread ---- */

struct range {
    char *name; /* or unknown_name */
    const void *domain;
    struct wl_nvtx_event event; /* start 0: not to be recorded */
};

struct stack {
    struct range *ranges;
    const char **names; /* of ranges, for those who ask */
    size_t count, capacity;
};

static pthread_key_t stack_key;
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;
static bool has_stack_key;

static void free_name(char *name)
{
    if (name != unknown_name)
        free(name);
}

static void free_stack(void *pointer)
{
    struct stack *stack = pointer;
    for (size_t i = 0; i < stack->count; i++)
        free_name(stack->ranges[i].name);
    free(stack->ranges);
    free(stack->names);
    free(stack);
}

static void make_stack_key(void)
{
    has_stack_key = pthread_key_create(&stack_key, free_stack) == 0;
}

/* NULL if there is none (yet). */
static struct stack *own_stack(bool is_to_be_made)
{
    pthread_once(&stack_once, make_stack_key);
    if (!has_stack_key)
        return NULL;
    struct stack *stack = pthread_getspecific(stack_key);
    if (stack || !is_to_be_made)
        return stack;
    stack = calloc(1, sizeof *stack);
    if (stack && pthread_setspecific(stack_key, stack) != 0) {
        free(stack);
        stack = NULL;
    }
    return stack;
}

static bool grow(struct stack *stack)
{
    if (stack->count < stack->capacity)
        return true;
    size_t capacity = stack->capacity ? stack->capacity * 2 : 16;
    struct range *ranges = realloc(stack->ranges, capacity * sizeof *ranges);
    if (ranges)
        stack->ranges = ranges;
    const char **names = realloc(stack->names, capacity * sizeof *names);
    if (names)
        stack->names = names;
    if (!ranges || !names)
        return false;
    stack->capacity = capacity;
    return true;
}

/* "name", "domain@name" or "@name"; name is taken over and may be NULL. */
static char *qualify(const struct domain *domain, char *name)
{
    const char *domain_name = domain ? domain->name : "";
    if (!name || (!*domain_name && !strchr(name, '@')))
        return name;
    size_t domain_length = strlen(domain_name), length = strlen(name);
    char *whole = malloc(domain_length + 1 + length + 1);
    if (whole) {
        memcpy(whole, domain_name, domain_length);
        whole[domain_length] = '@';
        memcpy(whole + domain_length + 1, name, length + 1);
    }
    free(name);
    return whole;
}

static size_t depth_of(const struct stack *stack, const void *domain)
{
    size_t depth = 0;
    for (size_t i = 0; i < stack->count; i++)
        depth += stack->ranges[i].domain == domain;
    return depth;
}

static void tell_listener(const char *name, bool is_begin)
{
    void (*listener)(const char *, bool) = atomic_load(&range_listener);
    if (listener)
        listener(name, is_begin);
}

static const char *included_domains = "", *excluded_domains = "";

void wl_nvtx_choose_domains(const char *included, const char *excluded)
{
    included_domains = included;
    excluded_domains = excluded;
}

static bool is_recorded(enum wl_timeline_category category, const struct domain *domain)
{
    const char *name = domain ? domain->name : "";
    return wl_timeline_is_wanted(category) &&
           (!*included_domains || wl_traced_has_domain(included_domains, name)) &&
           (!*excluded_domains || !wl_traced_has_domain(excluded_domains, name));
}

static struct wl_nvtx_event describe_event(const struct domain *domain, const char *message,
                                           const struct nvtx_attributes *attributes)
{
    struct wl_nvtx_event event = {.name = wl_timeline_name(message ? message : unknown_name),
                                  .domain = wl_timeline_name(domain ? domain->name : NULL),
                                  .start = wl_timeline_now()};
    if (attributes && attributes->size_bytes >= sizeof *attributes) {
        event.color = attributes->color_type ? attributes->color : 0;
        event.category = attributes->category;
        event.payload = attributes->payload_type ? attributes->payload : 0;
    }
    return event;
}

/* A range that PyTorch makes for an operator; message is left without what is of this call only.
 * Which line of Python called it is asked for the outermost one. */
static struct wl_nvtx_event describe_range(const struct stack *stack, const struct domain *domain,
                                           char *message, const struct nvtx_attributes *attributes)
{
    uint64_t sequence = 0;
    bool is_operator = message && !domain && wl_operator_name_split(message, &sequence);
    struct wl_nvtx_event event = describe_event(domain, message, attributes);
    if (!is_operator)
        return event;
    bool is_inner = false;
    for (size_t i = 0; i < stack->count; i++)
        is_inner = is_inner || stack->ranges[i].event.flags & WL_TIMELINE_OPERATOR;
    event.flags = WL_TIMELINE_OPERATOR;
    event.payload = sequence;
    event.stack = is_inner ? 0 : wl_code_python_stack();
    return event;
}

/* name is taken over; attributes may be NULL. Returns the depth of the new range within its domain,
 * from 0. */
static int push(const struct domain *domain, char *name, const struct nvtx_attributes *attributes)
{
    struct stack *stack = own_stack(true);
    struct wl_nvtx_event event = {0};
    char *message = name ? strdup(name) : NULL;
    name = qualify(domain, name);
    if (!stack || !grow(stack)) {
        free(message);
        free(name);
        return -1;
    }
    size_t depth = depth_of(stack, domain);
    if (!name)
        name = (char *)unknown_name;
    tell_listener(name, true);
    if (is_recorded(WL_TIMELINE_NVTX_PUSHPOP, domain))
        event = describe_range(stack, domain, message, attributes);
    free(message);
    stack->ranges[stack->count] = (struct range){name, domain, event};
    stack->names[stack->count] = name;
    stack->count++;
    return (int)depth;
}

/* The innermost range of that domain ends. Returns its depth, -1 if there is none. */
static int pop(const struct domain *domain)
{
    struct stack *stack = own_stack(false);
    for (size_t i = stack ? stack->count : 0; i-- > 0;) {
        if (stack->ranges[i].domain != domain)
            continue;
        if (stack->ranges[i].event.start)
            wl_nvtx_put_range(&stack->ranges[i].event, i);
        tell_listener(stack->ranges[i].name, false);
        free_name(stack->ranges[i].name);
        stack->count--;
        size_t behind = stack->count - i;
        memmove(&stack->ranges[i], &stack->ranges[i + 1], behind * sizeof *stack->ranges);
        memmove(&stack->names[i], &stack->names[i + 1], behind * sizeof *stack->names);
        return (int)depth_of(stack, domain);
    }
    return -1;
}

size_t wl_nvtx_open_ranges(const char *const **ranges)
{
    const struct stack *stack = own_stack(false);
    *ranges = stack ? stack->names : NULL;
    return stack ? stack->count : 0;
}

/* ---- the functions that NVTX calls ---- */

static char *message_of(const struct nvtx_attributes *attributes)
{
    if (!attributes || attributes->size_bytes < sizeof *attributes || !attributes->message.ascii)
        return NULL;
    switch (attributes->message_type) {
    case MESSAGE_ASCII:
        return strdup(attributes->message.ascii);
    case MESSAGE_WIDE:
        return from_wide(attributes->message.wide);
    case MESSAGE_REGISTERED:
        return strdup(attributes->message.registered->text);
    default:
        return NULL;
    }
}

/* Functions that take a text alone are those that take attributes, with no others. */
static struct nvtx_attributes only_ascii(const char *text)
{
    return (struct nvtx_attributes){.size_bytes = sizeof(struct nvtx_attributes),
                                    .message_type = MESSAGE_ASCII,
                                    .message.ascii = text};
}

static struct nvtx_attributes only_wide(const wchar_t *text)
{
    return (struct nvtx_attributes){.size_bytes = sizeof(struct nvtx_attributes),
                                    .message_type = MESSAGE_WIDE,
                                    .message.wide = text};
}

static int domain_push(void *domain, const struct nvtx_attributes *attributes)
{
    int saved_errno = errno;
    int depth = push(domain, message_of(attributes), attributes);
    errno = saved_errno;
    return depth;
}

static int domain_pop(void *domain)
{
    int saved_errno = errno;
    int depth = pop(domain);
    errno = saved_errno;
    return depth;
}

static int push_attributes(const struct nvtx_attributes *attributes)
{
    return domain_push(NULL, attributes);
}

static int push_ascii(const char *name)
{
    const struct nvtx_attributes attributes = only_ascii(name);
    return domain_push(NULL, &attributes);
}

static int push_wide(const wchar_t *name)
{
    const struct nvtx_attributes attributes = only_wide(name);
    return domain_push(NULL, &attributes);
}

static int pop_default(void)
{
    return domain_pop(NULL);
}

/* text is taken over. */
static void mark(const struct domain *domain, char *text, const struct nvtx_attributes *attributes)
{
    if (is_recorded(WL_TIMELINE_NVTX_MARK, domain)) {
        struct wl_nvtx_event event = describe_event(domain, text, attributes);
        wl_nvtx_put_mark(&event);
    }
    free(text);
}

static uint64_t start(const struct domain *domain, char *text,
                      const struct nvtx_attributes *attributes)
{
    uint64_t id = 0;
    if (is_recorded(WL_TIMELINE_NVTX_STARTEND, domain)) {
        struct wl_nvtx_event event = describe_event(domain, text, attributes);
        id = wl_nvtx_open_range(&event);
    }
    free(text);
    return id;
}

static void domain_mark(void *domain, const struct nvtx_attributes *attributes)
{
    int saved_errno = errno;
    mark(domain, message_of(attributes), attributes);
    errno = saved_errno;
}

static void mark_attributes(const struct nvtx_attributes *attributes)
{
    domain_mark(NULL, attributes);
}

static void mark_ascii(const char *text)
{
    const struct nvtx_attributes attributes = only_ascii(text);
    domain_mark(NULL, &attributes);
}

static void mark_wide(const wchar_t *text)
{
    const struct nvtx_attributes attributes = only_wide(text);
    domain_mark(NULL, &attributes);
}

static uint64_t domain_start(void *domain, const struct nvtx_attributes *attributes)
{
    int saved_errno = errno;
    uint64_t id = start(domain, message_of(attributes), attributes);
    errno = saved_errno;
    return id;
}

static uint64_t start_attributes(const struct nvtx_attributes *attributes)
{
    return domain_start(NULL, attributes);
}

static uint64_t start_ascii(const char *text)
{
    const struct nvtx_attributes attributes = only_ascii(text);
    return domain_start(NULL, &attributes);
}

static uint64_t start_wide(const wchar_t *text)
{
    const struct nvtx_attributes attributes = only_wide(text);
    return domain_start(NULL, &attributes);
}

static void end_any(uint64_t id)
{
    int saved_errno = errno;
    wl_nvtx_close_range(id);
    errno = saved_errno;
}

static void domain_end(void *domain, uint64_t id)
{
    (void)domain;
    end_any(id);
}

/* Numbers of the functions in NVTX's tables. */
static const struct {
    int module;
    unsigned number;
    void (*function)(void);
} functions[] = {
    {MODULE_CORE, 1, (void (*)(void))mark_attributes},
    {MODULE_CORE, 2, (void (*)(void))mark_ascii},
    {MODULE_CORE, 3, (void (*)(void))mark_wide},
    {MODULE_CORE, 4, (void (*)(void))start_attributes},
    {MODULE_CORE, 5, (void (*)(void))start_ascii},
    {MODULE_CORE, 6, (void (*)(void))start_wide},
    {MODULE_CORE, 7, (void (*)(void))end_any},
    {MODULE_CORE, 8, (void (*)(void))push_attributes},
    {MODULE_CORE, 9, (void (*)(void))push_ascii},
    {MODULE_CORE, 10, (void (*)(void))push_wide},
    {MODULE_CORE, 11, (void (*)(void))pop_default},
    {MODULE_CORE2, 1, (void (*)(void))domain_mark},
    {MODULE_CORE2, 2, (void (*)(void))domain_start},
    {MODULE_CORE2, 3, (void (*)(void))domain_end},
    {MODULE_CORE2, 4, (void (*)(void))domain_push},
    {MODULE_CORE2, 5, (void (*)(void))domain_pop},
    {MODULE_CORE2, 10, (void (*)(void))register_ascii},
    {MODULE_CORE2, 11, (void (*)(void))register_wide},
    {MODULE_CORE2, 12, (void (*)(void))domain_create_ascii},
    {MODULE_CORE2, 13, (void (*)(void))domain_create_wide},
    {MODULE_CORE2, 14, (void (*)(void))domain_destroy},
};

void wl_nvtx_set_wanted(bool is_wanted)
{
    atomic_store(&is_wanted_now, is_wanted);
}

void wl_nvtx_set_listener(void (*listener)(const char *name, bool is_begin))
{
    atomic_store(&range_listener, listener);
}

/* Called by NVTX at its first use. 1: our functions are in place; 0: nobody listens. */
int InitializeInjectionNvtx2(const void *(*get_export_table)(uint32_t id))
{
    if (!atomic_load(&is_wanted_now) || !get_export_table)
        return 0;
    const struct nvtx_callbacks *callbacks = get_export_table(EXPORT_CALLBACKS);
    if (!callbacks || callbacks->struct_bytes < sizeof *callbacks)
        return 0;
    for (size_t i = 0; i < WL_COUNT(functions); i++) {
        void (***slots)(void) = NULL;
        unsigned count = 0;
        if (callbacks->get_functions(functions[i].module, &slots, &count) != 1 || !slots)
            continue;
        if (functions[i].number < count && slots[functions[i].number])
            *slots[functions[i].number] = functions[i].function;
    }
    return 1;
}
