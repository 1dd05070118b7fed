#include <stdio.h>
#include "util.h"

int main(void) {
  printf("x"); //-> external
  helper(1); //-> util.c:helper | util.h:helper
  return counted(twice(2)); //-> util.c:counted | util.h:counted, util.h:twice
}
