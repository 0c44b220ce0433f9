/* notes.h -- variables by which an image that was compiled for checks (-ventus-apart) says what
 * cannot be seen of its instructions (decision 043).
 *
 * Their names begin with NOTE_NAME.  The program stores into the first word:
 *
 *     an index      that is beyond its array                        (ll/indexnotes.c)
 *     an address    of a variable in private memory, an offset, when the function that has it
 *                   begins; 0 when it ends                          (ll/lower_mem.c)
 *     a distance    of an access from the begin of its private or local variable, which it
 *                   leaves                                          (ll/straynotes.c)
 *     an operand    of an asynchronous copy, or an event that is waited for: one word each, with
 *                   its kind behind it, and the text behind the last (ll/asyncnotes.c)
 *
 * check/notes.c and check/async.c read them.
 */
#ifndef OBJ_NOTES_H
#define OBJ_NOTES_H

#define NOTE_NAME ".note.check"

/* What begins so and goes on with the name of a private variable is where the values come from that
 * such variables have at first (ll/firstvalues.c): nobody wrote it. */
#define NOTE_UNWRITTEN ".unwritten."

/* Bytes into the variable.  The text ends in a NUL. */
enum {
    NOTE_KIND = 4, /* a word: NOTE_*, of an index also the bits of its type */
    NOTE_SIZE = 8, /* a word: bytes of the variable */
    NOTE_TEXT = 12 /* the array's type as clang names it, in quotes; the variable's name */
};

enum {
    NOTE_BITS = 0xff,
    NOTE_SIGNED = 256,  /* of an index */
    NOTE_PRIVATE = 512, /* it is a variable in private memory */
    NOTE_ASYNC = 1024,  /* an operand of an asynchronous copy; NOTE_BITS are its number, from 0 */
    NOTE_LAST = 2048,   /* the last one: the event, which the program reads from here again */
    NOTE_STRAY = 4096,  /* a distance; NOTE_SIZE is the variable's */
    NOTE_WRITES = 8192, /* a distance of a store */
    NOTE_PLAIN = 16384, /* a variable in private memory without a gap behind it */
    NOTE_LOCAL = 32768  /* a distance from a variable in local memory */
};
enum { NOTE_BYTES_SHIFT = 16, NOTE_MOST_BYTES = 0xffff }; /* of the access, in the kind */
enum { NOTE_OPERAND = 8 };                                /* bytes from an operand to the next */

enum { NOTE_GAP = 16 }; /* bytes between variables that lie apart, which belong to none */
#endif
