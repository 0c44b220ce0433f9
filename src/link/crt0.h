/* crt0.h -- the start code (lib/crt0.s) as the build assembled it: an ELF object, for
 * obj_read() and the first place of link_objects(). */
#ifndef LINK_CRT0_H
#define LINK_CRT0_H
#include <stddef.h>

extern const unsigned char crt0_object[];
extern const size_t crt0_object_size;
#endif
