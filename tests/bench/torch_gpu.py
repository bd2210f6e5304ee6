"""The workloads of `lanthorn bench --sizes gpu` in PyTorch, eager or under `torch.compile`, and with `--sizes models` those of language models in
float32. Prints the same object of JSON.

A run ends when a number of its result has been read, as there. TF32 is off except in the workloads that ask for it.

    python torch_gpu.py [--sizes gpu|models] [--device cuda] [--compile] [--shrink N] [--seconds S] [WORKLOAD ...]
"""

import argparse
import json
import math
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

GIBIBYTE = 1 << 28
# Of a language model: the width of a head, and the tokens of an answer.
HEAD, ANSWER = 64, 256
WARM_UP, FEWEST, MOST = 3, 5, 1000


class Shrink:
    """By what all sizes are divided."""

    def __init__(self, by):
        self.by = by

    def __call__(self, size):
        return max(size // self.by, 1)


class Task:
    """A run, the bytes it has to move, and the operations of its products."""

    def __init__(self, run, bytes, operations):
        self.run, self.bytes, self.operations = run, bytes, operations


def bytes_of(*tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


class Bench:
    """Makes the workloads on a device, compiled or not."""

    def __init__(self, device, compiled, shrink):
        self.device, self.compiled, self.shrink = device, compiled, shrink

    def prepared(self, f):
        return torch.compile(f) if self.compiled else f

    def forward(self, inputs, operations, f):
        prepared = self.prepared(f)

        def run():
            with torch.no_grad():
                return prepared().reshape(-1)[0]

        with torch.no_grad():
            result = f()
        return Task(run, bytes_of(*inputs, result), operations)

    def train(self, optimizer, slots, forward, loss):
        prepared = self.prepared(loss)
        parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]

        def run():
            optimizer.zero_grad()
            value = prepared()
            value.backward()
            optimizer.step()
            return value.detach()

        return Task(run, bytes_of(*parameters) * (3 + 2 * slots), 3 * forward)

    def rand(self, *shape):
        return torch.rand(shape, device=self.device)

    def operand(self, *shape, dtype=torch.float32):
        return (self.rand(*shape) * 2 - 1).to(dtype)

    def indices(self, below, *shape):
        return torch.randint(below, shape, device=self.device)

    def optimizer(self, kind, model, **options):
        # The fused optimizer, one kernel a step, where PyTorch has it.
        fused = {"fused": True} if self.compiled and self.device.type == "cuda" else {}
        return kind(model.parameters(), **options, **fused)

    def map(self, shape, f):
        x = self.rand(*shape)
        return self.forward([x], 0, lambda: f(x))

    def layer_norm(self):
        n = self.shrink(8192)
        x, layer = self.rand(n, n), nn.LayerNorm(n, device=self.device)
        return self.forward([x], 0, lambda: layer(x))

    def matmul(self, n, dtype):
        n = self.shrink(n)
        a, b = self.operand(n, n, dtype=dtype), self.operand(n, n, dtype=dtype)
        return self.forward([a, b], 2 * n**3, lambda: a @ b)

    def conv2d(self):
        batch, channels, side = map(self.shrink, (64, 256, 14))
        x = self.operand(batch, channels, side, side)
        layer = nn.Conv2d(channels, channels, 3, padding=1, bias=False, device=self.device)
        return self.forward([x, layer.weight], 18 * batch * channels**2 * side**2, lambda: layer(x))

    def attention(self, dtype, backward):
        shape = batch, heads, length, width = tuple(map(self.shrink, (8, 16, 2048, 64)))
        operations = 4 * batch * heads * length**2 * width
        inputs = [self.operand(*shape, dtype=dtype) for _ in range(3)]
        if not backward:
            return self.forward(inputs, operations, lambda: F.scaled_dot_product_attention(*inputs))
        for tensor in inputs:
            tensor.requires_grad_()
        gradient = self.operand(*shape, dtype=dtype)
        attend = self.prepared(lambda: F.scaled_dot_product_attention(*inputs))

        def run():
            gradients = torch.autograd.grad(attend(), inputs, gradient)
            return torch.stack([each.reshape(-1)[0] for each in gradients]).sum()

        return Task(run, 9 * bytes_of(gradient), 3.5 * operations)

    def mlp(self):
        batch, width, classes = map(self.shrink, (4096, 4096, 1024))
        layers = [nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, classes)]
        model = nn.Sequential(*layers).to(self.device)
        x, y = self.rand(batch, width), self.indices(classes, batch)
        optimizer = self.optimizer(torch.optim.AdamW, model, lr=1e-4)
        operations = 2 * batch * (2 * width * width + width * classes)
        return self.train(optimizer, 2, operations, lambda: F.cross_entropy(model(x), y))

    def resnet(self):
        batch, side, width, classes = map(self.shrink, (64, 224, 64, 1000))
        batch = max(batch, 2)
        model = ResNet18(width, classes).to(self.device)
        x, y = self.rand(batch, 3, side, side), self.indices(classes, batch)
        optimizer = self.optimizer(torch.optim.SGD, model, lr=1e-2, momentum=0.9)
        operations = resnet_operations(width, classes, batch, side)
        return self.train(optimizer, 1, operations, lambda: F.cross_entropy(model(x), y))

    def gpt(self):
        batch, length, vocabulary = map(self.shrink, (8, 1024, 50257))
        heads = layers = 12
        width = heads * self.shrink(64)
        model = Gpt(vocabulary, length, width, heads, layers).to(self.device)
        x, y = self.indices(vocabulary, batch, length), self.indices(vocabulary, batch * length)
        optimizer = self.optimizer(torch.optim.AdamW, model, lr=1e-4)
        weights = layers * 12 * width * width + vocabulary * width
        operations = 2 * batch * length * (weights + layers * length * width)
        return self.train(optimizer, 2, operations, lambda: F.cross_entropy(model(x).reshape(batch * length, vocabulary), y))

    def llama(self, layers, width, hidden, vocabulary, group, before=0, prompt=0):
        """A token after some others, or a prompt; the cache has a fixed size and the position is data, so that a compiled step is one graph."""
        width, hidden, vocabulary = (-(-self.shrink(size) // HEAD) * HEAD for size in (width, hidden, vocabulary))
        before, prompt = (self.shrink(size) if size else 0 for size in (before, prompt))
        capacity = prompt or before + ANSWER
        with torch.device(self.device):
            model = Llama(layers, width, hidden, vocabulary, group, capacity)
            ids = torch.full((1, prompt or 1), 7)
            position = torch.zeros((), dtype=torch.int64)
        # Graphs of CUDA, as PyTorch's own decoders are compiled.
        step = torch.compile(model, mode="reduce-overhead") if self.compiled else model
        at = before

        def run():
            nonlocal at
            position.fill_(0 if prompt else at)
            at = before if at + 1 >= capacity else at + 1
            with torch.no_grad():
                return step(ids, position)

        products = sum(module.weight.numel() for module in model.modules() if isinstance(module, nn.Linear))
        return Task(run, 4 * products, 2 * products * (prompt or 1))

    def model_workloads(self):
        small = dict(layers=6, width=512, hidden=1536, vocabulary=8192, group=1)
        billion = dict(layers=16, width=2048, hidden=8192, vocabulary=128_256, group=4)
        cases = {
            "token": lambda: self.llama(**small),
            "prompt512": lambda: self.llama(**small, prompt=512),
            "token1B": lambda: self.llama(**billion),
            "token1BLong": lambda: self.llama(**billion, before=4096),
            "prompt1B512": lambda: self.llama(**billion, prompt=512),
        }
        return {name: ("float32", make) for name, make in cases.items()}

    def gpu_workloads(self):
        """How each is made, by name, with the arithmetic of its products; in lanthorn's order."""
        s = self.shrink
        cases = {
            "read": ("float32", lambda: self.map((1,), torch.neg)),
            "copy": ("float32", lambda: self.map((s(GIBIBYTE),), torch.neg)),
            "elementwise": ("float32", lambda: self.map((s(GIBIBYTE),), lambda x: (x * x + x).tanh() * x.sigmoid())),
            "sum": ("float32", lambda: self.map((s(GIBIBYTE),), torch.sum)),
            "softmax": ("float32", lambda: self.map((s(8192),) * 2, lambda x: x.softmax(-1))),
            "layernorm": ("float32", self.layer_norm),
        }
        types = {"": ("float32", torch.float32), "Tf32": ("tf32", torch.float32), "Bf16": ("bfloat16", torch.bfloat16)}
        for suffix, (arithmetic, dtype) in types.items():
            for n in (1024, 2048, 4096, 8192):
                cases[f"matmul{n}{suffix}"] = (arithmetic, lambda n=n, dtype=dtype: self.matmul(n, dtype))
        cases["conv2d"] = ("float32", self.conv2d)
        for suffix, (arithmetic, dtype) in types.items():
            if arithmetic == "tf32":
                continue
            cases[f"attention{suffix}"] = (arithmetic, lambda dtype=dtype: self.attention(dtype, False))
            cases[f"attentionTrain{suffix}"] = (arithmetic, lambda dtype=dtype: self.attention(dtype, True))
        for name, make in ("mlpTrain", self.mlp), ("resnetTrain", self.resnet), ("gptTrain", self.gpt):
            cases[name] = ("float32", make)
        return cases


def conv(inputs, outputs, kernel_size, stride):
    return nn.Conv2d(inputs, outputs, kernel_size, stride=stride, padding=kernel_size // 2, bias=False)


class BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride, changes):
        super().__init__()
        self.conv1, self.bn1 = conv(inputs, outputs, 3, stride), nn.BatchNorm2d(outputs)
        self.conv2, self.bn2 = conv(outputs, outputs, 3, 1), nn.BatchNorm2d(outputs)
        around = (conv(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs)) if changes else ()
        self.around = nn.Sequential(*around)

    def forward(self, x):
        h = self.bn2(self.conv2(self.bn1(self.conv1(x)).relu()))
        return (h + self.around(x)).relu()


class ResNet18(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.conv1, self.bn1 = conv(3, width, 7, 2), nn.BatchNorm2d(width)
        blocks = []
        for stage in range(4):
            outputs = width << stage
            inputs, stride = (width, 1) if stage == 0 else (outputs // 2, 2)
            blocks += [BasicBlock(inputs, outputs, stride, stage > 0), BasicBlock(outputs, outputs, 1, False)]
        self.blocks, self.fc = nn.Sequential(*blocks), nn.Linear(8 * width, classes)

    def forward(self, x):
        h = F.max_pool2d(self.bn1(self.conv1(x)).relu(), 3, 2, 1)
        return self.fc(self.blocks(h).mean((-2, -1)))


def resnet_operations(width, classes, batch, size):
    """Multiplications and additions of the products of a forward pass."""

    def halved(size):
        return (size + 1) // 2

    def product(inputs, outputs, kernel_size, size):
        return 2 * batch * inputs * outputs * kernel_size**2 * size**2

    side = halved(size)
    total = product(3, width, 7, side)
    side = halved(side)
    for stage in range(4):
        inputs = outputs = width << stage
        if stage > 0:
            inputs, side = outputs // 2, halved(side)
            total += product(inputs, outputs, 1, side)
        total += product(inputs, outputs, 3, side) + 3 * product(outputs, outputs, 3, side)
    return total + product(8 * width, classes, 1, 1)


class GptBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.projection = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(self.ln_1(x)).reshape(batch, length, 3, self.heads, width // self.heads)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.projection(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.ln_2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, vocabulary, length, width, heads, layers):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        for table in self.tokens, self.positions:
            nn.init.normal_(table.weight, 0.0, 0.02)
        self.blocks = nn.Sequential(*(GptBlock(width, heads) for _ in range(layers)))
        self.ln_f = nn.LayerNorm(width)

    def forward(self, x):
        h = self.blocks(self.tokens(x) + self.positions.weight)
        return F.linear(self.ln_f(h), self.tokens.weight)


class LlamaBlock(nn.Module):
    def __init__(self, width, hidden, group, capacity):
        super().__init__()
        self.heads, self.group = width // HEAD, group
        self.key_heads = max(self.heads // group, 1)
        self.norms = nn.ModuleList(nn.RMSNorm(width) for _ in range(2))
        self.query, self.projection = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.key, self.value = (nn.Linear(width, self.key_heads * HEAD, bias=False) for _ in range(2))
        self.gate, self.up = nn.Linear(width, hidden, bias=False), nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)
        for name in "keys", "values":
            self.register_buffer(name, torch.zeros(1, self.key_heads, capacity, HEAD))

    def forward(self, x, indices, cosine, sine, mask):
        h = self.norms[0](x)
        query, key, value = (
            layer(h).unflatten(-1, (-1, HEAD)).transpose(1, 2) for layer in (self.query, self.key, self.value)
        )

        def rotate(x):
            first, second = x.chunk(2, -1)
            return x * cosine + torch.cat([-second, first], -1) * sine

        self.keys.index_copy_(2, indices, rotate(key))
        self.values.index_copy_(2, indices, value)
        mixed = F.scaled_dot_product_attention(rotate(query), self.keys, self.values, mask, enable_gqa=self.group > 1)
        x = x + self.projection(mixed.transpose(1, 2).flatten(2))
        h = self.norms[1](x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Llama(nn.Module):
    """The most likely token after some others."""

    def __init__(self, layers, width, hidden, vocabulary, group, capacity):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(LlamaBlock(width, hidden, group, capacity) for _ in range(layers))
        self.norm, self.head = nn.RMSNorm(width), nn.Linear(width, vocabulary, bias=False)
        self.register_buffer("frequencies", 10000.0 ** (-torch.arange(0, HEAD, 2) / HEAD))
        self.register_buffer("every", torch.arange(capacity))

    def forward(self, ids, position):
        indices = position + torch.arange(ids.shape[1], device=ids.device)
        angles = indices[:, None] * self.frequencies
        angles = torch.cat([angles, angles], -1)
        mask = self.every <= indices[:, None]
        x = self.tokens(ids)
        for block in self.blocks:
            x = block(x, indices, angles.cos(), angles.sin(), mask)
        return self.head(self.norm(x[:, -1])).argmax(-1)[0]


def allow_tf32(allow):
    torch.backends.cuda.matmul.allow_tf32 = allow
    # Convolutions have a separate switch, which is on by default.
    torch.backends.cudnn.allow_tf32 = allow


def measure(task, seconds):
    """The median of a run in milliseconds."""
    for _ in range(WARM_UP):
        task.run().item()
    times, end = [], time.perf_counter() + seconds
    while len(times) < FEWEST or (len(times) < MOST and time.perf_counter() < end):
        begin = time.perf_counter()
        last = task.run().item()
        times.append((time.perf_counter() - begin) * 1e3)
    if not math.isfinite(last):
        raise ValueError(f"the result is {last}")
    return statistics.median(times)


def copy_bandwidth(bench, seconds):
    """Bytes a second by 1e9 of a copy of 1 GiB, as the device's own library copies."""
    x = bench.rand(bench.shrink(GIBIBYTE))
    y = torch.empty_like(x)
    time_of = measure(Task(lambda: y.copy_(x)[0], 0, 0), seconds)
    return bytes_of(x, y) / time_of / 1e6


def run(arguments):
    bench = Bench(torch.device(arguments.device), arguments.compile, Shrink(arguments.shrink))
    cuda = bench.device.type == "cuda"
    description = torch.cuda.get_device_name(bench.device) if cuda else "the processor"
    workloads = bench.gpu_workloads() if arguments.sizes == "gpu" else bench.model_workloads()
    limits, outcomes = {"bandwidth": copy_bandwidth(bench, arguments.seconds)}, []
    for name, (arithmetic, make) in workloads.items():
        if arguments.workloads and name not in arguments.workloads:
            continue
        if arithmetic == "tf32" and not cuda:
            outcomes.append({"name": name, "skipped": "TF32 is for CUDA alone"})
            continue
        torch.manual_seed(1)
        allow_tf32(arithmetic == "tf32")
        try:
            task = make()
            time_of = measure(task, arguments.seconds)
        except Exception as error:  # A workload that does not fit in memory must not end the run.
            why = f"{type(error).__name__}: {error}".split("\n")[0]
            outcomes.append({"name": name, "failed": why})
            print(f"{name}: {why}", file=sys.stderr)
        else:
            work = {"bytes": task.bytes, "operations": task.operations, "arithmetic": arithmetic}
            outcomes.append({"name": name, "ms": time_of, **work})
            if name.startswith("matmul"):
                limits[arithmetic] = task.operations / time_of / 1e6
        task = None
        torch.compiler.reset()
        if cuda:
            torch.cuda.empty_cache()
    description = f"{description}, PyTorch {torch.__version__}"
    return {"device": str(bench.device), "description": description, "limits": limits, "workloads": outcomes}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("workloads", nargs="*")
    parser.add_argument("--sizes", choices=["gpu", "models"], default="gpu")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--shrink", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2.0)
    result = run(parser.parse_args())
    print(json.dumps(result))
    return any("failed" in outcome for outcome in result["workloads"])


if __name__ == "__main__":
    sys.exit(main())
