#include "impl.inc.h"
int use(void) { return hidden(1); } //-> impl.inc.h:hidden
