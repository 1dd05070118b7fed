package shop.cart;

public class Cart {
    public int add(int x) {
        return Helper.help(); //-> src/shop/cart/Helper.java:Helper.help
    }

    public static Cart of() {
        return new Cart(); //-> src/shop/cart/Cart.java:Cart
    }
}
