#include <map>
#include <memory>
#include <string>
#include <vector>
struct Store {
  void push_back(int x) {}
  int size() { return 1; }
  int find(int x) { return x; }
};
int move(int x) { return x; }
int use(std::vector<int> &rows, std::map<int, int> found, std::unique_ptr<Store> store) {
  rows.push_back(1); //-> external
  found.find(1); //-> external
  std::string text;
  text.size(); //-> external
  std::move(rows); //-> external
  store->find(1); //-> a.cpp:Store.find
  Store own;
  own.push_back(1); //-> a.cpp:Store.push_back
  return move(1); //-> a.cpp:move
}
