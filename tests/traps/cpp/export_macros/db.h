#define DB_EXPORT __attribute__((visibility("default")))

class DB_EXPORT DB {
 public:
  virtual int Get(int key);
  int Size() { return Get(1); } //-> db.h:DB.Get | db.cc:DB.Get
};

class DB_EXPORT Other : public DB {
 public:
  int Twice() { return Size() + Size(); } //-> db.h:DB.Size, db.h:DB.Size
};
