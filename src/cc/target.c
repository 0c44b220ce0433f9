/* target.c -- the targets.  v202 is the only one so far. */
#include "cc/target.h"

#define BIT(r)         ((u64)1 << (r))
#define BITS(from, to) ((BIT((to) - (from)) * 2 - 1) << (from)) /* both included */

#define RESERVED (BITS(0, 4) | BIT(6) | BIT(8))

static const Target v202 = {
    .name = "v202",
    .set = V202,
    .pointer_bytes = 4,
    .scalar = {{I_lb, I_lbu, I_lh, I_lhu, I_lw}, {I_sb, I_sb, I_sh, I_sh, I_sw}},
    .vector = {{I_vlb12_v, I_vlbu12_v, I_vlh12_v, I_vlhu12_v, I_vlw12_v},
               {I_vsb12_v, I_vsb12_v, I_vsh12_v, I_vsh12_v, I_vsw12_v}},
    .local = {{I_vlb12_v, I_vlbu12_v, I_vlh12_v, I_vlhu12_v, I_vlw12_v},
              {I_vsb12_v, I_vsb12_v, I_vsh12_v, I_vsh12_v, I_vsw12_v}},
    .private_ = {{I_vlb_v, I_vlbu_v, I_vlh_v, I_vlhu_v, I_vlw_v},
                 {I_vsb_v, I_vsb_v, I_vsh_v, I_vsh_v, I_vsw_v}},
    .prefix = I_regext,
    .plain = 32,
    .ra = 1,
    .sp = 2,
    .gp = 3,
    .tp = 4,
    .scratch = 6,
    .arguments = 10,
    .local_base = 8,
    .frame = V0 + 32,
    .piece = V0,
    .pieces = 32,
    .reserved = {RESERVED},
    .kept = {RESERVED | BIT(9) | BITS(18, 27), BITS(32, 47)},
};

const Target *target_find(IsaSet set) { return set & V202 ? &v202 : NULL; }
const Target *target_default(void) { return &v202; }
