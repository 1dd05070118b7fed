package shop.cart;

class Helper {
    static int help() {
        return 1;
    }
}
