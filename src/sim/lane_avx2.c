/* lane_avx2.c -- the lane loops of lane.h, compiled for AVX2. */
#include "sim/lane.h"

const LaneLevel lane_avx2 = {"avx2", table, product, halves, transpose, numbers};
