def round_off(x):
    return _private(x)  #-> shop/money.py:_private


def _private(x):
    return x
