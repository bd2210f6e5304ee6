#!/usr/bin/env python3
"""Makes digits.bin from scikit-learn's copy of the data: make_digits.py digits.csv.gz [digits.bin]

The input is `sklearn/datasets/data/digits.csv.gz` of any scikit-learn wheel: a line an image, 64 pixels of 0..16
row by row, then the label. The layout of the output is in README.md. Needs nothing beyond Python itself.
"""

import gzip
import struct
import sys
from pathlib import Path

PIXELS = 64
CLASSES = 10
TEST_EVERY = 5


def read_rows(path):
    """The images in file order, each 64 pixels and a label, checked."""
    with gzip.open(path, "rt", encoding="ascii") as lines:
        rows = [[int(float(cell)) for cell in line.split(",")] for line in lines if line.strip()]
    for number, row in enumerate(rows, 1):
        if len(row) != PIXELS + 1:
            raise SystemExit(f"line {number}: {len(row)} cells, expected {PIXELS + 1}")
        if not all(0 <= pixel <= 16 for pixel in row[:PIXELS]) or not 0 <= row[PIXELS] < CLASSES:
            raise SystemExit(f"line {number}: a pixel outside 0..16 or a label outside 0..9")
    return rows


def split(rows):
    """Every fifth image of each digit is a test image, so that all ten are equally common in both parts."""
    seen = [0] * CLASSES
    train, test = [], []
    for row in rows:
        label = row[PIXELS]
        seen[label] += 1
        (test if seen[label] % TEST_EVERY == 0 else train).append(row)
    return train, test


def main():
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    train, test = split(read_rows(sys.argv[1]))
    ordered = train + test
    header = b"DIGITS08" + struct.pack("<II", len(train), len(test))
    images = b"".join(bytes(row[:PIXELS]) for row in ordered)
    labels = bytes(row[PIXELS] for row in ordered)
    target = Path(sys.argv[2]) if len(sys.argv) == 3 else Path(__file__).with_name("digits.bin")
    target.write_bytes(header + images + labels)
    print(f"{target.name}: {len(train)} training images, {len(test)} test images")


if __name__ == "__main__":
    main()
