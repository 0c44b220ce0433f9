/* dwarf.h -- the numbers of DWARF 2 to 5 that the compiler writes and the reader knows
 * (the DWARF Debugging Information Format, version 5, section 7). */
#ifndef OBJ_DWARF_H
#define OBJ_DWARF_H

enum {
    DW_TAG_array_type = 0x01,
    DW_TAG_enumeration_type = 0x04,
    DW_TAG_formal_parameter = 0x05,
    DW_TAG_lexical_block = 0x0b,
    DW_TAG_member = 0x0d,
    DW_TAG_pointer_type = 0x0f,
    DW_TAG_compile_unit = 0x11,
    DW_TAG_structure_type = 0x13,
    DW_TAG_typedef = 0x16,
    DW_TAG_union_type = 0x17,
    DW_TAG_inlined_subroutine = 0x1d,
    DW_TAG_subrange_type = 0x21,
    DW_TAG_base_type = 0x24,
    DW_TAG_subprogram = 0x2e,
    DW_TAG_variable = 0x34
};

enum {
    DW_AT_location = 0x02,
    DW_AT_name = 0x03,
    DW_AT_byte_size = 0x0b,
    DW_AT_stmt_list = 0x10,
    DW_AT_low_pc = 0x11,
    DW_AT_high_pc = 0x12,
    DW_AT_language = 0x13,
    DW_AT_comp_dir = 0x1b,
    DW_AT_inline = 0x20,
    DW_AT_producer = 0x25,
    DW_AT_abstract_origin = 0x31,
    DW_AT_count = 0x37,
    DW_AT_data_member_location = 0x38,
    DW_AT_decl_file = 0x3a,
    DW_AT_decl_line = 0x3b,
    DW_AT_encoding = 0x3e,
    DW_AT_specification = 0x47,
    DW_AT_type = 0x49,
    DW_AT_ranges = 0x55,
    DW_AT_call_column = 0x57,
    DW_AT_call_file = 0x58,
    DW_AT_call_line = 0x59,
    DW_AT_str_offsets_base = 0x72,
    DW_AT_addr_base = 0x73,
    DW_AT_rnglists_base = 0x74,
    DW_AT_GNU_vector = 0x2107
};

enum {
    DW_FORM_addr = 0x01,
    DW_FORM_block2 = 0x03,
    DW_FORM_block4 = 0x04,
    DW_FORM_data2 = 0x05,
    DW_FORM_data4 = 0x06,
    DW_FORM_data8 = 0x07,
    DW_FORM_string = 0x08,
    DW_FORM_block = 0x09,
    DW_FORM_block1 = 0x0a,
    DW_FORM_data1 = 0x0b,
    DW_FORM_flag = 0x0c,
    DW_FORM_sdata = 0x0d,
    DW_FORM_strp = 0x0e,
    DW_FORM_udata = 0x0f,
    DW_FORM_ref_addr = 0x10,
    DW_FORM_ref1 = 0x11,
    DW_FORM_ref2 = 0x12,
    DW_FORM_ref4 = 0x13,
    DW_FORM_ref8 = 0x14,
    DW_FORM_ref_udata = 0x15,
    DW_FORM_indirect = 0x16,
    DW_FORM_sec_offset = 0x17,
    DW_FORM_exprloc = 0x18,
    DW_FORM_flag_present = 0x19,
    DW_FORM_strx = 0x1a,
    DW_FORM_addrx = 0x1b,
    DW_FORM_data16 = 0x1e,
    DW_FORM_line_strp = 0x1f,
    DW_FORM_ref_sig8 = 0x20,
    DW_FORM_implicit_const = 0x21,
    DW_FORM_loclistx = 0x22,
    DW_FORM_rnglistx = 0x23,
    DW_FORM_strx1 = 0x25,
    DW_FORM_strx2 = 0x26,
    DW_FORM_strx3 = 0x27,
    DW_FORM_strx4 = 0x28,
    DW_FORM_addrx1 = 0x29,
    DW_FORM_addrx2 = 0x2a,
    DW_FORM_addrx3 = 0x2b,
    DW_FORM_addrx4 = 0x2c
};

enum {
    DW_LNS_copy = 1,
    DW_LNS_advance_pc = 2,
    DW_LNS_advance_line = 3,
    DW_LNS_set_file = 4,
    DW_LNS_set_column = 5,
    DW_LNS_negate_stmt = 6,
    DW_LNS_set_basic_block = 7,
    DW_LNS_const_add_pc = 8,
    DW_LNS_fixed_advance_pc = 9,
    DW_LNS_set_isa = 12,
    DW_LNE_end_sequence = 1,
    DW_LNE_set_address = 2,
    DW_LNCT_path = 1,
    DW_LNCT_directory_index = 2
};

enum {
    DW_RLE_end_of_list = 0,
    DW_RLE_base_addressx = 1,
    DW_RLE_startx_endx = 2,
    DW_RLE_startx_length = 3,
    DW_RLE_offset_pair = 4,
    DW_RLE_base_address = 5,
    DW_RLE_start_end = 6,
    DW_RLE_start_length = 7
};

enum {
    DW_OP_deref = 0x06,
    DW_OP_const4u = 0x0c,
    DW_OP_and = 0x1a,
    DW_OP_neg = 0x1f,
    DW_OP_plus = 0x22,
    DW_OP_plus_uconst = 0x23,
    DW_OP_shl = 0x24,
    DW_OP_shra = 0x26,
    DW_OP_lit0 = 0x30,
    DW_OP_breg0 = 0x70,
    DW_OP_regx = 0x90,
    DW_OP_bregx = 0x92,
    DW_OP_piece = 0x93,
    DW_OP_stack_value = 0x9f
};

/* Numbers of registers (RISC-V ELF psABI, "DWARF Register Numbers"): x0 to x31 from 0, v0 to v31
 * from DWARF_V0 on.  Debuggers see all registers of a lane at addresses as well, from
 * REGISTER_WINDOW on: x0 to x63, VECTOR_WINDOW bytes further on v0 to v255, 4 bytes each; at
 * METADATA_WINDOW the address of the metadata block. */
#define REGISTER_WINDOW 0x00f00000u
enum { DWARF_REGISTERS = 32, DWARF_V0 = 96, VECTOR_WINDOW = 0x1000, METADATA_WINDOW = 0x2000 };

enum {
    DW_CFA_nop = 0x00,
    DW_CFA_advance_loc4 = 0x04,
    DW_CFA_undefined = 0x07,
    DW_CFA_same_value = 0x08,
    DW_CFA_def_cfa_expression = 0x0f,
    DW_CFA_expression = 0x10,
    DW_CFA_val_expression = 0x16
};

enum {
    DW_ATE_boolean = 2,
    DW_ATE_float = 4,
    DW_ATE_signed = 5,
    DW_ATE_signed_char = 6,
    DW_ATE_unsigned = 7,
    DW_ATE_unsigned_char = 8
};

enum { DW_UT_compile = 1, DW_UT_partial = 3, DW_LANG_OpenCL = 0x15, DW_LANG_Mips_Assembler = 0x8001, DW_INL_inlined = 1 };
#endif
