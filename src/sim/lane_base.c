#include "sim/lane.h"

const LaneLevel lane_base = {"base", table, product};
