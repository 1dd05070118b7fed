from .cart import Cart, total as sum_up
from .money import *
from . import tax as duty

__all__ = ["Cart", "sum_up", "round_off", "duty"]
