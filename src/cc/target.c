/* target.c -- the targets.  v202 is the only one so far. */
#include "cc/target.h"

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
    .load_indexed = I_vloxei32_v,
    .store_indexed = I_vsoxei32_v,
    .prefix = I_regext,
    .plain = 32,
    .ra = REG_ra,
    .sp = REG_sp,
    .gp = REG_gp,
    .tp = REG_tp,
    .scratch = REG_scratch,
    .arguments = REG_args,
    .local_base = REG_local_base,
    .metadata = REG_metadata,
    .temporary = REG_t2,
    .frame = V0 + REG_frame,
    .piece = V0 + REG_piece,
    .pieces = REG_piece_last - REG_piece + 1,
};

const Target *target_find(IsaSet set)
{
    static const Target *const all[] = {&v202}; /* the first is the usual one */
    for (size_t i = 0; i < countof(all); i++)
        if (!set || set & all[i]->set)
            return all[i];
    return NULL;
}
