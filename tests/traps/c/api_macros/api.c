typedef unsigned long big_t;
#define SHOP_API extern
#define CALLBACK

SHOP_API big_t shop_size(int x) { return x; }

big_t CALLBACK shop_called(int x) { return x; }

int use(void) {
  shop_called(1); //-> api.c:shop_called
  return (int)shop_size(2); //-> api.c:shop_size
}
