static int make() { return 1; }
int use() { return make(); } //-> src/tools.cpp:make
