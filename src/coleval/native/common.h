/* What all files here share: sizes, and what is visible from outside. */
#ifndef COLEVAL_COMMON_H
#define COLEVAL_COMMON_H

#include <stddef.h>
#include <stdint.h>

#define VISIBLE __attribute__((visibility("default")))

#endif
