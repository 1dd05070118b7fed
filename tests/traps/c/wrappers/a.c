#define API __attribute__((visibility("default")))
#define EXPORT(type) type
API int shown(int x) { return x; }
EXPORT(int) wrapped(int x) { return shown(x); } //-> a.c:shown
int use(void) { return shown(1); } //-> a.c:shown
