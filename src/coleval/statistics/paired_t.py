"""The paired t-test of two systems that are right or wrong on the same items, from counts alone."""

from __future__ import annotations

from math import sqrt


def paired_t(items: int, gains: int, losses: int) -> tuple[float | None, float | None]:
    """Return t and the two-sided p of the mean difference, null where it has no variance.

    On each item the difference is 1 (only the second is right: gains), -1 (losses) or 0, so that
    t = d √((n - 1) / (n (gains + losses) - d²)), where d = gains - losses, of n - 1 degrees of
    freedom.
    """
    from scipy.special import stdtr

    total = gains - losses
    spread = items * (gains + losses) - total * total
    if items < 2 or spread == 0:
        return None, None
    t = total * sqrt((items - 1) / spread)
    return t, float(2 * stdtr(items - 1, -abs(t)))
