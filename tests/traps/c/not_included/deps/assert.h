#ifndef DEPS_ASSERT_H
#define DEPS_ASSERT_H
static inline int isnan(double x) { return x != x; }
#endif
