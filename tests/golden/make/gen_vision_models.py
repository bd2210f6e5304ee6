"""torchvision's answers for its models.

    VENV/bin/python make/gen_vision_models.py --out vision-models.json

The file is an object:

- `states`: for each constructor, a hash of the names and shapes in its state dict. Models are made
  on the meta device, without memory.
- `answers`: for each case of `CASES`, the logits of one picture, and the norms of the gradients of
  the first, the middle and the last parameter, for the sum of the logits times fixed numbers, in
  evaluation mode. Models without dropout also have `training`: the logits of two pictures in
  training mode, and the norms of the first and the last two buffers of floats afterwards. Models
  with classifiers inside have `aux`: the logits of these classifiers, the last one first.

Both sides fill parameters, buffers, pictures and factors by `numbers`, from a name and a shape, so
that no weights are recorded.
"""

import argparse
import json
import warnings

import numpy as np
import torch
from torchvision import models
from torchvision.models import efficientnet as E
from torchvision.models import convnext as C
from torchvision.models import regnet as R
from torchvision.models import resnet as N
from torchvision.models import swin_transformer as S

warnings.filterwarnings("ignore")


def fnv(text):
    """The hash of a text: FNV-1a of 32 bits."""
    value = 2166136261
    for byte in text.encode():
        value = (value ^ byte) * 16777619 % 2**32
    return value


def numbers(name, shape):
    """Numbers that look random, by the name and the shape of a tensor."""
    count = int(np.prod(shape, dtype=np.int64))
    x = np.arange(count, dtype=np.uint64) * np.uint64(2654435761) + np.uint64(fnv(name))
    x = x.astype(np.uint32)
    x ^= x >> np.uint32(16)
    x *= np.uint32(2246822519)
    x ^= x >> np.uint32(13)
    x *= np.uint32(3266489917)
    x ^= x >> np.uint32(16)
    unit = x.astype(np.float64) / 2**32 - 0.5
    if len(shape) >= 2:
        values = unit * np.sqrt(24 / np.prod(shape[1:]))
    elif name.endswith("running_var"):
        values = 1 + 0.5 * unit
    elif name.endswith("weight"):
        values = 1 + 0.4 * unit
    else:
        values = 0.2 * unit
    return torch.tensor(values.reshape(shape), dtype=torch.float32)


def is_fixed(name):
    """Whether a buffer follows from the sizes of the model."""
    return any(word in name for word in ("num_batches_tracked", "relative_position_index", "relative_coords_table"))


CASES = {
    "resnet": (lambda: N.ResNet(N.BasicBlock, [1, 1, 1, 1], num_classes=10), 64),
    "resnext": (
        lambda: N.ResNet(N.Bottleneck, [1, 2, 1, 2], 10, groups=4, width_per_group=8,
                         replace_stride_with_dilation=[False, True, True]),
        64,
    ),
    "squeezenet": (lambda: models.squeezenet1_1(num_classes=10), 64),
    "mobilenet_v2": (lambda: models.mobilenet_v2(num_classes=10, width_mult=0.25, dropout=0.0), 64),
    "mobilenet_v3": (lambda: models.mobilenet_v3_small(num_classes=10, dropout=0.0), 64),
    "densenet": (lambda: models.DenseNet(8, (2, 3, 2, 2), 16, num_classes=10), 64),
    "shufflenet_v2": (lambda: models.shufflenet_v2_x0_5(num_classes=10), 64),
    "mnasnet": (lambda: models.mnasnet0_5(num_classes=10, dropout=0.0), 64),
    "regnet": (
        lambda: R.RegNet(R.BlockParams.from_init_params(6, 24, 36.0, 2.5, 8, se_ratio=0.25), num_classes=10),
        64,
    ),
    "efficientnet": (
        lambda: E.EfficientNet(
            [E.FusedMBConvConfig(1, 3, 1, 8, 8, 1), E.FusedMBConvConfig(4, 3, 2, 8, 16, 2),
             E.MBConvConfig(4, 5, 2, 16, 24, 2)],
            0.0, 0.0, num_classes=10, last_channel=64,
        ),
        64,
    ),
    "convnext": (
        lambda: C.ConvNeXt([C.CNBlockConfig(8, 16, 2), C.CNBlockConfig(16, None, 2)], 0.1, num_classes=10),
        64,
    ),
    "vit": (lambda: models.VisionTransformer(32, 8, 2, 2, 16, 32, num_classes=10), 32),
    "swin": (lambda: S.SwinTransformer([4, 4], 16, [2, 2], [2, 4], [4, 4], num_classes=10), 36),
    "swin_v2": (
        lambda: S.SwinTransformer([4, 4], 16, [2, 2], [2, 4], [4, 4], num_classes=10,
                                  block=S.SwinTransformerBlockV2, downsample_layer=S.PatchMergingV2),
        36,
    ),
    # The sizes that the constructors give: run by hand.
    "vgg11_bn": (lambda: models.vgg11_bn(num_classes=10), 64),
    "alexnet": (lambda: models.alexnet(num_classes=10), 64),
    "googlenet": (lambda: models.googlenet(num_classes=10, aux_logits=True, init_weights=False), 64),
    "inception_v3": (lambda: models.inception_v3(num_classes=10, aux_logits=True, init_weights=False), 299),
    "efficientnet_b0": (lambda: models.efficientnet_b0(num_classes=10), 64),
    "resnet50": (lambda: models.resnet50(num_classes=10), 64),
}


