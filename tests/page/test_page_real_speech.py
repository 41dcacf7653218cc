"""The page of a real safeguard on real speech, through a real recogniser."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from page_study import restored

from pseudovoice.attacks.assess import assess_audio
from pseudovoice.attacks.material import Material
from pseudovoice.corpus import read_corpus
from pseudovoice.encoders import load_encoder
from pseudovoice.page import Findings, gather, write_page
from pseudovoice.page.clips import make_clips
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import parse_chain


@pytest.mark.weights
def test_b2_on_librispeech(shared: Path, tmp_path: Path) -> None:
    dev = read_corpus(shared / "speech" / "dev")
    chosen = [u.id for name in list(dev.speakers)[:4] for u in dev.speakers[name][:3]]
    original = dev.subset(ids=chosen)
    protected = protect_corpus(original, tmp_path / "b2", parse_chain("mcadams"), key=None).corpus
    assessed = assess_audio(
        Material(original, protected), [load_encoder("ge2e")], replicates=20, permutations=20
    )
    clips = make_clips(protected, "mcadams", seconds=2.0)
    tested = Findings("mcadams", assessed, {"alpha": 0.8}, deterministic=True)
    study = gather("B2", original, [tested], clips=clips)
    write_page(tmp_path / "report.html", study)

    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert found is not None
    tree = restored(json.loads(found.group(1))["study"])
    attack = next(a for a in tree["safeguards"][0]["attacks"] if a["group"] == "all")
    row = assessed.result("ignorant", "ge2e").disclosure
    assert attack["metrics"]["d_ece"]["value"] == pytest.approx(float(row.value), rel=1e-4)
    assert len(tree["clips"]) == len(tree["people"]) == 4
    assert str(shared) not in text
    assert str(tmp_path) not in text
