template <class T>
T twice(T x) { return x + x; }
template <class T>
class Holder {
 public:
  T get() { return x_; }
  int own() { return check(x_); } //-> a.cpp:Holder.check
  int check(T x) { return 1; }
 private:
  T x_;
};
struct Item {
  int run() { return 1; }
};
template <class T>
int call(T x) { return x.run(); } //-> ?
int use(Holder<Item> holder) {
  twice<int>(1); //-> a.cpp:twice
  twice(2); //-> a.cpp:twice
  holder.own(); //-> a.cpp:Holder.own
  return holder.get().run(); //-> a.cpp:Holder.get, a.cpp:Item.run
}
