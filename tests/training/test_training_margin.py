"""The AAM-softmax against the formula computed directly."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed; `make test-train` installs it")

from pseudovoice.training.aam import AamSoftmax, warmed_margin  # noqa: E402


def direct(
    embeddings: np.ndarray, classes: np.ndarray, labels: np.ndarray, scale: float, margin: float
) -> float:
    """Angle by angle, as Deng et al. (2019, Eq. 3) write it."""
    losses = []
    for row, label in zip(embeddings, labels, strict=True):
        angles = [
            math.acos(row @ c / math.sqrt((row @ row) * (c @ c))) for c in classes.astype(float)
        ]
        terms = [math.exp(scale * math.cos(angle)) for angle in angles]
        terms[label] = math.exp(scale * math.cos(angles[label] + margin))
        losses.append(-math.log(terms[label] / sum(terms)))
    return float(np.mean(losses))


@pytest.mark.parametrize("margin", [0.0, 0.2, 0.5])
def test_loss_is_the_papers_formula(margin: float) -> None:
    rng = np.random.default_rng(0)
    embeddings, labels = rng.normal(size=(12, 6)), rng.integers(0, 5, 12)
    head = AamSoftmax(6, 5, scale=10.0).double()
    head.margin = margin
    loss = head(torch.from_numpy(embeddings), torch.from_numpy(labels)).item()
    assert loss == pytest.approx(
        direct(embeddings, head.weight.detach().numpy(), labels, 10.0, margin), rel=1e-6
    )


def test_without_margin_it_is_the_softmax_of_scaled_cosines() -> None:
    head = AamSoftmax(4, 3, scale=7.0)
    embeddings, labels = torch.randn(5, 4), torch.tensor([0, 1, 2, 0, 1])
    plain = torch.nn.functional.cross_entropy(7.0 * head.cosines(embeddings), labels)
    assert head(embeddings, labels).item() == pytest.approx(plain.item(), rel=1e-5)


def test_loss_never_rewards_a_larger_angle() -> None:
    head = AamSoftmax(3, 2, scale=30.0).double()
    head.margin = 0.4
    with torch.no_grad():
        head.weight.copy_(torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    losses = [
        head(torch.tensor([[math.cos(a), math.sin(a), 0.0]]).double(), torch.tensor([0])).item()
        for a in np.linspace(0.0, math.pi, 200)
    ]
    assert all(b >= a - 1e-9 for a, b in pairwise(losses))


def test_gradient_is_finite_where_embedding_and_class_coincide() -> None:
    head = AamSoftmax(3, 2, scale=30.0)
    head.margin = 0.2
    embeddings = head.weight.detach().clone().requires_grad_()
    head(embeddings, torch.tensor([0, 1])).backward()
    assert torch.isfinite(embeddings.grad).all()


def test_margin_is_warmed_up() -> None:
    margins = [warmed_margin(0.2, share) for share in np.linspace(0, 1, 101)]
    assert margins[0] == 0.0
    assert margins[-1] == 0.2
    assert all(b >= a for a, b in pairwise(margins))
