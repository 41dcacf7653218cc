"""De-identification and voice distinctiveness of the VoicePrivacy 2020 baselines, as published.

They are the backdrop of the DeID × G_VD map. They come from other speakers, another recogniser
(x-vector PLDA) and, in 2020, the arithmetic similarity: context for a result, not a target.
"""

from __future__ import annotations

from dataclasses import dataclass

NOE2020 = (
    "P.-G. Noé, J.-F. Bonastre, D. Matrouf, N. Tomashenko, A. Nautsch, N. Evans: Speech "
    "Pseudonymisation Assessment Using Voice Similarity Matrices. Interspeech 2020, "
    "hal-02925559, Table 2"
)
NOE2022 = (
    "P.-G. Noé, A. Nautsch, N. Evans, J. Patino, J.-F. Bonastre, N. Tomashenko, D. Matrouf: "
    "Towards a unified assessment framework of speech pseudonymisation. "
    "Computer Speech & Language 72, 2022, doi:10.1016/j.csl.2021.101299, Table 2"
)


@dataclass(frozen=True)
class Published:
    """One line of a published table: DeID in percent and G_VD in dB, as printed."""

    source: str
    system: str
    dataset: str
    deid: float
    g_vd: float

    @property
    def citation(self) -> str:
        return {"noe2020": NOE2020, "noe2022": NOE2022}[self.source]


_TABLE_2020 = (  # set, primary baseline (x-vector pooling, B1), secondary baseline (McAdams, B2)
    ("libri_dev_trials_f", 99.54, -9.19, 55.41, -1.06),
    ("libri_dev_trials_m", 100.0, -8.66, 41.23, -1.19),
    ("vctk_dev_trials_f", 99.61, -8.71, 93.26, -3.60),
    ("vctk_dev_trials_m", 100.0, -12.66, 71.19, -2.98),
    ("vctk_dev_trials_f_common", 99.51, -7.46, 84.09, -1.39),
    ("vctk_dev_trials_m_common", 99.96, -10.30, 43.87, -0.81),
)

_TABLE_2022 = (  # set, B1, B2, B2r
    ("libri_test_trials_f", 97.85, -10.45, 45.02, -1.45, 53.51, -1.94),
    ("libri_test_trials_m", 99.99, -9.56, 46.55, -1.40, 58.08, -1.66),
    ("vctk_test_trials_f", 99.87, -9.82, 85.86, -4.57, 79.98, -1.46),
    ("vctk_test_trials_m", 99.99, -11.33, 74.04, -3.42, 71.60, -1.69),
    ("vctk_test_trials_f_c", 99.09, -8.93, 69.36, -2.90, 64.69, -1.61),
    ("vctk_test_trials_m_c", 99.99, -10.31, 57.20, -2.29, 63.39, -1.63),
)


def _rows(source: str, systems: tuple[str, ...], table: object) -> list[Published]:
    assert isinstance(table, tuple)
    return [
        Published(source, system, line[0], line[1 + 2 * k], line[2 + 2 * k])
        for k, system in enumerate(systems)
        for line in table
    ]


PUBLISHED: tuple[Published, ...] = (
    *_rows("noe2020", ("B1", "B2"), _TABLE_2020),
    *_rows("noe2022", ("B1", "B2", "B2r"), _TABLE_2022),
)
"""All 30 published points; noe2020 calls B1 its primary and B2 its secondary baseline."""
