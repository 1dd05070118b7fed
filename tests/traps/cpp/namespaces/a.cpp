namespace one {
int helper() { return 1; }
int use() { return helper(); } //-> a.cpp:one.helper
}
namespace two {
int helper() { return 2; }
namespace deep {
int use() { return helper(); } //-> a.cpp:two.helper
int other() { return one::helper(); } //-> a.cpp:one.helper
}
}
namespace {
int secret() { return 3; }
}
namespace alias = two::deep;
using one::helper;
int use() {
  secret(); //-> a.cpp:secret
  alias::use(); //-> a.cpp:two.deep.use
  return helper(); //-> a.cpp:one.helper
}
