#ifndef UTIL_H
#define UTIL_H
int helper(int x);
extern int counted(int x);
static inline int twice(int x) { return x * 2; }
#endif