TRAINED = "resnet resnext mobilenet_v2 mobilenet_v3 densenet shufflenet_v2 mnasnet regnet efficientnet".split()


def train(model, size):
    """The answers in training mode."""
    with torch.no_grad():
        logits = model.train()(numbers("picture", (2, 3, size, size)) * size)
    named = [(name, buffer) for name, buffer in model.named_buffers() if not is_fixed(name)]
    picked = named[:2] + named[-2:]
    return {
        "logits": logits.flatten().tolist(),
        "buffers": {name: buffer.double().norm().item() for name, buffer in picked},
    }


def answer(name, make, size):
    torch.manual_seed(0)
    model = make().eval()
    with torch.no_grad():
        for key, tensor in model.state_dict().items():
            if not is_fixed(key):
                tensor.copy_(numbers(key, tuple(tensor.shape)))
    logits = model(numbers("picture", (1, 3, size, size)) * size)
    (logits * numbers("factors", (10,))).sum().backward()
    named = [(key, tensor) for key, tensor in model.named_parameters() if tensor.grad is not None]
    picked = [named[0], named[len(named) // 2], named[-1]]
    own = {
        "logits": logits[0].tolist(),
        "gradients": {key: parameter.grad.double().norm().item() for key, parameter in picked},
    }
    if name in ("googlenet", "inception_v3"):
        # The mode of the model alone: its layers are in evaluation mode.
        model.training = True
        with torch.no_grad():
            inner = model(numbers("picture", (1, 3, size, size)) * size)[1:]
        own["aux"] = [value[0].tolist() for value in inner]
    return own | ({"training": train(model, size)} if name in TRAINED else {})


CONSTRUCTORS = (
    "alexnet convnext_base convnext_large convnext_small convnext_tiny densenet121 densenet161 densenet169 "
    "densenet201 efficientnet_b0 efficientnet_b1 efficientnet_b2 efficientnet_b3 efficientnet_b4 "
    "efficientnet_b5 efficientnet_b6 efficientnet_b7 efficientnet_v2_l efficientnet_v2_m efficientnet_v2_s "
    "googlenet inception_v3 mnasnet0_5 mnasnet0_75 mnasnet1_0 mnasnet1_3 mobilenet_v2 mobilenet_v3_large "
    "mobilenet_v3_small regnet_x_16gf regnet_x_1_6gf regnet_x_32gf regnet_x_3_2gf regnet_x_400mf "
    "regnet_x_800mf regnet_x_8gf regnet_y_128gf regnet_y_16gf regnet_y_1_6gf regnet_y_32gf regnet_y_3_2gf "
    "regnet_y_400mf regnet_y_800mf regnet_y_8gf resnet101 resnet152 resnet18 resnet34 resnet50 "
    "resnext101_32x8d resnext101_64x4d resnext50_32x4d shufflenet_v2_x0_5 shufflenet_v2_x1_0 "
    "shufflenet_v2_x1_5 shufflenet_v2_x2_0 squeezenet1_0 squeezenet1_1 swin_b swin_s swin_t swin_v2_b "
    "swin_v2_s swin_v2_t vgg11 vgg11_bn vgg13 vgg13_bn vgg16 vgg16_bn vgg19 vgg19_bn vit_b_16 vit_b_32 "
    "vit_h_14 vit_l_16 vit_l_32 wide_resnet101_2 wide_resnet50_2"
).split()


make_params = R.BlockParams.from_init_params


def make_params_on_cpu(*args, **options):
    """The sizes of a RegNet, which are read from tensors."""
    with torch.device("cpu"):
        return make_params(*args, **options)


R.BlockParams.from_init_params = make_params_on_cpu


def state(name):
    options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    with torch.device("meta"):
        model = getattr(models, name)(**options)
    lines = [f"{key} {list(tensor.shape)}\n" for key, tensor in model.state_dict().items()]
    return fnv("".join(sorted(lines)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    answers = {name: answer(name, *case) for name, case in CASES.items()}
    states = {name: state(name) for name in CONSTRUCTORS}
    with open(arguments.out, "w") as file:
        json.dump({"states": states, "answers": answers}, file, indent=1)
        file.write("\n")


main()
