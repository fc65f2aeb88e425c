"""Bytes that a large file is read into are those of the file, also where it changes meanwhile."""

from __future__ import annotations

import os
import random

import pytest

from coleval.loading.readers import filling, source

pytestmark = pytest.mark.skipif(not hasattr(os, "readv"), reason="there is no readv")


@pytest.fixture(autouse=True)
def _small_files_are_large(monkeypatch):
    monkeypatch.setattr(source, "_SMALL", 1)
    monkeypatch.setattr(source, "_LARGE", 1)


@pytest.mark.parametrize("size", [1, 2, 4095, 4096, 1 << 20, (5 << 20) + 3])
@pytest.mark.parametrize("piece", [1 << 26, 1 << 19])
def test_a_file_is_read_as_it_is(tmp_path, monkeypatch, size, piece):
    monkeypatch.setattr(filling, "_PIECE", piece)
    text = random.Random(size).randbytes(size)
    file = tmp_path / "text"
    file.write_bytes(text)
    data, state = source._bytes(str(file))
    assert type(data) is bytes
    assert data == text
    assert hash(data) == hash(bytes(bytearray(text)))
    assert state.st_size == size


def test_an_empty_file_has_no_bytes(tmp_path):
    (tmp_path / "text").write_bytes(b"")
    assert source._bytes(str(tmp_path / "text"))[0] == b""


@pytest.mark.parametrize("stated", [3, 10, 11])
def test_a_file_that_changes_is_read_to_its_end(tmp_path, monkeypatch, stated):
    file = tmp_path / "text"
    file.write_bytes(b"0123456789")
    fstat = os.fstat

    def before_or_after(number):
        fields = list(fstat(number))
        fields[6] = stated
        return os.stat_result(fields)

    monkeypatch.setattr(source.os, "fstat", before_or_after)
    assert source._bytes(str(file))[0] == b"0123456789"


def test_bytes_are_filled_where_nothing_else_is():
    made, place = filling.new_bytes(5)
    room = memoryview((filling.ctypes.c_char * 5).from_address(place)).cast("B")
    room[:] = b"abcde"
    assert made == b"abcde"
    assert made + b"f" == b"abcdef"
    assert {made: 1}[b"abcde"] == 1
