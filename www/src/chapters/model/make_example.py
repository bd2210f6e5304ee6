#!/usr/bin/env python3
"""Makes example.pt2, example.pt and example.onnx beside this file: make_example.py (needs PyTorch and onnxscript, 2.15 was used)

A small residual network for handwritten digits, trained on the digits 0 to 4 of crates/data/digits/digits.bin alone.
It has scores for ten digits, and has never seen five of them: fine-tuning its last layer teaches it those.
"""

import struct
import zipfile
from pathlib import Path

import torch
from torch import nn

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[3] / "crates" / "data" / "digits" / "digits.bin"
KNOWN = 5
STEPS = 100


class Block(nn.Module):
    """Two convolutions, whose result is added to their input."""

    def __init__(self, channels: int):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + self.conv2(torch.relu(self.conv1(x))))


class DigitNet(nn.Module):
    """Scores of ten digits for images of 8 x 8 pixels from 0 to 1: [N, 1, 8, 8] to [N, 10]."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, 12, 3, padding=1)
        self.block = Block(12)
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Linear(12 * 4 * 4, 10)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.pool(self.block(torch.relu(self.stem(image))))
        return self.head(x.flatten(1))


def read_digits() -> tuple[torch.Tensor, torch.Tensor, int]:
    """The images [N, 1, 8, 8], their labels, and how many of them are training images."""
    data = DATA.read_bytes()
    train, test = struct.unpack_from("<II", data, 8)
    count = train + test
    pixels = torch.frombuffer(bytearray(data), dtype=torch.uint8, offset=16)
    images = pixels[: 64 * count].reshape(count, 1, 8, 8).float() / 16
    return images, pixels[64 * count :].long(), train


def accuracy(model: nn.Module, images: torch.Tensor, labels: torch.Tensor) -> float:
    with torch.no_grad():
        return (model(images).argmax(1) == labels).float().mean().item()


def train(images: torch.Tensor, labels: torch.Tensor) -> DigitNet:
    model = DigitNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.003)
    for _ in range(STEPS):
        batch = torch.randint(len(images), (128,))
        optimizer.zero_grad()
        # Smoothed labels keep the scores of the digits that it never sees within reach.
        nn.functional.cross_entropy(model(images[batch]), labels[batch], label_smoothing=0.1).backward()
        optimizer.step()
    return model.eval()


def export(model: nn.Module, path: Path) -> None:
    """Saves the exported program, for any number of images. The paths of the sources are left out."""
    batch = torch.export.Dim("batch", min=1, max=4096)
    program = torch.export.export(model, (torch.zeros(2, 1, 8, 8),), dynamic_shapes={"image": {0: batch}})
    for node in program.graph.nodes:
        node.meta.pop("stack_trace", None)
    torch.export.save(program, path)


def script(model: nn.Module, path: Path) -> None:
    """Saves the script module. The entries with the paths of the sources are left out."""
    whole = path.with_suffix(".whole")
    torch.jit.save(torch.jit.script(model), whole)
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(path, "w") as target:
        for entry in source.infolist():
            if not entry.filename.endswith(".debug_pkl"):
                target.writestr(entry, source.read(entry))
    whole.unlink()


def export_onnx(model: nn.Module, path: Path) -> None:
    """Saves the model of ONNX, for any number of images, without the positions in the sources."""
    shapes = ({0: torch.export.Dim("batch", min=1, max=4096)},)
    image = torch.zeros(2, 1, 8, 8)
    program = torch.onnx.export(model, (image,), dynamo=True, dynamic_shapes=shapes, output_names=["scores"], verbose=False)
    # The property makes a new message at each access.
    proto = program.model_proto
    for entry in (*proto.graph.node, *proto.graph.value_info):
        del entry.metadata_props[:]
    path.write_bytes(proto.SerializeToString())


def main() -> None:
    torch.manual_seed(3)
    torch.set_num_threads(1)
    images, labels, count = read_digits()
    known = labels[:count] < KNOWN
    model = train(images[:count][known], labels[:count][known])
    test_images, test_labels = images[count:], labels[count:]
    seen = test_labels < KNOWN
    print(f"digits 0 to {KNOWN - 1}: {accuracy(model, test_images[seen], test_labels[seen]):.3f}")
    print(f"all digits: {accuracy(model, test_images, test_labels):.3f}")
    export(model, HERE / "example.pt2")
    script(model, HERE / "example.pt")
    export_onnx(model, HERE / "example.onnx")
    for path in sorted(HERE.glob("example.*")):
        print(path.name, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
