// The floor's client: starts a server, sends one request at a time over its
// stdin, reads the answer up to its line end, and prints the time from before
// the write to after the last read.
//
//   cc -O2 -o parent parent.c
//   ./parent CPU SERVER_CPU CALLS BYTES ./server        prints: p50_ns p99_ns

#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void pin(int cpu) {
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof set, &set)) perror("sched_setaffinity"), exit(1);
}

static int compare(const void *a, const void *b) {
	long x = *(const long *)a, y = *(const long *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv) {
	if (argc != 6) return fprintf(stderr, "usage: parent CPU SERVER_CPU CALLS BYTES SERVER\n"), 2;
	int calls = atoi(argv[3]), in[2], out[2], warmup = calls / 10;
	if (pipe(in) || pipe(out)) return 1;
	pid_t child = fork();
	if (child == 0) {
		pin(atoi(argv[2]));
		dup2(in[0], 0), dup2(out[1], 1);
		close(in[0]), close(in[1]), close(out[0]), close(out[1]);
		execl(argv[5], argv[5], NULL);
		_exit(127);
	}
	close(in[0]), close(out[1]);
	pin(atoi(argv[1]));
	long *took = calloc(calls, sizeof *took);
	static char request[1024], answer[1 << 20];
	for (int i = -warmup; i < calls; i++) {
		int n = sprintf(request, "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":\"tools/call\",\"params\":{\"_meta\":{"
			"\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientInfo\":{\"name\":\"mcpdyno\",\"version\":\"0.1.0\"},"
			"\"io.modelcontextprotocol/clientCapabilities\":{}},\"arguments\":{\"bytes\":%s},\"name\":\"payload\"}}\n", 100000000000L + i + warmup, argv[4]);
		long sent = now();
		if (write(in[1], request, n) != n) return 1;
		for (char *end = answer; end == answer || end[-1] != '\n';) {
			ssize_t got = read(out[0], end, answer + sizeof answer - end);
			if (got <= 0) return 1;
			end += got;
		}
		if (i >= 0) took[i] = now() - sent;
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	qsort(took, calls, sizeof *took, compare);
	printf("%ld %ld\n", took[calls / 2], took[(long)calls * 99 / 100]);
	return 0;
}
