"""Writes the programs and losses that `crates/program/tests/it/training.rs` follows.

    python training.py [FOLDER]

Three small models in training mode are saved by `torch.export.save`, each in a folder with

- `train.pt2`: the program. The convolutional net and the encoder give logits, the decoder its loss.
- `data.safetensors`: `inputs` and `targets`, a few batches along dimension 0, used in turn.
- `training.json`: the optimizer with its options, the losses of the steps in float64 from the float32
  parameters, and `error`: the largest relative error of PyTorch's own losses in float32, of `ORDERS`
  orders of the examples in a batch, which change nothing but the rounding.

The convolutional net and the encoder are saved as `model.onnx` too, with any number of examples in a batch, and
the encoder as `external.onnx` with its weights in `external.data`. Batch norms are folded into the weights
before, as exporters do. `onnx.json` has the losses of the net that is then trained, and the `logits` of the second
batch before.
"""

import copy
import json
import pathlib
import sys

import onnx
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

STEPS, BATCHES, ORDERS = 20, 4, 8


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        return F.relu(x + self.norm(self.conv(x)))


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2))
        self.block = Residual(8)
        self.wide = nn.Sequential(nn.Conv2d(8, 16, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU())
        self.head = nn.Linear(16, 4)

    def forward(self, x):
        return self.head(self.wide(self.block(self.stem(x))).mean((2, 3)))


class Encoder(nn.Module):
    def __init__(self, words=30, length=10, width=16):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.positions = nn.Parameter(torch.randn(length, width) * 0.1)
        layer = nn.TransformerEncoderLayer(width, 2, 32, dropout=0.0, activation="gelu", batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.classifier = nn.Linear(width, 3)

    def forward(self, tokens):
        return self.classifier(self.layers(self.words(tokens) + self.positions).mean(1))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        heads = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = heads.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, words=24, length=12, width=16):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(Block(width, 2))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
        self.head.weight = self.tokens.weight
        nn.init.normal_(self.tokens.weight, std=0.2)

    def forward(self, tokens, targets):
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1]))
        return F.cross_entropy(self.head(self.norm(self.blocks(x))).flatten(0, 1), targets.flatten())


def images():
    """Noise with a bar whose row tells the class."""
    x, y = torch.randn(BATCHES, 12, 1, 8, 8), torch.randint(4, (BATCHES, 12))
    for index, label in enumerate(y.flatten().tolist()):
        x.view(-1, 8, 8)[index, 2 * label : 2 * label + 2] += 1.5
    return x, y


def sentences():
    """Random tokens, with the class that their sum has modulo 3."""
    x = torch.randint(30, (BATCHES, 8, 10))
    return x, x.sum(-1) % 3


def continuations():
    """Counting by a step that the first two tokens tell, and the token that follows."""
    first, step = torch.randint(24, (BATCHES, 6, 1)), torch.randint(1, 5, (BATCHES, 6, 1))
    x = (first + step * torch.arange(13)) % 24
    return x[..., :-1].contiguous(), x[..., 1:].contiguous()


MODELS = {
    "training_conv": (ConvNet, images, "SGD", {"lr": 0.05, "momentum": 0.9}),
    "training_encoder": (Encoder, sentences, "AdamW", {"lr": 0.01, "weight_decay": 0.01}),
    "training_gpt": (Gpt, continuations, "AdamW", {"lr": 0.02, "weight_decay": 0.01}),
}


def losses(model, inputs, targets, optimizer, options):
    dtype = next(model.parameters()).dtype
    optimizer = getattr(torch.optim, optimizer)(model.parameters(), foreach=False, **options)
    found = []
    for step in range(STEPS):
        x, y = inputs[step % BATCHES], targets[step % BATCHES]
        x = x.to(dtype) if x.is_floating_point() else x
        optimizer.zero_grad()
        loss = model(x, y) if isinstance(model, Gpt) else F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


def record(model, inputs, targets, optimizer, options):
    """The losses of a model, and the largest error of float32."""
    expected = losses(copy.deepcopy(model).double(), inputs, targets, optimizer, options)
    errors = []
    for _ in range(ORDERS):
        order = torch.randperm(inputs.shape[1])
        found = losses(copy.deepcopy(model), inputs[:, order], targets[:, order], optimizer, options)
        errors.append(max(abs(a - b) / abs(b) for a, b in zip(found, expected)))
    return {"optimizer": optimizer, "options": options, "error": float(f"{max(errors):.2g}"), "losses": expected}


def folded(model):
    """The model in eval mode, with batch norms folded into the convolutions before them."""
    model = copy.deepcopy(model).eval()
    modules = list(model.modules())
    # As after training: an exporter leaves out biases of zeros, and makes equal weights one.
    for parameter in model.parameters():
        parameter.data.add_(torch.randn_like(parameter), alpha=0.1)
    for module in modules:
        if isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.running_var, 0.5, 1.5)
    for module in modules:
        if isinstance(module, Residual):
            module.conv, module.norm = fuse_conv_bn_eval(module.conv, module.norm), nn.Identity()
        if isinstance(module, nn.Sequential) and isinstance(module[0], nn.Conv2d):
            module[0], module[1] = fuse_conv_bn_eval(module[0], module[1]), nn.Identity()
    # A bias that comes from a batch norm is not trained otherwise.
    return model.requires_grad_()


def write_onnx(folder, model, inputs, recorded):
    model = folded(model)
    shapes = ({0: torch.export.Dim.DYNAMIC},)
    exported = torch.onnx.export(model, (inputs[0],), dynamo=True, dynamic_shapes=shapes, input_names=["input"],
                                 output_names=["logits"], verbose=False)
    proto = exported.model_proto
    for node in proto.graph.node:
        # Stack traces again.
        del node.metadata_props[:]
    for value in proto.graph.value_info:
        del value.metadata_props[:]
    onnx.checker.check_model(proto, full_check=True)
    onnx.save(proto, folder / "model.onnx")
    if isinstance(model, Encoder):
        onnx.save(proto, folder / "external.onnx", save_as_external_data=True, location="external.data", size_threshold=0)
    row = {**recorded(model), "logits": model(inputs[1]).tolist()}
    (folder / "onnx.json").write_text(json.dumps(row, indent=1) + "\n")


def write(folder, name):
    make, data, optimizer, options = MODELS[name]
    torch.manual_seed(0)
    model, (inputs, targets) = make().train(), data()
    example = (inputs[0], targets[0]) if make is Gpt else (inputs[0],)
    program = torch.export.export(model, example)
    # Stack traces are most of a file's bytes.
    for node in program.graph.nodes:
        node.meta = {key: value for key, value in node.meta.items() if key == "val"}
    row = record(model, inputs, targets, optimizer, options)
    print(name, f"{row['losses'][0]:.3f} to {row['losses'][-1]:.3f}, float32 {row['error']:.1e}")
    folder = folder / name
    folder.mkdir(exist_ok=True)
    torch.export.save(program, folder / "train.pt2")
    save_file({"inputs": inputs, "targets": targets}, folder / "data.safetensors")
    (folder / "training.json").write_text(json.dumps(row, indent=1) + "\n")
    if make is not Gpt:
        write_onnx(folder, model, inputs, lambda net: record(net, inputs, targets, optimizer, options))


if __name__ == "__main__":
    torch.set_num_threads(1)
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    for name in MODELS:
        write(target, name)
