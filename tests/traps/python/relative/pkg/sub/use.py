from . import util
from .. import util as above
from .util import low
from ..sub import top
import pkg.util


def use():
    util.low()  #-> pkg/sub/util.py:low
    above.top()  #-> pkg/util.py:top
    low()  #-> pkg/sub/util.py:low
    top()  #-> pkg/util.py:top
    pkg.util.top()  #-> pkg/util.py:top
    util.top()  #-> ?
