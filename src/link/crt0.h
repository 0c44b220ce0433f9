/* crt0.h -- the start code as the build assembled it: ELF objects for obj_read() and the first
 * places of link_objects(), lib/crt0_print.s before lib/crt0.s.  Only programs that look for
 * printf's buffer in variables need the former. */
#ifndef LINK_CRT0_H
#define LINK_CRT0_H
#include <stddef.h>

extern const unsigned char crt0_object[];
extern const size_t crt0_object_size;
extern const unsigned char crt0_print_object[];
extern const size_t crt0_print_object_size;
#endif
