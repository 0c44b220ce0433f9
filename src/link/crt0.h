/* crt0.h -- the pieces of start code as the build assembled them: ELF objects for obj_read(), which startcode.c links. */
#ifndef LINK_CRT0_H
#define LINK_CRT0_H
#include <stddef.h>

extern const unsigned char crt0_object[];
extern const size_t crt0_object_size;
extern const unsigned char crt0_print_object[];
extern const size_t crt0_print_object_size;
extern const unsigned char crt0_stacks_object[];
extern const size_t crt0_stacks_object_size;
extern const unsigned char crt0_floats_object[];
extern const size_t crt0_floats_object_size;
#endif
