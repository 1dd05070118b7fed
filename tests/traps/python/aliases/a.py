import b as bee
from b import helper as assist, other
from json import dumps as helper


def use(x):
    assist(x)  #-> b.py:helper
    helper(x)  #-> external
    other(x)  #-> b.py:other
    bee.helper(x)  #-> b.py:helper
    bee.Thing.make().run()  #-> b.py:Thing.make, b.py:Thing.run
