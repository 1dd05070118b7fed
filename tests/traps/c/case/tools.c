#include "Tools.h"
int Run(void) { return 1; }
int run(void) { return Run(); } //-> tools.c:Run
