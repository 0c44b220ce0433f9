#include "sim/lane.h"

const LaneLevel lane_avx512 = {"avx512", table, product};
