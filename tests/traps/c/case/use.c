#include "Tools.h"
int main(void) { return Run(); } //-> tools.c:Run | Tools.h:Run
