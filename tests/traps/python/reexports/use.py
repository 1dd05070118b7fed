import shop
from shop import Cart, sum_up, round_off, duty


def use():
    sum_up(1)  #-> shop/cart.py:total
    round_off(2)  #-> shop/money.py:round_off
    shop.round_off(2)  #-> shop/money.py:round_off
    duty.rate()  #-> shop/tax.py:rate
    shop.duty.rate()  #-> shop/tax.py:rate
    Cart().add(1)  #-> shop/cart.py:Cart, shop/cart.py:Cart.add
    shop.Cart().add(1)  #-> shop/cart.py:Cart, shop/cart.py:Cart.add
