#include "api.h"
int use() { return api_open(1); } //-> api.cpp:api_open@2 | api.h:api_open
