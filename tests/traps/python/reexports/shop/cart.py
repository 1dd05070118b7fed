from .money import round_off


class Cart:
    def add(self, x):
        return round_off(x)  #-> shop/money.py:round_off


def total(x):
    return _private(x)  #-> shop/cart.py:_private


def _private(x):
    return x
