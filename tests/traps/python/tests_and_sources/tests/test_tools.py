def make():
    return 2


class FakeClient:
    def call(self):
        return make()  #-> tests/test_tools.py:make


def test_it(client):
    make()  #-> tests/test_tools.py:make
    FakeClient().call()  #-> tests/test_tools.py:FakeClient, tests/test_tools.py:FakeClient.call
    client.call()  #-> ?
