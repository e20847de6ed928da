// The floor's server: MCP over stdin and stdout in C, as little as a client of
// the modern era needs. It answers tools/call with a text of the size asked for,
// made once; every answer is one write.
//
//   cc -O2 -o server server.c

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char discover[] =
	"{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}},"
	"\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"floor\",\"version\":\"1\"}}}";
static const char tools[] =
	"{\"resultType\":\"complete\",\"tools\":[{\"name\":\"payload\",\"annotations\":{\"readOnlyHint\":true},"
	"\"inputSchema\":{\"type\":\"object\",\"properties\":{\"bytes\":{\"type\":\"integer\"}},\"required\":[\"bytes\"]}}]}";

static char *answer; // {"jsonrpc":"2.0","id":<12 digits>,"result":…}\n
static size_t answer_len, answer_bytes = (size_t)-1;
enum { id_at = 21, id_len = 12 };

static void put(const char *id, const char *result) {
	char buf[2048];
	int n = snprintf(buf, sizeof buf, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":%s}\n", id_len, id, result);
	if (write(1, buf, n) != n) exit(1);
}

static void put_payload(const char *id, size_t bytes) {
	if (bytes != answer_bytes) {
		answer = realloc(answer, bytes + 256);
		char *p = answer + sprintf(answer, "{\"jsonrpc\":\"2.0\",\"id\":000000000000,\"result\":{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":\"");
		memset(p, 'x', bytes);
		p += bytes;
		p += sprintf(p, "\"}]}}\n");
		answer_len = p - answer;
		answer_bytes = bytes;
	}
	memcpy(answer + id_at + 1, id, id_len);
	for (size_t done = 0; done < answer_len;) {
		ssize_t n = write(1, answer + done, answer_len - done);
		if (n <= 0) exit(1);
		done += n;
	}
}

static void handle(char *line) {
	char *id = strstr(line, "\"id\":"), *bytes = strstr(line, "\"bytes\":");
	if (!id) return; // a notification
	id += 5;
	if (strstr(line, "\"tools/call\"")) put_payload(id, bytes ? strtoul(bytes + 8, NULL, 10) : 0);
	else if (strstr(line, "\"tools/list\"")) put(id, tools);
	else put(id, discover);
}

int main(void) {
	static char buf[1 << 20];
	size_t have = 0;
	for (;;) {
		ssize_t n = read(0, buf + have, sizeof buf - 1 - have);
		if (n <= 0) return 0;
		have += n;
		char *line = buf, *end;
		while ((end = memchr(line, '\n', buf + have - line))) {
			*end = 0;
			handle(line);
			line = end + 1;
		}
		have = buf + have - line;
		memmove(buf, line, have);
	}
}
