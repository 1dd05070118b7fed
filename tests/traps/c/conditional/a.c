#ifdef _WIN32
static int sep(void) { return '\\'; }
#else
static int sep(void) { return '/'; }
#endif
int use(void) { return sep(); } //-> a.c:sep
