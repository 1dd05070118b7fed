#define TWICE(x) ((x) * 2)
#define CHECK(x) \
  do { \
    if (!(x)) fail(#x); \
  } while (0)
#define plain_name(x) real_name(x)
void fail(const char *text);
int real_name(int x);
