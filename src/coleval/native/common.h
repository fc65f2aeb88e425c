/* What all files here share: sizes, and what is visible from outside. */
#ifndef COLEVAL_COMMON_H
#define COLEVAL_COMMON_H

#include <stddef.h>
#include <stdint.h>

#define VISIBLE __attribute__((visibility("default")))

/* Where the C library can choose when it is loaded: several numbers at a time. Whole numbers, their
 * sums and a division come out the same on any machine. */
#define WIDE
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__has_attribute)
#if __has_attribute(target_clones)
#undef WIDE
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#endif

#endif
