"""Counts passed and failed checks, and prints a line for each failure."""
import sys

passed, failed = 0, 0


def check(what, holds, seen=""):
    """Records a check; prints `seen` if the check fails."""
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
    """Prints the counts, and exits with 1 if a check failed or none ran."""
    print(f"{passed} passed, {failed} failed", flush=True)
    sys.exit(1 if failed or not passed else 0)
