#!/usr/bin/env python3
"""Writes second_opinion.csv: correctly rounded results of every function of the catalogue, by mpmath.

A second implementation to hold MPFR against. It shares neither code nor formulas with the reference: mpmath computes
in Python integers, and every function is written in another way than `reference/src/catalogue.rs` writes it
(sigmoid by tanh, gelu by erf and the incomplete gamma function, derivatives by hand). The working precision is hundreds
of bits beyond what cancellation can cost, and a result next to a rounding boundary is refused.

    pip install mpmath==1.3.0 && python3 second_opinion.py > second_opinion.csv
"""

import random
import struct
import sys
from fractions import Fraction

import mpmath
from mpmath import mp, mpf

assert mpmath.__version__ == "1.3.0", mpmath.__version__

FORMATS = {  # precision, least exponent of a normal number, largest exponent
    "fp32": (24, -126, 127),
    "bf16": (8, -126, 127),
    "fp16": (11, -14, 15),
    "fp8e4m3": (4, -6, 7),
    "fp8e5m2": (3, -14, 15),
}


def phi_cdf(x):
    """The normal distribution function, by the incomplete gamma function."""
    tail = mp.gammainc(mpf(1) / 2, x * x / 2, regularized=True) / 2
    return 1 - tail if x > 0 else tail


def logistic(x):
    return (1 + mp.tanh(x / 2)) / 2


def gelu_tanh(x):
    return x / 2 * (1 + mp.tanh(mp.sqrt(2 / mp.pi) * (x + mpf("0.044715") * x * x * x)))


def scaled_logistic(x):
    return logistic(mpf("1.702") * x)


def mish(x):
    # tanh(log(1 + e^x)) = ((1 + e^x)^2 - 1) / ((1 + e^x)^2 + 1)
    e = mp.exp(x)
    n = e * (e + 2)
    return x * n / (n + 2)


def exp_less_one(x):
    return 2 * mp.exp(x / 2) * mp.sinh(x / 2)


def elu(x):
    return x if x > 0 else exp_less_one(x)


def hard_sigmoid(x):
    return mpf(0) if x < -3 else mpf(1) if x > 3 else (x + 3) / 6


FUNCTIONS = {
    "identity": lambda x: x,
    "square": lambda x: x * x,
    "relu": lambda x: x if x > 0 else mpf(0),
    "leaky_relu": lambda x: x if x > 0 else x / 100,
    "parametric_relu": lambda x: x if x > 0 else x / 4,
    "sigmoid": logistic,
    "tanh": lambda x: mp.expm1(2 * x) / (mp.expm1(2 * x) + 2),
    "exp": lambda x: mp.cosh(x) + mp.sinh(x),
    "softplus": lambda x: mp.log(1 + mp.exp(x)),
    "sqrt": lambda x: mp.exp(mp.log(x) / 2) if x > 0 else None,
    "reciprocal_sqrt": lambda x: mp.exp(-mp.log(x) / 2) if x > 0 else None,
    "ln": lambda x: 2 * mp.atanh((x - 1) / (x + 1)) if x > 0 else None,
    "erf": lambda x: mp.sign(x) * (1 - mp.gammainc(mpf(1) / 2, x * x, regularized=True)),
    "sin": lambda x: mp.cos(x - mp.pi / 2) if abs(x) < mpf("3.1415926") else None,
    "arctan": lambda x: mp.asin(x / mp.sqrt(1 + x * x)),
    "sign": lambda x: mpf(1) if x > 0 else mpf(-1),
    "gelu": lambda x: x * phi_cdf(x),
    "mish": mish,
    "gelu_apprx_tanh": gelu_tanh,
    "gelu_apprx_sigmoid": lambda x: x * scaled_logistic(x),
    "derivative_gelu_apprx_sigmoid": lambda x: scaled_logistic(x)
    + mpf("1.702") * x * scaled_logistic(x) * scaled_logistic(-x),
    "derivative_gelu": lambda x: phi_cdf(x) + x * mp.npdf(x),
    "derivative_erf": lambda x: 2 * mp.sqrt(2) * mp.npdf(mp.sqrt(2) * x),
    "copy": lambda x: x,
    "abs": lambda x: x if x > 0 else -x,
    "reciprocal": lambda x: mp.exp(-mp.log(abs(x))) * mp.sign(x),
    "abs_reciprocal_sqrt": lambda x: mp.exp(-mp.log(abs(x)) / 2),
    "silu": lambda x: x * logistic(x),
    "derivative_silu": lambda x: logistic(x) + x * logistic(x) * logistic(-x),
    "is_finite": lambda x: mpf(1),
    "derivative_relu": lambda x: mpf(1) if x > 0 else mpf(0),
    "derivative_leaky_relu": lambda x: mpf(1) if x > 0 else mpf(1) / 100,
    "derivative_identity": lambda x: mpf(1),
    "memset_zero": lambda x: mpf(0),
    "derivative_sigmoid": lambda x: logistic(x) * logistic(-x),
    "derivative_tanh": lambda x: 4 * logistic(2 * x) * logistic(-2 * x),
    "elu": elu,
    "selu": lambda x: mpf("1.0507009873554804934193349852946")
    * (x if x > 0 else mpf("1.6732632423543772848170429916717") * elu(x)),
    "celu": elu,
    "hard_sigmoid": hard_sigmoid,
    "hard_swish": lambda x: x * hard_sigmoid(x),
    "softsign": lambda x: 1 - 1 / (1 + x) if x > 0 else 1 / (1 - x) - 1,
    "exp2": lambda x: mp.exp(x * mp.log(2)),
    "log2": lambda x: mp.log(x) / mp.log(2) if x > 0 else None,
    "log1p": lambda x: 2 * mp.atanh(x / (2 + x)) if x > -1 else None,
    "expm1": exp_less_one,
    "cos": lambda x: mp.sin(mp.pi / 2 - x) if abs(x) < mpf("3.1415926") else None,
    "relu6": lambda x: mpf(0) if x < 0 else x if x < 6 else mpf(6),
    "squared_relu": lambda x: x * x if x > 0 else mpf(0),
    "quick_gelu": lambda x: x * scaled_logistic(x),
    "logsigmoid": lambda x: mp.log(logistic(x)),
    "laplace": lambda x: phi_cdf((x - mpf("0.707107")) / mpf("0.282095")),
    "logit": lambda x: 2 * mp.atanh(2 * x - 1) if 0 < x < 1 else None,
    "xielu": lambda x: x * (4 * x / 5 + mpf(1) / 2) if x > 0 else 4 * exp_less_one(x) / 5 - 3 * x / 10,
}

