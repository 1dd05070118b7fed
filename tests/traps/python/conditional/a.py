import sys

if sys.platform == "win32":
    def sep():
        return "\\"
else:
    def sep():
        return "/"

try:
    from missing_package import fast
except ImportError:
    def fast(x):
        return x


def use():
    sep()  #-> a.py:sep
    return fast(1)  #-> a.py:fast | external
