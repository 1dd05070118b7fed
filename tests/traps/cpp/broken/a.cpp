static int helper() { return 1; }
int before() { return helper(); } //-> a.cpp:helper

class Broken { int x = ( };

int after() { return helper(); } //-> a.cpp:helper
