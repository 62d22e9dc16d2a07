/* actforge.c: what the engine computes for one input, step by step. Written to be read, not to be fast. */
#include "actforge.h"

#include <float.h>
#include <math.h>
#include <string.h>

#if !defined(FLT_EVAL_METHOD) || FLT_EVAL_METHOD != 0
#error "every operation must be rounded to its own type (FLT_EVAL_METHOD 0)"
#endif
#ifdef __FAST_MATH__
#error "fast-math changes results"
#endif
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

#define SIGN UINT32_C(0x80000000)
#define MAGNITUDE UINT32_C(0x7fffffff)
#define INFINITE UINT32_C(0x7f800000)
#define LEAST_NORMAL UINT32_C(0x00800000)
#define MANTISSA UINT32_C(0x007fffff)
#define QUIET_NAN UINT32_C(0x7fc00000)

static float to_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The bits of an arithmetic result. IEEE 754 leaves sign and payload of a NaN open, so there is only one here. */
static uint32_t settled_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (bits & MAGNITUDE) > INFINITE ? QUIET_NAN : bits;
}

static float cubic(enum actforge_datapath datapath, const struct actforge_bucket *bucket, float s)
{
    const float d0 = to_float(bucket->d[0]), d1 = to_float(bucket->d[1]);
    const float d2 = to_float(bucket->d[2]), d3 = to_float(bucket->d[3]);
    const float t = s - to_float(bucket->x0);

    switch (datapath) {
    case ACTFORGE_MULADD:
        return ((d3 * t + d2) * t + d1) * t + d0;
    case ACTFORGE_ESTRIN:
        return fmaf(fmaf(d3, t, d2), t * t, fmaf(d1, t, d0));
    case ACTFORGE_MIXED: {
        const float low = t * d1 + d0;
        const double square = (double)t * (double)t; /* exact */
        const double r = (double)low + square * (double)d2;
        return (float)((square * (double)t) * (double)d3 + r);
    }
    case ACTFORGE_FMA:
    default:
        return fmaf(fmaf(fmaf(d3, t, d2), t, d1), t, d0);
    }
}

/* The bucket that a control word selects for the bits of a folded input. */
static uint32_t bucket_index(uint32_t word, uint32_t s)
{
    const uint32_t base = word & 0x7ff, lsb = word >> 11 & 31, size = word >> 16 & 15;
    return base + (s >> lsb & ((UINT32_C(1) << size) - 1));
}

static bool is_large(const struct actforge_region *region, uint32_t exponent, uint32_t mantissa)
{
    return exponent > region->signal_threshold ||
           (exponent == region->signal_threshold && region->mantissa_compare_enable &&
            mantissa >= region->mantissa_threshold);
}

static bool is_small(const struct actforge_region *region, uint32_t exponent, uint32_t mantissa)
{
    return exponent < region->signal_threshold ||
           (exponent == region->signal_threshold && region->mantissa_compare_enable &&
            mantissa <= region->mantissa_threshold);
}

/* Whether an index lies in a run. */
static bool contains(struct actforge_run run, int64_t index)
{
    return index >= run.first && index < (int64_t)run.first + run.count;
}

/* Region or octave of a folded input, and its bucket there. */
static enum actforge_status find_bucket(const struct actforge_set *set, const struct actforge_function *function,
                                        uint32_t s, uint32_t *index)
{
    const struct actforge_profile *profile = &function->profile;
    const bool negative = (s & SIGN) != 0;
    const struct actforge_region *large = negative ? &profile->large_neg : &profile->large_pos;
    const struct actforge_region *small = negative ? &profile->small_neg : &profile->small_pos;
    const uint32_t exponent = (s & MAGNITUDE) >> 23, mantissa = s & MANTISSA;

    const struct actforge_region *region = NULL;
    if (is_large(large, exponent, mantissa))
        region = large;
    else if (is_small(small, exponent, mantissa))
        region = small;
    if (region != NULL) {
        *index = bucket_index(region->pwl_control, s);
        return *index < set->bucket_count ? ACTFORGE_OK : ACTFORGE_BUCKET_INDEX;
    }

    const int64_t base = negative ? profile->pwl_control_base_neg : profile->pwl_control_base_pos;
    const int64_t octave = base + exponent - profile->exponent_offset;
    if (!contains(function->control, octave) || (uint64_t)octave >= set->control_count)
        return ACTFORGE_CONTROL_INDEX;
    *index = bucket_index(set->control[octave], s);
    bool own = contains(function->buckets, *index);
    for (uint32_t run = 0; run < function->shared_count; run++)
        own = own || contains(function->shared[run], *index);
    if (!own || *index >= set->bucket_count)
        return ACTFORGE_BUCKET_INDEX;
    return ACTFORGE_OK;
}

