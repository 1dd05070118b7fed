int add(a, b)
int a;
int b;
{
  return a + b;
}
int use(void) { return add(1, 2); } //-> a.c:add
