#include "api.h"
extern "C" int api_open(int x) { return x; }
