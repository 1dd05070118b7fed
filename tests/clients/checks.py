"""Counts what held and what did not, a line each for what did not."""
import sys

passed, failed = 0, 0


def check(what, holds, seen=""):
    """One promise; what was seen is shown where it does not hold."""
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}: {str(seen)[:600]}", flush=True)
    return holds


def equal(what, seen, wanted):
    return check(what, seen == wanted, f"{seen!r}, wanted {wanted!r}")


def end():
    """Prints the sum and ends the program with it."""
    print(f"{passed} passed, {failed} failed", flush=True)
    sys.exit(1 if failed or not passed else 0)
