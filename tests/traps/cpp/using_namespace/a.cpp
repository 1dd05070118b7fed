namespace tools {
int helper() { return 1; }
}
using namespace tools;
int use() { return helper(); } //-> a.cpp:tools.helper
