/* The yardstick of `make bench-replay`: glibc's expf on all 2^32 inputs, with as many threads as asked.
 *
 * Prints the seconds it took and a checksum of all result bits, so that no compiler can leave the calls out.
 *
 *   cc -O3 -march=native -pthread expf_loop.c -o expf_loop -lm && ./expf_loop 2
 */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct part {
    uint64_t first, end;
    uint64_t checksum;
};

static void *run(void *argument)
{
    struct part *part = argument;
    uint64_t checksum = 0;
    for (uint64_t bits = part->first; bits < part->end; bits++) {
        uint32_t in = (uint32_t)bits, out;
        float x, y;
        memcpy(&x, &in, sizeof x);
        y = expf(x);
        memcpy(&out, &y, sizeof out);
        checksum += out;
    }
    part->checksum = checksum;
    return NULL;
}

int main(int argc, char **argv)
{
    enum { MOST_THREADS = 256 };
    int threads = argc > 1 ? atoi(argv[1]) : 2;
    pthread_t thread[MOST_THREADS];
    struct part part[MOST_THREADS];
    struct timespec start, end;
    uint64_t checksum = 0;

    if (threads < 1 || threads > MOST_THREADS) {
        fprintf(stderr, "expf_loop: 1 to %d threads\n", MOST_THREADS);
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < threads; i++) {
        part[i].first = (UINT64_C(1) << 32) * i / threads;
        part[i].end = (UINT64_C(1) << 32) * (i + 1) / threads;
        if (pthread_create(&thread[i], NULL, run, &part[i]) != 0) {
            fprintf(stderr, "expf_loop: cannot start a thread\n");
            return 2;
        }
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        checksum += part[i].checksum;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.6f %016llx\n", (end.tv_sec - start.tv_sec) + 1e-9 * (end.tv_nsec - start.tv_nsec),
           (unsigned long long)checksum);
    return 0;
}
