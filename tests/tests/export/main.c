/* Answers questions of four words (set, function, datapath and switches, input) with three (result, bucket, status).
 * With an argument: tells what is found by name and by func id. Stands behind a table `sets`. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int find(void)
{
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        for (size_t k = 0; k < sets[i]->function_count; k++) {
            const struct actforge_function *function = &sets[i]->functions[k];
            if (actforge_find(sets[i], function->name) != function ||
                actforge_lookup(sets[i], 0x21, function->func_id) != function ||
                actforge_lookup(sets[i], 0x22, function->func_id) != NULL)
                return 1;
            const float result = actforge_eval(sets[i], function, 0.5f);
            uint32_t bits;
            memcpy(&bits, &result, sizeof bits);
            printf("%s %s %d %08" PRIx32 "\n", sets[i]->name, function->name, function->func_id, bits);
        }
        if (actforge_find(sets[i], "nothing") != NULL)
            return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    uint32_t question[4];
    (void)argv;
    if (argc > 1)
        return find();
    while (fread(question, sizeof question, 1, stdin) == 1) {
        struct actforge_result result = {0, 0};
        enum actforge_status status = ACTFORGE_OK;
        if (question[0] == UINT32_MAX) {
            result.bits = actforge_parametric_relu(question[3], question[1]);
        } else {
            const struct actforge_set *set = sets[question[0]];
            const struct actforge_config config = {(enum actforge_datapath)(question[2] & 3),
                                                   (question[2] & 4) != 0, (question[2] & 8) != 0};
            status = actforge_evaluate(set, &set->functions[question[1]], config, question[3], &result);
        }
        const uint32_t answer[3] = {result.bits, result.bucket, (uint32_t)status};
        if (fwrite(answer, sizeof answer, 1, stdout) != 1)
            return 1;
    }
    return 0;
}
