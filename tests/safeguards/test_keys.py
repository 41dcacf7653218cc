import stat
from pathlib import Path

import numpy as np
import pytest

from pseudovoice.errors import InputError, UsageError
from pseudovoice.safeguards.key import Key, new_key, read_key, write_key

FIXED = Key(bytes(range(32)))


def test_draws_are_the_same_on_every_platform_and_forever() -> None:
    # Whoever protected speech with a key must find the same voices next year.
    assert FIXED.derive("s", "p", "n").hex()[:16] == "cd8ec6441dc06512"
    assert FIXED.identifier == "7f287e36"


def test_key_session_purpose_and_name_all_matter() -> None:
    base = FIXED.derive("s", "p", "n")
    others = [
        Key(bytes(32)).derive("s", "p", "n"),
        FIXED.derive("t", "p", "n"),
        FIXED.derive("s", "q", "n"),
        FIXED.derive("s", "p", "m"),
        FIXED.derive("sp", "", "n"),  # fields do not run into each other
    ]
    assert len({base, *others}) == 6


def test_draws_are_uniform() -> None:
    draws = np.array([FIXED.uniform("s", "p", str(k)) for k in range(4000)])
    assert draws.min() >= 0
    assert draws.max() < 1
    assert abs(draws.mean() - 0.5) < 0.02
    assert np.histogram(draws, 10, (0, 1))[0].min() > 300


def test_a_key_file_is_private_and_read_back(tmp_path: Path) -> None:
    key = new_key()
    write_key(key, tmp_path / "deep" / "k")
    assert stat.S_IMODE((tmp_path / "deep" / "k").stat().st_mode) == 0o600
    assert read_key(tmp_path / "deep" / "k") == key
    with pytest.raises(UsageError, match="never overwritten"):
        write_key(new_key(), tmp_path / "deep" / "k")
    assert read_key(tmp_path / "deep" / "k") == key


def test_the_secret_is_not_shown() -> None:
    key = new_key()
    assert key.secret.hex() not in repr(key)
    assert len(key.identifier) == 8


@pytest.mark.parametrize("content", [b"", b"hello", b"pseudovoice-key-1:abc", b"\xff\xfe"])
def test_what_is_no_key_gets_a_sentence_that_does_not_quote_it(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "k").write_bytes(content)
    with pytest.raises(InputError, match="this is no key file") as caught:
        read_key(tmp_path / "k")
    assert "hello" not in str(caught.value)


def test_a_missing_key_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="pseudovoice key new"):
        read_key(tmp_path / "none")
