/* The workbench over HTTP, for browsers of this machine: the page, its data, what happens now as a
 * stream of events, and the few things that a window may ask for. It listens on the loopback
 * address only; each request is looked at by guard.h first. */
#ifndef WL_SHOW_SERVE_SERVER_H
#define WL_SHOW_SERVE_SERVER_H

#include "show/serve/book.h"

struct wl_server;

/* port 0: any free one. book must outlive the server. Errors: those of wl_http_open();
 * WL_ERR_OUTPUT where it cannot listen. */
enum wl_code wl_server_start(struct wl_book *book, const char *title, uint16_t port,
                             struct wl_server **server, struct wl_error *error);
/* "http://127.0.0.1:PORT/#token=TOKEN" with the token that is good now; free() it. */
char *wl_server_address(struct wl_server *server);
/* How often a token was given: by then the address is another. */
size_t wl_server_windows(struct wl_server *server);
/* Ends streams and connections. */
void wl_server_stop(struct wl_server *server);

#endif
