typedef int (*handler)(int);
struct ops {
  handler open;
  int (*close)(int);
};
static int open_file(int x) { return x; }
static int close(int x) { return x; }
static const struct ops table = {open_file, .close = close};
static handler list[] = {open_file, close};

int use(handler given, struct ops *ops) {
  handler local = open_file;
  given(1); //-> ?
  local(1); //-> ?
  ops->open(1); //-> ? | a.c:ops.open
  table.close(1); //-> ? | a.c:close@4
  list[0](1);
  (*given)(1);
  return close(2); //-> a.c:close
}
