#include "zip.h"
static int check(int x) { return x; }
int zip_open(int x) { return check(x); } //-> vendor/zip.c:check
