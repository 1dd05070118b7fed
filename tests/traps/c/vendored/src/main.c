#include "../vendor/zip.h"
#include <string.h>
static int check(int x) { return x; }
int main(void) {
  check(1); //-> src/main.c:check
  strlen("x"); //-> external
  return zip_open(1); //-> vendor/zip.c:zip_open | vendor/zip.h:zip_open
}
