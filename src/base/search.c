/* search.c -- places in sorted arrays, by halves. */
#include "base/search.h"

size_t search_count(const void *elements, size_t n, size_t size,
                    bool (*is_before)(const void *element, const void *key), const void *key)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (is_before((const u8 *)elements + middle * size, key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
