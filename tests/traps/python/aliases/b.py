def helper(x):
    return x


def other(x):
    return x


class Thing:
    @staticmethod
    def make() -> "Thing":
        return Thing()  #-> b.py:Thing

    def run(self):
        return helper(1)  #-> b.py:helper
