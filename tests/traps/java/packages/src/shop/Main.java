package shop;

import java.util.List;
import shop.cart.Cart;
import shop.money.*;
import static shop.money.Money.round;

class Main {
    void run(List<String> rows) {
        new Cart().add(1); //-> src/shop/cart/Cart.java:Cart, src/shop/cart/Cart.java:Cart.add
        round(2); //-> src/shop/money/Money.java:Money.round
        Money.round(2); //-> src/shop/money/Money.java:Money.round
        Helper.help(); //-> src/shop/Helper.java:Helper.help
        rows.add("x"); //-> external
        shop.cart.Cart.of(); //-> src/shop/cart/Cart.java:Cart.of
    }
}
