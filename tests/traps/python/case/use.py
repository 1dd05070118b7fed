import Tools
from Tools import run


class tools:
    def run(self):
        return run()  #-> Tools.py:run


def use():
    Tools.run()  #-> Tools.py:run
    tools().run()  #-> use.py:tools, use.py:tools.run
