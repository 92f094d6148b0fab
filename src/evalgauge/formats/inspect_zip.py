"""The members of a ``.eval`` archive: checked one by one, with zstd on every Python, and as far as a cut file goes.

Python's own ``zipfile`` knows zstd (method 93) only from 3.14 and refuses an archive whose directory, which stands at
the end, is missing. Here it reads the directory alone; members are decompressed and checked by their CRC here, and a
file without a directory is walked member by member from its start.

The members that scores need are checked, and the others are not: to check the CRC of every sample would mean to unpack
the whole log. What costs nothing is looked at for all: whether the places that the directory gives lie in the file and
do not overlap. Where they do, the directory is damaged, and the file is walked.
"""

from __future__ import annotations

import struct
import sys
import zipfile
import zlib
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, Self

from evalgauge.errors import LogError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

ZIP_MARK = b"PK\x03\x04"
STORED, DEFLATED, ZSTD = 0, 8, 93
MAX_MEMBER_BYTES = 4 * 1024**3
MAX_RATIO = 1_000
MIN_BOMB_BYTES = 256 * 1024**2

_LOCAL = struct.Struct("<4sHHHHHLLLHH")
_SIZE_IS_LATER = 0x08
_IN_ZIP64 = 0xFFFFFFFF


class Member(NamedTuple):
    """Where a member stands in the file and how it is packed."""

    name: str
    method: int
    header_at: int
    packed: int
    size: int
    crc: int


class Archive:
    """A ``.eval`` file that is open for reading.

    Parameters
    ----------
    path
        The file.
    tolerant
        Whether damaged members are read around; else their errors say that they can be.

    Attributes
    ----------
    members
        By name; of two members with one name the last counts, as for Inspect.
    is_cut
        Whether the file has no whole directory, so that only what stands before the cut is known.
    misplaced
        The first member that, by the directory, overlaps another one or the end of the file; ``""`` where none does.

    Raises
    ------
    LogError
        The file cannot be opened or is no zip archive.
    """

    def __init__(self, path: Path, *, tolerant: bool = False) -> None:
        self.file = str(path)
        self._advice = "Copy the log again." if tolerant else "Copy the log again, or read the rest with --tolerant."
        self.is_cut = False
        self.misplaced = ""
        try:
            self._stream: BinaryIO = path.open("rb")
        except OSError as fault:
            raise LogError(self.file, f"cannot be opened: {fault.strerror}.") from fault
        try:
            self.members = {member.name: member for member in self._listed()}
        except BaseException:
            self._stream.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def read(self, name: str) -> bytes:
        """Return a member's content.

        Raises
        ------
        LogError
            The member is missing, damaged, packed by an unknown method, or unpacks to an absurd size.
        """
        member = self.members.get(name)
        if member is None:
            raise LogError(self.file, f"the archive has no member {name!r}.", hint="It is no complete Inspect log.")
        where = f"member {name!r}"
        bomb = member.size > MIN_BOMB_BYTES and member.size > MAX_RATIO * max(member.packed, 1)
        if bomb or member.size > MAX_MEMBER_BYTES:
            problem = f"claims to unpack from {member.packed:,} to {member.size:,} bytes; no log does that."
            raise LogError(self.file, problem, record=where)
        # One byte more than promised is asked for, so that a member that lies about its size is seen.
        content = _unpacked(member, self._packed(member), member.size + 1, self.file)
        if content is None or len(content) != member.size or zlib.crc32(content) != member.crc:
            raise self._damaged(member)
        return content

    def _damaged(self, member: Member) -> LogError:
        problem = "is damaged: its content does not agree with its checksum."
        return LogError(self.file, problem, record=f"member {member.name!r}", hint=self._advice)

    def _packed(self, member: Member) -> bytes:
        self._stream.seek(member.header_at)
        header = self._stream.read(_LOCAL.size)
        if len(header) < _LOCAL.size or not header.startswith(ZIP_MARK):
            raise self._damaged(member)
        name_length, extra_length = _LOCAL.unpack(header)[-2:]
        self._stream.seek(name_length + extra_length, 1)
        return self._stream.read(member.packed)

    def _listed(self) -> Iterator[Member]:
        try:
            with zipfile.ZipFile(self._stream) as archive:
                infos = archive.infolist()
                end = archive.start_dir
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OverflowError, struct.error, OSError):
            self._stream.seek(0)
            if self._stream.read(4) != ZIP_MARK:
                hint = "An Inspect .eval log is one; copy the file again in binary mode."
                raise LogError(self.file, "is no zip archive.", hint=hint) from None
            self.is_cut = True
            yield from self._walked()
            return
        listed = [
            Member(info.filename, info.compress_type, info.header_offset, info.compress_size, info.file_size, info.CRC)
            for info in infos
        ]
        self.misplaced = _misplaced(listed, end)
        if self.misplaced:
            self.is_cut = True
            yield from self._walked()
            return
        yield from listed

    def _walked(self) -> Iterator[Member]:
        """Find members by their own headers, up to the first that is not whole."""
        at = 0
        end = self._stream.seek(0, 2)
        while True:
            self._stream.seek(at)
            header = self._stream.read(_LOCAL.size)
            if len(header) < _LOCAL.size or not header.startswith(ZIP_MARK):
                return
            _, _, flags, method, _, _, crc, packed, size, name_length, extra_length = _LOCAL.unpack(header)
            name = self._stream.read(name_length).decode("utf-8", errors="replace")
            extra = self._stream.read(extra_length)
            if _IN_ZIP64 in (packed, size):
                size, packed = _zip64_sizes(extra, size, packed)
            following = at + _LOCAL.size + name_length + extra_length + packed
            # A member that was still being written has no sizes yet: nothing after it can be found.
            if following > end or flags & _SIZE_IS_LATER or (not packed and method != STORED):
                return
            yield Member(name, method, at, packed, size, crc)
            at = following


