#include <algorithm>
#include <vector>
static int job(int x) { return x; }
int use(std::vector<int> xs) {
  auto local = [](int x) { return job(x); }; //-> a.cpp:job
  std::for_each(xs.begin(), xs.end(), [&](int x) { job(x); }); //-> external, external, external, a.cpp:job
  return local(1); //-> ?
}
