"""torchvision's answers for `lanthorn/vision`: `gen_vision.py > ../vision.json`.

A row has a function of `ops`, of `transforms.functional` or of `utils`, its arguments in order, and the result.
A text that names an input stands for that tensor, and null for a default.
"""

import json
import sys

import torch
import torchvision
from torchvision import ops, utils
from torchvision.transforms import InterpolationMode
from torchvision.transforms.v2 import functional as F

torch.manual_seed(0)

MODES = {
    "nearest": InterpolationMode.NEAREST,
    "nearest_exact": InterpolationMode.NEAREST_EXACT,
    "bilinear": InterpolationMode.BILINEAR,
    "bicubic": InterpolationMode.BICUBIC,
}


def boxes(count, size):
    corner = torch.rand(count, 2) * size * 0.6
    return torch.cat([corner, corner + 1 + torch.rand(count, 2) * size * 0.5], 1).mul(64).round().div(64)


def rois(count, images, size):
    return torch.cat([torch.arange(count).remainder(images)[:, None].float(), boxes(count, size)], 1)


bytes_ = torch.randint(0, 256, (3, 7, 6), dtype=torch.uint8)
floats = torch.randint(0, 256, (3, 7, 6)).float().div(256)
INPUTS = {
    "bytes": bytes_,
    "floats": floats,
    "gray": torch.randint(0, 256, (2, 1, 5, 8), dtype=torch.uint8),
    "few": torch.randint(100, 104, (2, 3, 9, 9), dtype=torch.uint8),
    "flat": torch.full((3, 4, 4), 9, dtype=torch.uint8),
    "boxes": boxes(4, 10.0),
    "others": boxes(3, 10.0),
    "matched": boxes(4, 10.0),
    "whole": torch.tensor([[1, 2, 5, 9], [0, 3, 4, 7]], dtype=torch.int32),
    "scores": torch.tensor([0.5, 0.9, 0.25, 0.75]),
    "classes": torch.tensor([0, 1, 0, 1], dtype=torch.int32),
    "turned": torch.tensor([[4.0, 5.0, 3.0, 2.0, 30.0], [6.0, 2.0, 1.0, 5.0, -70.0]]),
    "masks": (torch.rand(3, 5, 6) > 0.8).float() * torch.tensor([1.0, 1.0, 0.0])[:, None, None],
    "logits": torch.tensor([[-2.0, 0.5, 3.0], [1.0, -0.25, 0.0]]),
    "targets": torch.tensor([[0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]),
    "features": torch.randint(-64, 64, (2, 8, 6, 7)).float().div(16),
    "regions": rois(3, 2, 9.0),
    "features_as_pictures": torch.randint(-64, 64, (5, 3, 4, 3)).float().div(16),
    "displacement": torch.randint(-16, 16, (1, 7, 6, 2)).float().div(64),
    "patch": torch.randint(0, 200, (3, 2, 3), dtype=torch.uint8),
    "offset": torch.randint(-16, 16, (2, 18, 4, 5)).float().div(16),
    "picture": torch.randint(0, 256, (3, 12, 14), dtype=torch.uint8),
    "frames": torch.tensor([[1.0, 2.0, 6.0, 9.0], [4.5, 0.0, 12.75, 7.0]]),
    "areas": torch.rand(2, 12, 14) > 0.6,
    "flow": torch.randint(-64, 64, (2, 5, 6)).float().div(16),
    "weight": torch.randint(-8, 8, (2, 8, 3, 3)).float().div(8),
}
START, END = [[0, 0], [5, 0], [5, 6], [0, 6]], [[1, 0], [4, 1], [5, 5], [0, 6]]

ROWS = [
    # ops
    ("box_area", "boxes"),
    ("box_area", "boxes", "xywh"),
    ("box_area", "whole"),
    *[("box_convert", "boxes", a, b) for a in ("xyxy", "xywh", "cxcywh") for b in ("xyxy", "xywh", "cxcywh")],
    *[("box_convert", "turned", a, b) for a in ("xywhr", "cxcywhr") for b in ("xywhr", "cxcywhr", "xyxyxyxy")],
    ("box_iou", "boxes", "others"),
    ("box_iou", "boxes", "others", "cxcywh"),
    ("box_iou", "whole", "others"),
    ("generalized_box_iou", "boxes", "others"),
    ("distance_box_iou", "boxes", "others"),
    ("complete_box_iou", "boxes", "others"),
    *[(f"{kind}_box_iou_loss", "boxes", "matched", how) for kind in ("generalized", "distance", "complete") for how in ("none", "mean", "sum")],
    ("clip_boxes_to_image", "boxes", [5, 7]),
    ("remove_small_boxes", "boxes", 3.5),
    ("nms", "boxes", "scores", 0.1),
    ("batched_nms", "boxes", "scores", "classes", 0.1),
    ("masks_to_boxes", "masks"),
    ("sigmoid_focal_loss", "logits", "targets"),
    ("sigmoid_focal_loss", "logits", "targets", -1, 1.5, "mean"),
    ("roi_align", "features", "regions", [2, 3], 0.5),
    ("roi_align", "features", "regions", [2], 1, 2, True),
    ("roi_pool", "features", "regions", [2, 3], 0.75),
    ("roi_pool", "features", "regions", [4], 1),
    ("ps_roi_pool", "features", "regions", [2], 0.75),
    ("ps_roi_align", "features", "regions", [2], 0.75, 2),
    ("ps_roi_align", "features", "regions", [4, 2], 0.5),
    ("deform_conv2d", "features", "offset", "weight"),
    # functional
    ("resize", "bytes", [4]),
    ("resize", "bytes", [9, 13], "nearest"),
    ("resize", "bytes", [9, 4], "nearest_exact"),
    ("resize", "bytes", [3, 4], "bicubic"),
    ("resize", "floats", [3, 4], "bicubic"),
    ("resize", "floats", [9, 5], "bilinear", None, False),
    ("resize", "floats", [5], "bilinear", 5 + 1),
    ("resize", "gray", [7, 4]),
    ("crop", "bytes", 1, 2, 3, 3),
    ("crop", "floats", -2, 3, 5, 6),
    ("crop", "floats", 9, 1, 2, 2),
    ("center_crop", "bytes", [4, 3]),
    ("center_crop", "bytes", [10, 3]),
    ("center_crop", "floats", [5]),
    ("five_crop", "bytes", [4, 3]),
    ("ten_crop", "floats", [2], True),
    ("resized_crop", "floats", 1, 1, 4, 3, [5, 5]),
    ("hflip", "bytes"),
    ("vflip", "gray"),
    ("pad", "bytes", [2]),
    ("pad", "bytes", [1, 2], [7]),
    ("pad", "bytes", [1, 0, 2, 3], [1, 2, 3]),
    ("pad", "floats", [2, 1, 0, 3], [0], "edge"),
    ("pad", "bytes", [2, 1], None, "reflect"),
    ("pad", "bytes", [3, 1, 2, 2], None, "symmetric"),
    ("pad", "floats", [-1, 2, 3, -2]),
    *[("rotate", "floats", angle) for angle in (0, 180, 37)],
    ("rotate", "few", 90),
    ("rotate", "few", -90),
    ("rotate", "bytes", 30, "bilinear"),
    ("rotate", "floats", 30, "bilinear", True),
    ("rotate", "floats", 90, "nearest", True),
    ("rotate", "floats", 41, "bilinear", False, [1, 2], [0.5]),
    ("rotate", "bytes", 28, "nearest", False, None, [1, 2, 3]),
    ("affine", "floats", 23, [1, -1], 1.25, [7.0, 5.0]),
    ("affine", "bytes", -14, [0, 2], 0.75, [9.0, 0.0], "bilinear", [9], [2, 1]),
    ("perspective", "floats", START, END),
    ("perspective", "bytes", START, END, "bilinear", [3]),
    ("elastic", "floats", "displacement"),
    ("elastic", "bytes", "displacement", "nearest", [5]),
    ("gaussian_blur", "floats", [3, 3]),
    ("gaussian_blur", "bytes", [5, 3], [0.75, 1.5]),
    *[(name, image, factor) for name in ("adjust_brightness", "adjust_contrast", "adjust_saturation", "adjust_sharpness") for image in ("bytes", "floats") for factor in (0.25, 1.75)],
    ("adjust_contrast", "gray", 0.5),
    *[("adjust_hue", image, turn) for image in ("bytes", "floats") for turn in (-0.3, 0.1)],
    ("adjust_gamma", "floats", 1.5, 0.75),
    ("adjust_gamma", "bytes", 2.2),
    ("posterize", "bytes", 3),
    ("posterize", "floats", 2),
    ("solarize", "bytes", 100),
    ("solarize", "floats", 0.4),
    ("autocontrast", "few"),
    ("autocontrast", "floats"),
    ("autocontrast", "flat"),
    ("equalize", "few"),
    ("equalize", "floats"),
    ("equalize", "flat"),
    ("invert", "bytes"),
    ("invert", "floats"),
    ("rgb_to_grayscale", "bytes"),
    ("rgb_to_grayscale", "floats", 3),
    ("normalize", "floats", [0.5, 0.25, 0.125], [0.5, 0.25, 2.0]),
    ("erase", "bytes", 1, 2, 2, 3, "patch"),
    ("to_dtype", "bytes", "float32", True),
    ("to_dtype", "floats", "uint8", True),
    ("permute_channels", "bytes", [2, 0, 1]),
    ("get_dimensions", "gray"),
    # utils
    ("make_grid", "few", 3, 1),
    ("make_grid", "features_as_pictures", 2, 2, True, None, False, 0.5),
    ("make_grid", "features_as_pictures", 8, 1, True, [-1.0, 2.0]),
    ("make_grid", "features_as_pictures", 8, 0, True, None, True),
    ("make_grid", "gray", 8, 2, False, None, False, 9),
    ("draw_bounding_boxes", "picture", "frames"),
    ("draw_bounding_boxes", "picture", "frames", [[255, 0, 0], [0, 128, 255]], True, 2),
    ("draw_segmentation_masks", "picture", "areas"),
    ("draw_segmentation_masks", "picture", "areas", 0.5, [[255, 0, 0], [0, 128, 255]]),
    ("flow_to_image", "flow"),
]

# torchvision's resize of bytes on the CPU has integer weights, and its hue and its other floats are
# rounded down, so that the last bit differs.
NEAR = ("resize", "adjust_hue", "adjust_gamma", "rotate", "affine", "perspective", "elastic", "gaussian_blur", "draw_segmentation_masks", "draw_bounding_boxes", "flow_to_image")


def call(name, args):
    def convert(index, value):
        if isinstance(value, str) and value in INPUTS:
            return INPUTS[value]
        if isinstance(value, str) and value in MODES and name not in ("pad",):
            return MODES[value]
        if value in ("float32", "uint8"):
            return getattr(torch, value)
        return value

    args = [convert(index, value) for index, value in enumerate(args)]
    if name == "pad" and len(args) > 2 and args[2] is None:
        args[2] = 0
    if name == "pad" and len(args) > 2 and isinstance(args[2], list) and len(args[2]) == 1:
        args[2] = args[2][0]
    if name in ("roi_align", "roi_pool", "ps_roi_pool", "ps_roi_align") and len(args[2]) == 1:
        args[2] = args[2][0]
    if name == "clip_boxes_to_image":
        args[1] = tuple(args[1])
    if name == "make_grid" and len(args) > 4 and args[4]:
        args[4] = tuple(args[4])
    if name == "draw_bounding_boxes" and len(args) > 2:
        # The labels are the third argument there.
        args.insert(2, None)
        args[3] = [tuple(color) for color in args[3]]
    if name == "draw_segmentation_masks" and len(args) > 3:
        args[3] = [tuple(color) for color in args[3]]
    function = getattr(ops, name, None) or getattr(utils, name, None) or getattr(F, name)
    return function(*args)


def describe(tensor, digits=6):
    data = tensor.flatten().tolist()
    if tensor.dtype == torch.bool:
        data = [int(value) for value in data]
    if tensor.is_floating_point():
        data = [float(f"{value:.{digits}g}") for value in data]
    return {"dtype": str(tensor.dtype).split(".")[1], "shape": list(tensor.shape), "data": data}


def result(value):
    if isinstance(value, torch.Tensor):
        return describe(value)
    if isinstance(value, (tuple, list)) and value and isinstance(value[0], torch.Tensor):
        return [describe(item) for item in value]
    return value


rows = []
for name, *args in ROWS:
    row = {"function": name, "args": args, "want": result(call(name, args))}
    if name in NEAR:
        row["near"] = 1
    rows.append(row)
answers = {
    "torchvision": torchvision.__version__,
    "inputs": {name: describe(value, 9) for name, value in INPUTS.items()},
    "rows": rows,
}
json.dump(answers, sys.stdout, separators=(",", ":"))
sys.stdout.write("\n")
