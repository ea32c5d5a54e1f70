#include "show/serve/server.h"

#include <arpa/inet.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "show/export/export.h"
#include "show/library/http.h"
#include "show/serve/guard.h"

enum {
    most_connections = 256, /* a thread each */
    patience_s = 30,        /* with a client that says or takes nothing */
    beat_ms = 5000,         /* between signs of life on a stream */
    most_body_bytes = 4096,
    stream_block_bytes = 16384,
};

struct wl_server {
    struct MHD_Daemon *daemon;
    struct wl_book *book;
    struct wl_guard guard;
    struct wl_text shell;
    uint16_t port;
    atomic_size_t windows;
};

/* What came of a request so far. */
struct request {
    struct wl_text body;
    bool is_too_long;
};

typedef enum MHD_Result answer(struct wl_server *server, struct MHD_Connection *connection,
                               const char *rest, const struct request *request);

/* ---- answers ---- */

static enum MHD_Result send_bytes(struct MHD_Connection *connection, unsigned status,
                                  const char *type, const char *bytes, size_t length)
{
    struct MHD_Response *response =
        wl_http.create_response_from_buffer(length, (void *)bytes, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    wl_http.add_response_header(response, "Content-Type", type);
    wl_http.add_response_header(response, "Cache-Control", "no-store");
    wl_http.add_response_header(response, "X-Content-Type-Options", "nosniff");
    wl_http.add_response_header(response, "X-Frame-Options", "DENY");
    wl_http.add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    wl_http.add_response_header(response, "Referrer-Policy", "no-referrer");
    enum MHD_Result result = wl_http.queue_response(connection, status, response);
    wl_http.destroy_response(response);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status, const char *why)
{
    return send_bytes(connection, status, "text/plain; charset=utf-8", why, strlen(why));
}

static enum MHD_Result send_json(struct MHD_Connection *connection, const char *json)
{
    return send_bytes(connection, MHD_HTTP_OK, "application/json", json, strlen(json));
}

static enum MHD_Result fail(struct MHD_Connection *connection, const struct wl_error *error)
{
    struct wl_text text = {0};
    wl_text_addf(&text, "%s%s%s", error->message, error->hint[0] ? "; " : "", error->hint);
    enum MHD_Result result =
        refuse(connection,
               error->code == WL_ERR_INPUT ? MHD_HTTP_NOT_FOUND : MHD_HTTP_INTERNAL_SERVER_ERROR,
               text.data);
    wl_text_free(&text);
    return result;
}

static size_t number_of(struct MHD_Connection *connection, const char *name)
{
    const char *text = wl_http.lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
    return text ? strtoul(text, NULL, 10) : 0;
}

static enum MHD_Result give_shell(struct wl_server *server, struct MHD_Connection *connection,
                                  const char *rest, const struct request *request)
{
    (void)rest, (void)request;
    return send_bytes(connection, MHD_HTTP_OK, "text/html; charset=utf-8", server->shell.data,
                      server->shell.length);
}

static enum MHD_Result give_key(struct wl_server *server, struct MHD_Connection *connection,
                                const char *rest, const struct request *request)
{
    char key[WL_SERVE_SECRET_LENGTH + 1];
    (void)rest;
    if (!wl_guard_redeem(&server->guard, request->body.data ? request->body.data : "", key))
        return refuse(connection, MHD_HTTP_FORBIDDEN,
                      "this address was used already, or belongs "
                      "to another session");
    server->windows++;
    return send_bytes(connection, MHD_HTTP_OK, "text/plain; charset=utf-8", key, strlen(key));
}

static enum MHD_Result give_state(struct wl_server *server, struct MHD_Connection *connection,
                                  const char *rest, const struct request *request)
{
    struct wl_text json = {0};
    (void)rest, (void)request;
    wl_book_wait(server->book, 0, 0, &json);
    enum MHD_Result result = send_json(connection, json.data);
    wl_text_free(&json);
    return result;
}

static enum MHD_Result give_section(struct wl_server *server, struct MHD_Connection *connection,
                                    const char *rest, const struct request *request)
{
    struct wl_text json = {0};
    struct wl_error error = {0};
    (void)request;
    enum wl_code code = wl_book_section(server->book, rest, number_of(connection, "run"),
                                        number_of(connection, "base"), &json, &error);
    enum MHD_Result result =
        code ? fail(connection, &error)
             : send_bytes(connection, MHD_HTTP_OK, "application/json", json.data, json.length);
    wl_text_free(&json);
    return result;
}

static enum MHD_Result give_export(struct wl_server *server, struct MHD_Connection *connection,
                                   const char *rest, const struct request *request)
{
    struct wl_text html = {0};
    struct wl_error error = {0};
    (void)rest, (void)request;
    enum wl_code code = wl_book_page(server->book, number_of(connection, "run"),
                                     number_of(connection, "base"), &html, &error);
    enum MHD_Result result = code ? fail(connection, &error)
                                  : send_bytes(connection, MHD_HTTP_OK, "application/octet-stream",
                                               html.data, html.length);
    wl_text_free(&html);
    return result;
}

static enum MHD_Result take_command(struct wl_server *server, struct MHD_Connection *connection,
                                    const char *rest, const struct request *request)
{
    static const struct {
        const char *name;
        enum wl_book_command command;
    } commands[] = {{"run", WL_COMMAND_RUN},
                    {"cancel", WL_COMMAND_CANCEL},
                    {"baseline", WL_COMMAND_BASELINE},
                    {"whatif", WL_COMMAND_WHATIF}};
    for (size_t i = 0; i < WL_COUNT(commands); i++) {
        if (strcmp(rest, commands[i].name) != 0)
            continue;
        wl_book_request(server->book, commands[i].command,
                        request->body.length ? request->body.data : NULL,
                        number_of(connection, "run"));
        return send_json(connection, "{}");
    }
    return refuse(connection, MHD_HTTP_NOT_FOUND, "there is no such action");
}

/* ---- streams ---- */

struct stream {
    struct wl_book *book;
    uint64_t version;
    struct wl_text event; /* what was not sent of the last event */
    size_t sent;
};

static ssize_t read_stream(void *self, uint64_t position, char *buffer, size_t room)
{
    struct stream *stream = self;
    (void)position;
    if (stream->sent == stream->event.length) {
        struct wl_text json = {0};
        uint64_t version = wl_book_wait(stream->book, stream->version, beat_ms, &json);
        stream->event.length = stream->sent = 0;
        if (version == stream->version)
            wl_text_add(&stream->event, ": still here\n\n");
        else if (version)
            wl_text_addf(&stream->event, "data: %s\n\n", json.data);
        stream->version = version;
        wl_text_free(&json);
        if (!version)
            return MHD_CONTENT_READER_END_OF_STREAM;
    }
    size_t part = stream->event.length - stream->sent;
    part = part < room ? part : room;
    memcpy(buffer, stream->event.data + stream->sent, part);
    stream->sent += part;
    return (ssize_t)part;
}

static void free_stream(void *self)
{
    struct stream *stream = self;
    wl_text_free(&stream->event);
    free(stream);
}

static enum MHD_Result give_stream(struct wl_server *server, struct MHD_Connection *connection,
                                   const char *rest, const struct request *request)
{
    struct stream *stream = wl_alloc_zero(1, sizeof *stream);
    (void)rest, (void)request;
    stream->book = server->book;
    struct MHD_Response *response = wl_http.create_response_from_callback(
        MHD_SIZE_UNKNOWN, stream_block_bytes, read_stream, stream, free_stream);
    if (!response) {
        free_stream(stream);
        return MHD_NO;
    }
    wl_http.add_response_header(response, "Content-Type", "text/event-stream");
    wl_http.add_response_header(response, "Cache-Control", "no-store");
    enum MHD_Result result = wl_http.queue_response(connection, MHD_HTTP_OK, response);
    wl_http.destroy_response(response);
    return result;
}

/* ---- requests ---- */

static const struct route {
    const char *method, *path;
    bool has_rest;  /* path is how it begins */
    bool needs_key; /* else what it gives is known to all */
    answer *answer;
} routes[] = {
    {"GET", "/", false, false, give_shell},      {"POST", "/session", false, false, give_key},
    {"GET", "/state", false, true, give_state},  {"GET", "/events", false, true, give_stream},
    {"GET", "/data/", true, true, give_section}, {"GET", "/export", false, true, give_export},
    {"POST", "/do/", true, true, take_command},
};

static const struct route *find_route(const char *method, const char *url)
{
    for (size_t i = 0; i < WL_COUNT(routes); i++) {
        const struct route *route = &routes[i];
        bool is_there =
            route->has_rest ? wl_text_starts(url, route->path) : !strcmp(url, route->path);
        if (is_there && strcmp(method, route->method) == 0)
            return route;
    }
    return NULL;
}

static enum MHD_Result answer_request(struct wl_server *server, struct MHD_Connection *connection,
                                      const char *method, const char *url,
                                      const struct request *request)
{
    const char *host = wl_http.lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *origin = wl_http.lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
    const char *site =
        wl_http.lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Site");
    const char *key = wl_http.lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
    if (!wl_guard_allows_host(host))
        return refuse(connection, MHD_HTTP_FORBIDDEN, "the request names another host");
    if (!wl_guard_allows_origin(origin, host) ||
        (site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0 &&
         strcmp(url, "/") != 0))
        return refuse(connection, MHD_HTTP_FORBIDDEN, "the request comes from another origin");
    const struct route *route = find_route(method, url);
    if (!route)
        return refuse(connection, MHD_HTTP_NOT_FOUND, "not found");
    if (route->needs_key && !wl_guard_allows_key(&server->guard, key))
        return refuse(connection, MHD_HTTP_FORBIDDEN, "the key of the session is missing");
    if (request->is_too_long)
        return refuse(connection, MHD_HTTP_CONTENT_TOO_LARGE, "the request is too long");
    return route->answer(server, connection, url + strlen(route->path), request);
}

/* Called when the head is there, for each piece of the body, and at its end. */
static enum MHD_Result handle(void *self, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_bytes, void **own)
{
    struct request *request = *own;
    (void)version;
    if (!request) {
        *own = wl_alloc_zero(1, sizeof *request);
        return MHD_YES;
    }
    if (*upload_bytes > 0) {
        request->is_too_long |= request->body.length + *upload_bytes > most_body_bytes;
        if (!request->is_too_long)
            wl_text_add_bytes(&request->body, upload, *upload_bytes);
        *upload_bytes = 0;
        return MHD_YES;
    }
    return answer_request(self, connection, method, url, request);
}

static void forget(void *self, struct MHD_Connection *connection, void **own,
                   enum MHD_RequestTerminationCode why)
{
    struct request *request = *own;
    (void)self, (void)connection, (void)why;
    if (request)
        wl_text_free(&request->body);
    free(request);
    *own = NULL;
}

static void say_nothing(void *self, const char *format, va_list arguments)
{
    (void)self, (void)format, (void)arguments;
}

/* ---- its life ---- */

enum wl_code wl_server_start(struct wl_book *book, const char *title, uint16_t port,
                             struct wl_server **started, struct wl_error *error)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    *started = NULL;
    enum wl_code code = wl_http_open(error);
    if (code)
        return code;
    struct wl_server *server = wl_alloc_zero(1, sizeof *server);
    server->book = book;
    if (!wl_guard_init(&server->guard)) {
        free(server);
        return wl_error_set(error, WL_ERR_INTERNAL, "the system gives no random bits");
    }
    wl_export_page_shell(title, &server->shell);
    server->daemon = wl_http.start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL |
            MHD_USE_ERROR_LOG,
        port, NULL, NULL, handle, server, MHD_OPTION_SOCK_ADDR, &address,
        MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL, MHD_OPTION_NOTIFY_COMPLETED, forget, NULL,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)most_connections, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)patience_s, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        server->daemon ? wl_http.get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!info) {
        wl_server_stop(server);
        wl_error_set(error, WL_ERR_OUTPUT, "cannot listen on port %u of 127.0.0.1", (unsigned)port);
        return wl_error_set_hint(error, "without --port a free one is taken");
    }
    server->port = info->port;
    *started = server;
    return WL_OK;
}

char *wl_server_address(struct wl_server *server)
{
    char token[WL_SERVE_SECRET_LENGTH + 1];
    wl_guard_token(&server->guard, token);
    return wl_string_format("http://127.0.0.1:%u/#token=%s", (unsigned)server->port, token);
}

size_t wl_server_windows(struct wl_server *server)
{
    return server->windows;
}

void wl_server_stop(struct wl_server *server)
{
    if (!server)
        return;
    wl_book_close(server->book);
    if (server->daemon)
        wl_http.stop_daemon(server->daemon);
    wl_guard_free(&server->guard);
    wl_text_free(&server->shell);
    free(server);
}