# What is exact may lie on a tie; everything else may not come near one.
EXACT = {"identity", "square", "relu", "parametric_relu", "copy", "abs", "sign", "is_finite", "derivative_relu", "derivative_identity",
         "memset_zero", "sqrt", "reciprocal_sqrt", "abs_reciprocal_sqrt", "reciprocal", "relu6", "squared_relu", "elu", "celu"}


def value_of(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits_of(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def round_to(y, format_name, exact):
    """The correctly rounded result as binary32 bits."""
    precision, least, most = FORMATS[format_name]
    if y == 0:
        return 0
    sign = 0x80000000 if y < 0 else 0
    y = abs(y)
    mantissa, exponent = int(y.man), int(y.exp)
    floor_log2 = mantissa.bit_length() + exponent - 1
    ulp = max(floor_log2, least) - (precision - 1)
    if floor_log2 < ulp - 8:
        return sign
    # Exact rational arithmetic from here on.
    scaled = Fraction(mantissa) * Fraction(2) ** (exponent - ulp)
    whole, rest = divmod(scaled, 1)
    distance = abs(rest - Fraction(1, 2))
    if distance < Fraction(1, 2**200):
        if not exact:
            return None
        rest = Fraction(1, 2)
    if rest > Fraction(1, 2) or rest == Fraction(1, 2) and whole % 2 == 1:
        whole += 1
    result = whole * Fraction(2) ** ulp
    if result >= Fraction(2) ** (most + 1):
        return sign | 0x7F800000
    return sign | bits_of(float(result))


def evaluate(name, bits):
    x = Fraction(value_of(bits))
    magnitude = abs(float(x))
    # Cancellation costs at most the bits of x^2 (the tail of the normal distribution) or of 1/x.
    mp.prec = 800 + int(min(3 * magnitude * magnitude, 2000))
    return FUNCTIONS[name](mpf(x.numerator) / x.denominator)


def rows(name, generator):
    inputs = []
    # Anywhere at all, then where activations are used, then close to zero. (Beyond 100 formulas only overflow.)
    for count, low, high in [(30, -20.0, 20.0), (30, -4.0, 4.0), (10, -100.0, 100.0)]:
        inputs += [bits_of(generator.uniform(low, high)) for _ in range(count)]
    while len(inputs) < 100:
        bits = generator.getrandbits(32)
        if bits & 0x7FFFFFFF and abs(value_of(bits)) < 100.0:
            inputs.append(bits)
    for k, bits in enumerate(inputs):
        y = evaluate(name, bits)
        narrow = list(FORMATS)[1 + k % 4]
        for format_name in ["fp32", narrow] if k % 2 == 0 else ["fp32"]:
            result = 0x7FC00000 if y is None else round_to(y, format_name, name in EXACT)
            if name in ("sin", "cos") and y is None or result is None:
                continue
            yield f"{name},{format_name},{bits:08x},{result:08x}"


def main():
    print("function,format,input_bits,result_bits")
    for name in FUNCTIONS:
        for row in rows(name, random.Random(name)):
            print(row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
