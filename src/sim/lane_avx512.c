/* lane_avx512.c -- the lane loops of lane.h, compiled for AVX-512. */
#include "sim/lane.h"

const LaneLevel lane_avx512 = {"avx512", table, product, halves, transpose, numbers};
