static int make() { return 2; }
int main() { return make(); } //-> tests/tools_test.cpp:make
