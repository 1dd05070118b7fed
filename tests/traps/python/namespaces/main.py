from app.deep.inner import price
import app.deep.inner.price as other
from tools.price import count


def use():
    price.count()  #-> app/deep/inner/price.py:count
    other.count()  #-> app/deep/inner/price.py:count
    count()  #-> tools/price.py:count
