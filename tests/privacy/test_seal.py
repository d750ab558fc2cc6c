"""What is written under a key: it opens with that key, where it belongs, and nowhere else."""

from __future__ import annotations

import base64
import os
import random
from pathlib import Path

import pytest

from voicepipe.privacy.seal import UNREADABLE, Seal, without_keys
from voicepipe.privacy.sealed_file import BLOCK, HEAD_BYTES, SealedFile, is_sealed
from voicepipe.runtime.errors import ConfigError

OLD, NEW = bytes(range(32)), bytes(range(1, 33))
WORDS = "my card is in the blue bag"


def test_words_open_with_their_key_and_in_their_place_only() -> None:
    seal = Seal([OLD])
    sealed = seal.text(WORDS, "user_text")
    assert "blue" not in sealed
    assert sealed != seal.text(WORDS, "user_text"), "equal words do not look equal"
    assert seal.opened(sealed, "user_text") == WORDS
    assert seal.opened(sealed, "agent_text") == UNREADABLE
    assert Seal([NEW]).opened(sealed, "user_text") == UNREADABLE == without_keys(sealed)
    assert seal.opened(sealed[:-8] + "AAAAAAA=", "user_text") == UNREADABLE
    assert seal.opened(sealed[:-1], "user_text") == UNREADABLE, "not even base64"
    assert seal.opened("words of before", "user_text") == "words of before"


def test_a_new_key_reads_what_the_old_one_wrote() -> None:
    sealed = Seal([OLD]).text(WORDS, "user_text")
    both = Seal([NEW, OLD])
    assert both.opened(sealed, "user_text") == WORDS
    assert Seal([NEW]).opened(both.text(WORDS, "user_text"), "user_text") == WORDS


def test_the_same_number_is_the_same_sealed() -> None:
    (sealed,) = Seal([OLD]).numbers("+15550100", "caller")
    assert Seal([NEW, OLD]).numbers("+15550100", "caller")[1] == sealed
    assert Seal([OLD]).numbers("+15550100", "called") != [sealed]
    assert Seal([OLD]).opened(sealed, "caller") == "+15550100"


def test_a_key_that_is_none_is_refused_without_being_quoted() -> None:
    for wrong in ("secret!", "c2hvcnQ=", f"{base64.b64encode(OLD).decode()},c2hvcnQ="):
        with pytest.raises(ConfigError, match="32 bytes as base64") as error:
            Seal.of(wrong)
        assert wrong not in str(error.value)
    assert Seal.of(" ") is None
    both = Seal.of(f"{base64.b64encode(NEW).decode()}, {base64.b64encode(OLD).decode()}")
    assert both is not None
    assert both.opened(Seal([OLD]).text("a", "b"), "b") == "a"


def sealed_file(path: Path, key: bytes = OLD) -> SealedFile:
    return SealedFile(os.open(path, os.O_RDWR | os.O_CREAT), Seal([key]))


@pytest.mark.parametrize("seed", range(8))
def test_a_sealed_file_is_as_a_plain_one(tmp_path: Path, seed: int) -> None:
    luck, plain, path = random.Random(seed), bytearray(), tmp_path / "sound"
    file = sealed_file(path)
    for _ in range(40):
        place = luck.randrange(0, len(plain) + luck.choice([1, 100, 3 * BLOCK]))
        if luck.random() < 0.15:
            plain = plain[:place].ljust(place, b"\0")
            file.resize(place)
        else:
            data = luck.randbytes(luck.choice([0, 1, 44, BLOCK - 1, BLOCK, 2 * BLOCK + 7]))
            if len(plain) < place:
                plain.extend(bytes(place - len(plain)))
            plain[place : place + len(data)] = data
            file.write(data, place)
        assert file.size == len(plain)
        first, size = luck.randrange(len(plain) + 1), luck.randrange(2 * BLOCK)
        assert file.read(size, first) == plain[first : first + size]
    file.close()
    again = sealed_file(path)
    assert again.read(len(plain), 0) == plain
    again.close()


def test_nobody_else_reads_or_changes_a_sealed_file(tmp_path: Path) -> None:
    path = tmp_path / "sound"
    file = sealed_file(path)
    file.write(b"what was said " * 5000, 0)
    file.close()
    assert is_sealed(path)
    stored = bytearray(path.read_bytes())
    assert b"was said" not in stored
    with pytest.raises(OSError, match="encryption_key"):
        sealed_file(path, NEW)
    stored[HEAD_BYTES + 40] ^= 1
    path.write_bytes(stored)
    file = sealed_file(path)
    with pytest.raises(OSError, match=r"block 0 .* damaged"):
        file.read(10, 0)
    assert file.read(3, 2 * BLOCK)
    file.close()


def test_a_full_disk_leaves_the_block_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, write = tmp_path / "sound", os.pwrite
    file = sealed_file(path)
    file.write(b"a" * 1000, 0)
    monkeypatch.setattr(os, "pwrite", lambda fd, data, place: write(fd, data[:2000], place))
    with pytest.raises(OSError, match="No space"):
        file.write(b"b" * 5000, 1000)
    monkeypatch.undo()
    assert file.read(9999, 0) == b"a" * 1000
    file.write(b"b" * 5000, 1000)
    assert file.size == 6000
    file.close()


def test_a_key_that_is_no_base64_at_all_says_so() -> None:
    with pytest.raises(ConfigError, match=r"calls\.encryption_key must be 32 bytes as base64"):
        Seal.of("Schlüssel")
