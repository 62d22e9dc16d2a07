/* actforge.h: function sets as C data, and a reference evaluator for them.
 *
 * C11 and the library's fmaf; binary32 and binary64 arithmetic as IEEE 754 has it. Compile actforge.c without
 * contraction: any -std=c11 of GCC does so, clang reads the pragma in the file, others take -ffp-contract=off.
 *
 * Floats of the tables are raw binary32 bits in uint32_t. Fields have the names of the hardware's entries.
 */
#ifndef ACTFORGE_H
#define ACTFORGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header; it changes when a declaration changes its meaning or goes away. */
#define ACTFORGE_EXPORT_VERSION 1

/* In which order the cubic of a bucket is evaluated, and where it is rounded. t = s - x0, rounded to binary32. */
enum actforge_datapath {
    ACTFORGE_FMA,    /* fma(fma(fma(d3, t, d2), t, d1), t, d0) */
    ACTFORGE_MULADD, /* ((d3 * t + d2) * t + d1) * t + d0, every product and sum rounded */
    ACTFORGE_ESTRIN, /* fma(fma(d3, t, d2), t * t, fma(d1, t, d0)) */
    ACTFORGE_MIXED   /* t * d1 + d0 in binary32, the quadratic and the cubic term in binary64 */
};

/* BUCKET entry: d0 + d1 t + d2 t^2 + d3 t^3. */
struct actforge_bucket {
    uint32_t d[4];
    uint32_t x0;
};

/* One region of a profile: its saturation bucket and where it begins. */
struct actforge_region {
    uint32_t pwl_control;        /* 20 bits, the layout of a CONTROL word */
    uint32_t mantissa_threshold; /* 23 bits */
    uint8_t signal_threshold;    /* biased exponent */
    bool mantissa_compare_enable;
};

/* The fields of a PROFILE entry that decide about results. */
struct actforge_profile {
    bool pwl_bypass;
    bool symmetry_opt_en;
    bool symmetry_opt_use_neg_region;
    bool func_sym_inv_sign;
    uint32_t symmetry_point;
    uint8_t exponent_offset; /* biased */
    uint8_t pwl_control_base_pos;
    uint8_t pwl_control_base_neg;
    struct actforge_region large_pos, large_neg, small_pos, small_neg;
    uint32_t func_rslt_for_zero;
    uint32_t func_rslt_for_nan;
    uint32_t func_rslt_for_pos_inf;
    uint32_t func_rslt_for_neg_inf;
};

/* A run of entries of a table. */
struct actforge_run {
    uint32_t first;
    uint32_t count;
};

struct actforge_function {
    const char *name;
    uint8_t func_id;
    struct actforge_run control; /* its control words */
    struct actforge_run buckets; /* the buckets of its octaves; saturation buckets may lie anywhere in the pool */
    const struct actforge_run *shared; /* runs of other functions' buckets that its octaves use as well */
    uint32_t shared_count;
    struct actforge_profile profile;
};

/* CAM entry; its index is the index of the function that it selects. */
struct actforge_cam_entry {
    uint8_t opcode, func_id;
    uint8_t opcode_mask, func_id_mask; /* 1: the bit is compared */
    bool valid;
};

struct actforge_set {
    const char *name;
    const char *target;
    enum actforge_datapath datapath; /* the one that the buckets were fitted for */
    size_t function_count;
    const struct actforge_function *functions;
    const struct actforge_cam_entry *cam; /* one entry per function */
    size_t control_count;
    const uint32_t *control; /* act_tbl_base 10:0, extract_lsb 15:11, extract_size 19:16 */
    size_t bucket_count;
    const struct actforge_bucket *buckets;
};

/* How to evaluate, apart from the tables. */
struct actforge_config {
    enum actforge_datapath datapath;
    bool flush_subnormals; /* subnormal inputs count as zero, subnormal results of arithmetic become zero */
    bool nan_branch;       /* a NaN gives func_rslt_for_nan; false: it goes on to the large region */
};

enum actforge_status {
    ACTFORGE_OK,
    ACTFORGE_CONTROL_INDEX, /* the input leads to a control word that is not the function's own */
    ACTFORGE_BUCKET_INDEX   /* the input leads to a bucket that is not the function's own, or to none */
};

/* The bucket of an input that reaches none: special inputs and bypass. */
#define ACTFORGE_NO_BUCKET UINT32_MAX

struct actforge_result {
    uint32_t bits;   /* the result as binary32; a NaN that arithmetic gives is 0x7fc00000 */
    uint32_t bucket; /* index in the pool, or ACTFORGE_NO_BUCKET */
};

/* The set's own datapath, no flushing, with the NaN branch. */
struct actforge_config actforge_default_config(const struct actforge_set *set);

/* The result for one input, given as bits. Sets exported by actforge give ACTFORGE_OK for every input as long as
 * nan_branch is true; otherwise *result holds a NaN and no bucket. */
enum actforge_status actforge_evaluate(const struct actforge_set *set, const struct actforge_function *function,
                                       struct actforge_config config, uint32_t input,
                                       struct actforge_result *result);

/* The same for a float in the default configuration. */
float actforge_eval(const struct actforge_set *set, const struct actforge_function *function, float input);

/* The function of this name, or NULL. */
const struct actforge_function *actforge_find(const struct actforge_set *set, const char *name);

/* The function that an instruction selects (0x21 is Activate), or NULL. The lowest matching entry wins. */
const struct actforge_function *actforge_lookup(const struct actforge_set *set, uint8_t opcode, uint8_t func_id);

/* parametric_relu, whose slope is an operand at run time: input if it is greater than 0, else alpha * input. */
uint32_t actforge_parametric_relu(uint32_t input, uint32_t alpha);

#ifdef __cplusplus
}
#endif

#endif
