#include "db.h"

int DB::Get(int key) { return key; }

int use(DB* db, Other& other) {
  db->Get(2); //-> db.h:DB.Get | db.cc:DB.Get
  return other.Twice(); //-> db.h:Other.Twice
}
