def helper():
    return 1


class Table:
    def helper(self):
        return helper()  #-> a.py:helper

    def build(self):
        return self.helper()  #-> a.py:Table.helper

    rows = helper  # the method above, as seen in the body

    class Row:
        def helper(self):
            return 2

        def get(self):
            return self.helper()  #-> a.py:Table.Row.helper

    def first(self):
        return Table.Row().get()  #-> a.py:Table.Row, a.py:Table.Row.get


class Row:
    def get(self):
        return 3


def use():
    Row().get()  #-> a.py:Row, a.py:Row.get
