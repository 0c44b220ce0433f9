/* search.h -- places in sorted arrays. */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H
#include "base/base.h"

/* How many of n elements of `size` bytes come before the key: the index of the first that does not,
 * n if all do. The array is sorted so that those for which is_before is true come first. */
size_t search_count(const void *elements, size_t n, size_t size,
                    bool (*is_before)(const void *element, const void *key), const void *key);
/* The same of an array, by an expression of `e`, a pointer to an element, and of `key`, a pointer.
 */
#define SEARCH_BEFORE(name, Element, Key, expression)                                              \
    static bool name(const void *element_, const void *key_)                                       \
    {                                                                                              \
        const Element *e = element_;                                                               \
        const Key *key = key_;                                                                     \
        return expression;                                                                         \
    }
#endif
