from typing import Protocol, TypeAlias


class Reader(Protocol):
    def fetch_all(self): ...


Body: TypeAlias = bytes | Reader | None


class Request:
    body: Body

    def send(self):
        return self.body.fetch_all()  #-> annotated.py:Reader.fetch_all
