int before(void) { return helper(1); } //-> a.c:helper

int middle(int x) {
  int y = (1 + ;
}

int helper(int x) { return x; }

int after(void) { return helper(2); } //-> a.c:helper
