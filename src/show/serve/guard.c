#include "show/serve/guard.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/count.h"
#include "base/text.h"

static bool make_secret(char secret[WL_SERVE_SECRET_LENGTH + 1])
{
    unsigned char bytes[WL_SERVE_SECRET_LENGTH / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(secret + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

bool wl_guard_init(struct wl_guard *guard)
{
    pthread_mutex_init(&guard->lock, NULL);
    return make_secret(guard->token) && make_secret(guard->key);
}

void wl_guard_free(struct wl_guard *guard)
{
    pthread_mutex_destroy(&guard->lock);
}

bool wl_guard_allows_host(const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    for (size_t i = 0; host && i < WL_COUNT(names); i++) {
        if (!wl_text_starts(host, names[i]))
            continue;
        const char *port = host + strlen(names[i]);
        if (*port == '\0')
            return true;
        if (*port == ':' && port[1] != '\0' && strspn(port + 1, "0123456789") == strlen(port + 1))
            return true;
    }
    return false;
}

bool wl_guard_allows_origin(const char *origin, const char *host)
{
    static const char scheme[] = "http://";
    return !origin ||
           (host && wl_text_starts(origin, scheme) && strcmp(origin + strlen(scheme), host) == 0);
}

static bool is_equal(const char *secret, const char *given)
{
    unsigned char difference = 0;
    if (strlen(given) != WL_SERVE_SECRET_LENGTH)
        return false;
    for (size_t i = 0; i < WL_SERVE_SECRET_LENGTH; i++)
        difference |= (unsigned char)(secret[i] ^ given[i]);
    return difference == 0;
}

bool wl_guard_allows_key(struct wl_guard *guard, const char *authorization)
{
    static const char scheme[] = "Bearer ";
    return authorization && wl_text_starts(authorization, scheme) &&
           is_equal(guard->key, authorization + strlen(scheme));
}

bool wl_guard_redeem(struct wl_guard *guard, const char *token,
                     char key[WL_SERVE_SECRET_LENGTH + 1])
{
    pthread_mutex_lock(&guard->lock);
    bool is_good = is_equal(guard->token, token) && make_secret(guard->token);
    pthread_mutex_unlock(&guard->lock);
    if (is_good)
        memcpy(key, guard->key, sizeof guard->key);
    return is_good;
}

void wl_guard_token(struct wl_guard *guard, char token[WL_SERVE_SECRET_LENGTH + 1])
{
    pthread_mutex_lock(&guard->lock);
    memcpy(token, guard->token, sizeof guard->token);
    pthread_mutex_unlock(&guard->lock);
}
