"""From scores to log-likelihood-ratios: the oracle, and maps an attacker could learn."""

from pseudovoice.calibration.maps import IsotonicMap, LinearMap, learn_isotonic, learn_linear
from pseudovoice.calibration.pav import Calibration, calibrate

__all__ = ["Calibration", "IsotonicMap", "LinearMap", "calibrate", "learn_isotonic", "learn_linear"]
