/* tool.h -- the `ventus` program: one function a subcommand.
 *
 * Only tool/ prints and ends the process.  Results go to stdout or into files,
 * messages to stderr.
 */
#ifndef TOOL_TOOL_H
#define TOOL_TOOL_H
#include "base/diag.h"
#include "base/mem.h"
#include "comp/comp.h"
#include "isa/isa.h"
#include "obj/obj.h"
#include <argp.h>

/* exit statuses (doc/man/ventus.1) */
enum {
    DONE = 0,               /* it ran */
    FAULTED = 1,            /* the guest faulted, or a check failed */
    REFUSED = 2,            /* bad usage or bad input */
    INTERRUPTED = 130       /* by Ctrl-C, as shells number it */
};

/* A subcommand. */
typedef struct {
    const char *name, *what;
    int (*main)(int argc, char **argv); /* argv[0] is "ventus NAME" */
    const struct argp *argp;            /* its options */
    const char *suffixes;               /* of the files that it takes, between blanks; "": any */
} Command;

/* The subcommand number i, NULL after the last; that of a name, NULL if there is none. */
const Command *command(size_t i);
const Command *find_command(const char *name);

/* The subcommands; each returns the exit status. */
int as_main(int argc, char **argv);
int cc_main(int argc, char **argv);
int dis_main(int argc, char **argv);
int objdump_main(int argc, char **argv);
int ld_main(int argc, char **argv);
int run_main(int argc, char **argv);
int replay_main(int argc, char **argv);
int sweep_main(int argc, char **argv);
int info_main(int argc, char **argv);
extern const struct argp as_argp, cc_argp, dis_argp, objdump_argp, ld_argp, run_argp, replay_argp,
    sweep_argp, info_argp;

/* `ventus complete WORD...`, for shells: prints what the last of n words may become (complete.c). */
int complete_main(int n, char **words);

/* --- messages (files.c) ------------------------------------------------------- */

/* A sink that writes to stderr, in colours where a person reads it. */
DiagSink show_message;
/* A Diag with that sink. */
Diag stderr_diag(void);
/* Reports that the file cannot be read or written, with the text of errno. */
void file_error(Diag *d, const char *file);

/* --- files (files.c) ------------------------------------------------------------ */

/* Appends the contents of a file, of stdin for "-".  False: reported. */
bool read_file(const char *file, Buf *to, Diag *d);
/* Adds the text of lines of the source to assembly that the compiler made (verbose_asm.c); false: out
 * of memory. */
bool add_source_lines(Buf *assembly);
/* The same for its first `most` bytes, or all of it where it has fewer. */
bool read_start(const char *file, u64 most, Buf *to, Diag *d);
/* Replaces a file; "-" is stdout.  A file that could not be written whole is removed. */
bool write_file(const char *file, const void *bytes, size_t len, Diag *d);
/* Makes a directory if there is none. */
bool make_directory(const char *dir, Diag *d);
/* dir/name, the caller's to free; ends the process when out of memory. */
char *path_join(const char *dir, const char *name);
/* The file's name without directory; without its suffix too where `stem`. */
char *path_base(const char *file, bool stem);

/* --- options (options.c) ----------------------------------------------------------- */

/* argp_parse() that knows what was meant by an option that does not exist.  Does not return on an error. */
void parse_options(const struct argp *argp, int argc, char **argv, void *input);
/* Whether o is the row that ends a table; whether the word after the option is its value. */
bool option_is_last(const struct argp_option *o);
bool option_takes_word(const struct argp_option *o);
/* Parses an unsigned number, decimal or 0x hexadecimal, of at most `max`; anything else is
 * a usage error that names the option.  Does not return on an error. */
u64 option_number(struct argp_state *state, const char *option, const char *text, u64 max);
/* The --isa option. */
IsaSet option_isa(struct argp_state *state, const char *text);
/* Without that option: what VENTUS_ISA says, else v202. */
IsaSet default_isa(void);

/* --- programs (program.c) ------------------------------------------------------------ */

/* The object in a file: ELF as it is; .ir (machine IR) compiled, anything else assembled.  NULL:
 * reported. */
Object *load_object(const char *file, IsaSet set, Diag *d);
/* True: the file is OpenCL C or SPIR-V, which is reported with the command that takes it, or C. */
bool refuse_source(const char *file, const char *how, Diag *d);
/* Options of clang that `run` and `cc` put before the user's, ending with NULL. */
extern const char *const default_warnings[];

/* The image in a file: an object is linked with its start code first, OpenCL C (.cl) compiled with the
 * options of clBuildProgram in `build`, which may be NULL. */
Object *load_image(const char *file, IsaSet set, const char *build, bool apart, Diag *d);
/* Adds the texts of the files that the object's line table names, where they are ordinary files of
 * reasonable size. */
void add_sources(Object *o);
/* comp_compile with a compiler of its own. */
bool compile_source(const Buf *source, const CompOptions *opt, Buf *out, Diag *d);
/* Machine IR to an object. */
struct CcOptions;
Object *compile_ir(const char *file, const char *text, IsaSet set, const struct CcOptions *opt, Diag *d);

/* Reports that memory ran out and ends the process. */
_Noreturn void out_of_memory(void);
/* Checks that all that was printed arrived; the exit status to use. */
int finish(int status);
#endif
