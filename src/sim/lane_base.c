/* With SSE2 alone clang shifts vectors by means of float conversions, whose exceptions
 * would become the guest's flags. */
#ifdef __clang__
#define APART _Pragma("clang loop vectorize(disable) unroll(disable)")
#endif
#include "sim/lane.h"

const LaneLevel lane_base = {"base", table, product, halves, transpose, numbers};
