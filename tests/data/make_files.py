"""Writes tests/data/files: small files in the forms of published data sets, and archives, which the
readers of Rust and of JavaScript read. The pixel `index` of picture `n` is `(index * 7 + n * 31) % 256`.

    python tests/data/make_files.py
"""

import gzip
import io
import json
import struct
import tarfile
import zipfile
from pathlib import Path

import numpy
import scipy.io

FOLDER = Path(__file__).parent / "files"


def pixels(number, count):
    return bytes((index * 7 + number * 31) % 256 for index in range(count))


def idx(kind, shape, data):
    return bytes([0, 0, kind, len(shape)]) + struct.pack(f">{len(shape)}I", *shape) + data


def write_gzip(name, data):
    (FOLDER / name).write_bytes(gzip.compress(data, mtime=0))


def tar(files, form):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=form) as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            if data is None:
                entry.type = tarfile.DIRTYPE
            else:
                entry.size = len(data)
            archive.addfile(entry, None if data is None else io.BytesIO(data))
    return made.getvalue()


def mnist():
    for name, count in [("train", 3), ("t10k", 2)]:
        pictures = b"".join(pixels(number, 784) for number in range(count))
        write_gzip(f"{name}-images-idx3-ubyte.gz", idx(8, [count, 28, 28], pictures))
        write_gzip(f"{name}-labels-idx1-ubyte.gz", idx(8, [count], bytes(7 - number for number in range(count))))


def cifar():
    ten = {"cifar-10-batches-bin": None, "cifar-10-batches-bin/readme.html": b"x" * 700}
    for number, name in enumerate([f"data_batch_{batch}.bin" for batch in range(1, 6)] + ["test_batch.bin"]):
        ten[f"cifar-10-batches-bin/{name}"] = bytes([number]) + pixels(number, 3072)
    write_gzip("cifar-10-binary.tar.gz", tar(ten, tarfile.USTAR_FORMAT))
    hundred = {"cifar-100-binary/fine_label_names.txt": b"apple\naquarium_fish\nbaby\n"}
    for number, name in enumerate(["train.bin", "test.bin"]):
        hundred[f"cifar-100-binary/{name}"] = bytes([9, number + 1]) + pixels(number, 3072)
    write_gzip("cifar-100-binary.tar.gz", tar(hundred, tarfile.USTAR_FORMAT))


def svhn():
    pictures = numpy.frombuffer(pixels(0, 3072) + pixels(1, 3072), numpy.uint8).reshape(2, 3, 32, 32)
    arrays = {"X": pictures.transpose(2, 3, 1, 0), "y": numpy.array([[10], [3]], numpy.uint8)}
    for name, is_compressed in [("train", True), ("test", False)]:
        made = io.BytesIO()
        scipy.io.savemat(made, arrays, do_compression=is_compressed)
        # The header has the time, which changes.
        (FOLDER / f"{name}_32x32.mat").write_bytes(b" " * 116 + made.getvalue()[116:])


def archives():
    contents = {
        "a.txt": b"one\ntwo\n",
        "cat/" + "long-" * 40 + "name.bin": pixels(1, 600),
        "dog/\u00e4\u00df.txt": "gr\u00fc\u00df".encode(),
        "dog/empty": b"",
    }
    (FOLDER / "gnu.tar").write_bytes(tar({"dog": None, **contents}, tarfile.GNU_FORMAT))
    (FOLDER / "pax.tar").write_bytes(tar({"dog": None, **contents}, tarfile.PAX_FORMAT))
    for name, is_wide in [("files.zip", False), ("wide.zip", True)]:
        with zipfile.ZipFile(FOLDER / name, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(zipfile.ZipInfo("dog/"), b"")
            for path, data in contents.items():
                entry = zipfile.ZipInfo(path)
                entry.compress_type = zipfile.ZIP_STORED if path == "a.txt" else zipfile.ZIP_DEFLATED
                with archive.open(entry, "w", force_zip64=is_wide) as file:
                    file.write(data)
            archive.comment = b"" if is_wide else b"a comment"
    listed = {name: list(data) for name, data in contents.items()}
    (FOLDER / "contents.json").write_text(json.dumps(listed, ensure_ascii=False, sort_keys=True) + "\n")


FOLDER.mkdir(exist_ok=True)
mnist()
cifar()
svhn()
archives()