def _misplaced(members: Sequence[Member], end: int) -> str:
    """Return the first member whose place overlaps that of another, or of the directory, which starts at ``end``."""
    before = 0
    for member in sorted(members, key=attrgetter("header_at")):
        if member.header_at < before:
            return member.name
        # A name has at least as many bytes as characters; how many, depends on its encoding.
        before = member.header_at + _LOCAL.size + len(member.name) + member.packed
        if before > end:
            return member.name
    return ""


def _unpacked(member: Member, packed: bytes, most: int, file: str) -> bytes | None:
    """Return the content of a member, or nothing where its bytes cannot be unpacked."""
    try:
        if member.method == STORED:
            return packed
        if member.method == DEFLATED:
            return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, most)
        if member.method == ZSTD:
            return _zstd_unpacked(packed, most)
    except Exception:  # noqa: BLE001 - zlib.error and ZstdError share no base class; the latter's module varies
        return None
    problem = f"is packed by zip method {member.method}; Inspect uses {STORED}, {DEFLATED} and {ZSTD}."
    record = f"member {member.name!r}"
    raise LogError(file, problem, record=record, hint="Unpack the archive and zip it again with deflate.")


def _zstd_unpacked(packed: bytes, most: int) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415 (only archives packed by zstd need it)
    else:
        from backports import zstd  # noqa: PLC0415 (same)

    content = b""
    # Large members may be several frames, one after another.
    while packed and len(content) < most:
        unpacker = zstd.ZstdDecompressor()
        content += unpacker.decompress(packed, most - len(content))
        packed = unpacker.unused_data if unpacker.eof else b""
    return content


def _zip64_sizes(extra: bytes, size: int, packed: int) -> tuple[int, int]:
    """Return (size, packed) from the zip64 field, which holds, in this order, those that are marked as being there."""
    while len(extra) >= 4:
        tag, length = struct.unpack_from("<HH", extra)
        if tag == 1:
            values = [value for (value,) in struct.iter_unpack("<Q", extra[4 : 4 + length - length % 8])]
            if size == _IN_ZIP64 and values:
                size = values.pop(0)
            if packed == _IN_ZIP64 and values:
                packed = values.pop(0)
            break
        extra = extra[4 + length :]
    return size, packed
