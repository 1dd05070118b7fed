class Store:
    def get(self, key):
        return key

    def append(self, x):
        return x

    def items(self):
        return []

    def join(self, x):
        return x


def use(path):
    found = {}
    found.get("x")  #-> external
    [].append(1)  #-> external
    ", ".join([])  #-> external
    rows = []
    rows.append(2)  #-> external
    "".split().append("x")  #-> external, external
    for key, value in found.items():  #-> external
        print(key, value)  #-> external
    path.join("x")  #-> ?
    Store().get("x")  #-> a.py:Store, a.py:Store.get
