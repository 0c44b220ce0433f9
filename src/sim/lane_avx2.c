#include "sim/lane.h"

const LaneLevel lane_avx2 = {"avx2", table, product};
