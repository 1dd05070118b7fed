from b import Client, open_client


class App:
    def __init__(self, client: Client):
        self.client = client
        self.other = open_client()  #-> b.py:open_client

    def run(self):
        self.client.session().send("x")  #-> b.py:Client.session, b.py:Session.send
        self.other.session().send("x").text()  #-> b.py:Client.session, b.py:Session.send, b.py:Reply.text
        self.client.current.send("x")  #-> b.py:Session.send


def use():
    open_client().session().send("x")  #-> b.py:open_client, b.py:Client.session, b.py:Session.send
    client = open_client()  #-> b.py:open_client
    session = client.session()  #-> b.py:Client.session
    session.send("x")  #-> b.py:Session.send
    with open_client() as c:  #-> b.py:open_client
        c.session()  #-> b.py:Client.session
