/* Who may ask the server: what of a request is looked at, before anything is done. */
#ifndef WL_SHOW_SERVE_GUARD_H
#define WL_SHOW_SERVE_GUARD_H

#include <pthread.h>
#include <stdbool.h>

/* A word of 128 random bits in hexadecimal. */
enum { WL_SERVE_SECRET_LENGTH = 32 };

struct wl_guard {
    pthread_mutex_t lock;
    char token[WL_SERVE_SECRET_LENGTH + 1]; /* of the next address; good once */
    char key[WL_SERVE_SECRET_LENGTH + 1];   /* of every window that gave a token */
};

/* New secrets. False where the system gives no random bits. */
bool wl_guard_init(struct wl_guard *guard);
void wl_guard_free(struct wl_guard *guard);

/* Whether a Host header names this machine: 127.0.0.1, localhost or [::1], with any port, since a
 * tunnel has one of its own. A page whose name was made to point here (DNS rebinding) sends its
 * own. */
bool wl_guard_allows_host(const char *host);
/* Whether an Origin header, NULL: there is none, is the page that came from this host. */
bool wl_guard_allows_origin(const char *origin, const char *host);
/* Whether an Authorization header is "Bearer KEY". Takes the same time whatever it holds. */
bool wl_guard_allows_key(struct wl_guard *guard, const char *authorization);
/* The key for a token, which is not good again; a new one takes its place. False: another token. */
bool wl_guard_redeem(struct wl_guard *guard, const char *token,
                     char key[WL_SERVE_SECRET_LENGTH + 1]);
/* The token of now. */
void wl_guard_token(struct wl_guard *guard, char token[WL_SERVE_SECRET_LENGTH + 1]);

#endif