struct actforge_config actforge_default_config(const struct actforge_set *set)
{
    const struct actforge_config config = {set->datapath, false, true};
    return config;
}

enum actforge_status actforge_evaluate(const struct actforge_set *set, const struct actforge_function *function,
                                       struct actforge_config config, uint32_t input,
                                       struct actforge_result *result)
{
    const struct actforge_profile *profile = &function->profile;
    const uint32_t magnitude = input & MAGNITUDE;

    /* Bypass goes round the whole unit, special results included. */
    result->bucket = ACTFORGE_NO_BUCKET;
    result->bits = input;
    if (profile->pwl_bypass)
        return ACTFORGE_OK;

    /* Special inputs. */
    if (magnitude == 0 || (config.flush_subnormals && magnitude < LEAST_NORMAL)) {
        result->bits = profile->func_rslt_for_zero;
        return ACTFORGE_OK;
    }
    if (magnitude == INFINITE) {
        result->bits = (input & SIGN) ? profile->func_rslt_for_neg_inf : profile->func_rslt_for_pos_inf;
        return ACTFORGE_OK;
    }
    if (magnitude > INFINITE && config.nan_branch) {
        result->bits = profile->func_rslt_for_nan;
        return ACTFORGE_OK;
    }

    /* Fold. */
    uint32_t s = input;
    if (profile->symmetry_opt_en)
        s = profile->symmetry_opt_use_neg_region ? (input | SIGN) : magnitude;

    /* Region or octave, bucket, cubic. */
    uint32_t index = 0;
    const enum actforge_status status = find_bucket(set, function, s, &index);
    if (status != ACTFORGE_OK) {
        result->bits = QUIET_NAN;
        return status;
    }
    float value = cubic(config.datapath, &set->buckets[index], to_float(s));

    /* Unfold. Adding a point of 0 is an addition, too: it makes +0 of -0. */
    if (s != input) {
        if (profile->func_sym_inv_sign)
            value = -value;
        value = value + to_float(profile->symmetry_point);
    }

    result->bucket = index;
    result->bits = settled_bits(value);
    if (config.flush_subnormals && (result->bits & MAGNITUDE) < LEAST_NORMAL)
        result->bits &= SIGN;
    return ACTFORGE_OK;
}

float actforge_eval(const struct actforge_set *set, const struct actforge_function *function, float input)
{
    struct actforge_result result;
    uint32_t bits;
    memcpy(&bits, &input, sizeof bits);
    (void)actforge_evaluate(set, function, actforge_default_config(set), bits, &result);
    return to_float(result.bits);
}

const struct actforge_function *actforge_find(const struct actforge_set *set, const char *name)
{
    for (size_t i = 0; i < set->function_count; i++)
        if (strcmp(set->functions[i].name, name) == 0)
            return &set->functions[i];
    return NULL;
}

const struct actforge_function *actforge_lookup(const struct actforge_set *set, uint8_t opcode, uint8_t func_id)
{
    for (size_t i = 0; i < set->function_count; i++) {
        const struct actforge_cam_entry *entry = &set->cam[i];
        if (entry->valid && ((opcode ^ entry->opcode) & entry->opcode_mask) == 0 &&
            ((func_id ^ entry->func_id) & entry->func_id_mask) == 0)
            return &set->functions[i];
    }
    return NULL;
}

uint32_t actforge_parametric_relu(uint32_t input, uint32_t alpha)
{
    return to_float(input) > 0.0f ? input : settled_bits(to_float(alpha) * to_float(input));
}
