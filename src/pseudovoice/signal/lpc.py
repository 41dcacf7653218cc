"""Linear prediction of one frame: Burg's recursion, its poles, and a polynomial from poles.

Compiled, because a recording has a hundred frames a second and each needs the roots of a
polynomial of degree 20. Frames know nothing of each other, so the result does not depend on how
a recording is cut into work.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pseudovoice.compiled import compiled

Floats = NDArray[np.float64]


@compiled
def burg(frame: Floats, order: int) -> Floats:
    """Prediction-error filter a, with a[0] = 1, of one frame by Burg's method.

    Each step takes the reflection coefficient that minimises the forward and the backward error
    together, so that all poles lie inside the unit circle. Where no error is left to predict the
    remaining coefficients are 0.
    """
    a, before = np.zeros(order + 1), np.zeros(order + 1)
    a[0] = 1.0
    forward, backward = frame[1:].copy(), frame[:-1].copy()
    size = frame.size - 1
    for m in range(1, order + 1):
        shift = m - 1  # forward errors lose their first sample each time, backward their last
        cross, energy = 0.0, 0.0
        for i in range(size):
            f, b = forward[shift + i], backward[i]
            cross += f * b
            energy += f * f + b * b
        if energy < 1e-30:
            break
        k = -2.0 * cross / energy
        before[:m] = a[:m]
        for i in range(1, m + 1):
            a[i] = before[i] + k * before[m - i]
        for i in range(size):
            f, b = forward[shift + i], backward[i]
            forward[shift + i], backward[i] = f + k * b, b + k * f
        size -= 1
    return a


@compiled
def _size(z: complex) -> float:
    """|z|²; the root that `abs` takes is dear and seldom needed."""
    return z.real * z.real + z.imag * z.imag


@compiled
def _over(x: complex, y: complex) -> complex:
    """x / y, without the care for extremes that Python's division takes: there are none here."""
    scale = 1.0 / _size(y)
    return complex(
        (x.real * y.real + x.imag * y.imag) * scale, (x.imag * y.real - x.real * y.imag) * scale
    )


@compiled
def _root(z: complex) -> complex:
    """One of the two square roots; which of them does not matter here."""
    large = np.sqrt(0.5 * (np.sqrt(_size(z)) + abs(z.real)))
    if large == 0.0:
        return 0j
    small = 0.5 * z.imag / large
    return complex(large, small) if z.real >= 0.0 else complex(small, large)


@compiled
def _values(c: Floats, degree: int, x: complex) -> tuple[complex, complex, complex]:
    """c[0] x^degree + …, its derivative and half its second one, by Horner's rule.

    Real and imaginary parts apart: the innermost loop of all, a fifth quicker so.
    """
    xr, xi = x.real, x.imag
    pr, pi, dr, di, sr, si = c[0], 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(1, degree + 1):
        sr, si = sr * xr - si * xi + dr, sr * xi + si * xr + di
        dr, di = dr * xr - di * xi + pr, dr * xi + di * xr + pi
        pr, pi = pr * xr - pi * xi + c[k], pr * xi + pi * xr
    return complex(pr, pi), complex(dr, di), complex(sr, si)


@compiled
def _laguerre(c: Floats, degree: int, x: complex) -> complex:
    """One root of the real polynomial c[0] z^degree + … near x, by Laguerre's method.

    Its errors shrink to their third power: after a step of 1e-8 nothing is left to gain.
    """
    for step in range(80):
        p, d, s = _values(c, degree, x)
        if _size(p) < 1e-30 * (abs(c[degree]) + 1.0) ** 2:
            return x
        g = _over(d, p)
        h = g * g - 2.0 * _over(s, p)
        root = _root((degree - 1) * (degree * h - g * g))
        up, down = g + root, g - root
        pick = up if _size(up) > _size(down) else down
        if _size(pick) > 0.0:
            move = _over(complex(degree), pick)
        else:
            move = complex(np.cos(step), np.sin(step))
        if _size(move) < 1e-16 * (_size(x) + 1e-6):
            return x - move
        if step % 10 == 9:  # Laguerre's method can run in a circle; a shorter step leaves it
            move *= 0.3 + 0.05 * (step // 10)
        x = x - move
    return x


@compiled
def _polish(a: Floats, x: complex) -> complex:
    """A Newton step on the whole polynomial: deflation leaves small errors behind."""
    p, d, _ = _values(a, a.size - 1, x)
    return x if _size(d) < 1e-300 else x - _over(p, d)


@compiled
def poles(a: Floats) -> tuple[NDArray[np.complex128], Floats]:
    """Poles of 1/A(z): those in the upper half-plane, and the real ones.

    Roots are taken off one by one, smallest first, by Laguerre's method; a complex one takes its
    conjugate along. The answer is checked by multiplying it out again.
    """
    degree = a.size - 1
    while degree > 0 and a[degree] == 0.0:  # poles at the origin
        degree -= 1
    upper, real = np.empty(a.size // 2 + 1, np.complex128), np.zeros(a.size)
    n_upper, n_real = 0, a.size - 1 - degree
    c = a[: degree + 1].copy()
    whole = a[: degree + 1].copy()
    left = degree
    while left > 0:
        x = _laguerre(c, left, 0.1 + 0.1j) if left > 1 else complex(-c[1] / c[0])
        if abs(x.imag) < 1e-10 or left == 1:
            r = _polish(whole, complex(x.real)).real
            real[n_real] = r
            n_real += 1
            for k in range(1, left):
                c[k] += x.real * c[k - 1]
            left -= 1
        else:
            y = _polish(whole, x)
            upper[n_upper] = complex(y.real, abs(y.imag))
            n_upper += 1
            u, v = 2.0 * x.real, -(x.real * x.real + x.imag * x.imag)
            c[1] += u * c[0]
            for k in range(2, left - 1):
                c[k] += u * c[k - 1] + v * c[k - 2]
            left -= 2
    upper, real = upper[:n_upper], real[:n_real]
    if np.max(np.abs(polynomial(upper, real) - a)) < 1e-9 * np.max(np.abs(a)):
        return upper, real
    # Rare (poles close together): the eigenvalues of the companion matrix, slower but sure.
    roots = np.roots(whole.astype(np.complex128))
    order = np.argsort(-roots.imag)
    pairs = min(int(np.sum(roots.imag > 1e-9)), int(np.sum(roots.imag < -1e-9)))
    upper, real = np.empty(pairs, np.complex128), np.zeros(a.size - 1 - 2 * pairs)
    for k in range(pairs):  # the highest are the upper half; their conjugates are the lowest
        upper[k] = roots[order[k]]
    for k in range(roots.size - 2 * pairs):
        real[k] = roots[order[pairs + k]].real
    return upper, real


@compiled
def polynomial(upper: NDArray[np.complex128], real: Floats) -> Floats:
    """Real coefficients of the polynomial with these poles and the upper ones' conjugates."""
    a = np.zeros(2 * upper.size + real.size + 1)
    a[0] = 1.0
    n = 0
    for p in upper:
        u, v = -2.0 * p.real, p.real * p.real + p.imag * p.imag
        for k in range(n + 2, 1, -1):
            a[k] += u * a[k - 1] + v * a[k - 2]
        a[1] += u * a[0]
        n += 2
    for r in real:
        for k in range(n + 1, 0, -1):
            a[k] -= r * a[k - 1]
        n += 1
    return a
