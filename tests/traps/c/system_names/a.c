#include <unistd.h>
#include <stdlib.h>
int use(void) {
  read(0, 0, 0); //-> external
  free(malloc(1)); //-> external, external
  return 0;
}
