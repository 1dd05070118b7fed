from src.tools import make, FakeClient


def use():
    make()  #-> src/tools.py:make
    FakeClient().call()  #-> src/tools.py:FakeClient, src/tools.py:FakeClient.call
