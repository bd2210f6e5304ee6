#!/usr/bin/env python3
"""Golden vectors for torchvision's operators, in the format of gen_golden.py.

  python gen_torchvision.py --out ../ops

The references are written in plain PyTorch, element by element as torchvision documents them, so that torchvision is
not needed. Their gradients are autograd's.
"""
import argparse, json, os
from types import SimpleNamespace
import torch
from golden_common import *
from gen_golden import gradgrad, one_sample


def nms(boxes, scores, iou_threshold):
    return batched_nms(boxes, scores, torch.zeros(len(boxes), dtype=torch.int64), iou_threshold)


def batched_nms(boxes, scores, idxs, iou_threshold):
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    kept = []
    for i in torch.argsort(scores, descending=True, stable=True).tolist():
        def overlaps(j):
            sides = torch.minimum(boxes[i, 2:], boxes[j, 2:]) - torch.maximum(boxes[i, :2], boxes[j, :2])
            common = sides.clamp(min=0).prod()
            return bool(common / (area[i] + area[j] - common) > iou_threshold)
        if not any(idxs[j] == idxs[i] and overlaps(j) for j in kept):
            kept.append(i)
    return torch.tensor(kept, dtype=torch.int64)


def bilinear(image, y, x, border):
    """image: [C, H, W] at a position. `border`: positions up to one element outside count as the border's."""
    h, w = image.shape[1:]
    if y <= -1 or y >= h or x <= -1 or x >= w:
        if not (border and -1 <= y <= h and -1 <= x <= w): return image.sum((1, 2)) * 0
    if border: y, x = y.clamp(0, h - 1), x.clamp(0, w - 1)
    y0, x0 = int(torch.floor(y.detach())), int(torch.floor(x.detach()))
    total = image.sum((1, 2)) * 0
    for r, wy in ((y0, 1 - (y - y0)), (y0 + 1, y - y0)):
        for c, wx in ((x0, 1 - (x - x0)), (x0 + 1, x - x0)):
            if 0 <= r < h and 0 <= c < w: total = total + wy * wx * image[:, r, c]
    return total


def roi_align(input, boxes, output_size, spatial_scale=1.0, sampling_ratio=-1, aligned=False):
    ph, pw = (output_size, output_size) if isinstance(output_size, int) else output_size
    boxes, results = boxes.detach(), []
    for box in boxes:
        x1, y1, x2, y2 = box[1:] * spatial_scale - (0.5 if aligned else 0)
        width, height = x2 - x1, y2 - y1
        if not aligned: width, height = width.clamp(min=1), height.clamp(min=1)
        bh, bw = height / ph, width / pw
        gh, gw = [sampling_ratio if sampling_ratio > 0 else int(torch.ceil(b)) for b in (bh, bw)]
        image = input[int(box[0])]
        rows = []
        for i in range(ph):
            for j in range(pw):
                points = [bilinear(image, y1 + i * bh + (iy + 0.5) * bh / gh, x1 + j * bw + (ix + 0.5) * bw / gw, True)
                          for iy in range(gh) for ix in range(gw)]
                rows.append(sum(points, image.sum((1, 2)) * 0) / max(gh * gw, 1))
        results.append(torch.stack(rows, 1).reshape(-1, ph, pw))
    return torch.stack(results)


def deform_conv2d(input, offset, weight, bias=None, stride=1, padding=0, dilation=1, mask=None):
    pair = lambda v: (v, v) if isinstance(v, int) else v
    (sh, sw), (py, px), (dh, dw) = pair(stride), pair(padding), pair(dilation)
    n, c = input.shape[:2]
    o, own, kh, kw = weight.shape
    oh, ow = offset.shape[2:]
    groups, moved = c // own, offset.shape[1] // (2 * kh * kw)
    moves = offset.reshape(n, moved, kh, kw, 2, oh, ow)
    weighs = None if mask is None else mask.reshape(n, moved, kh, kw, oh, ow)
    examples = []
    for b in range(n):
        columns = []
        for g in range(moved):
            image = input[b, g * (c // moved):(g + 1) * (c // moved)]
            spots = []
            for i in range(kh):
                for j in range(kw):
                    for y in range(oh):
                        for x in range(ow):
                            at = moves[b, g, i, j, :, y, x]
                            value = bilinear(image, at[0] + (y * sh - py + i * dh), at[1] + (x * sw - px + j * dw), False)
                            spots.append(value if weighs is None else value * weighs[b, g, i, j, y, x])
            columns.append(torch.stack(spots, 1))
        columns = torch.cat(columns).reshape(groups, own, kh * kw, oh * ow)
        product = torch.einsum("gock,gckp->gop", weight.reshape(groups, o // groups, own, kh * kw), columns)
        examples.append(product.reshape(o, oh, ow))
    result = torch.stack(examples)
    return result if bias is None else result + bias.reshape(-1, 1, 1)


def leaf(*shape, low=-1.0, high=1.0):
    return (torch.rand(shape) * (high - low) + low).requires_grad_()


def corners(count, size, images=None):
    low = torch.rand(count, 2) * size * 0.7
    boxes = torch.cat([low, low + torch.rand(count, 2) * size * 0.6 + 0.2], 1)
    if images is None: return boxes
    return torch.cat([torch.randint(0, images, (count, 1)).float(), boxes], 1)


def samples(name):
    if name == "nms":
        yield (corners(12, 8), torch.rand(12), 0.3), {}
        yield (corners(20, 6), torch.rand(20), 0.6), {}
        yield (corners(6, 2), torch.tensor([0.5, 0.5, 0.25, 0.5, 0.75, 0.25]), 0.1), {}
        yield (torch.zeros(0, 4), torch.zeros(0), 0.5), {}
    if name == "batched_nms":
        yield (corners(16, 4), torch.rand(16), torch.randint(0, 3, (16,)), 0.3), {}
        yield (corners(10, 2), torch.rand(10), torch.randint(-1, 1, (10,)), 0.2), {}
    if name == "roi_align":
        yield (leaf(2, 3, 6, 7), corners(4, 7, 2), [2, 3]), {"sampling_ratio": 2}
        yield (leaf(2, 2, 6, 7), corners(4, 14, 2), 2), {"spatial_scale": 0.5, "sampling_ratio": 3, "aligned": True}
        yield (leaf(1, 2, 9, 5), corners(4, 9, 1), [2, 2]), {"aligned": True}
        yield (leaf(1, 2, 6, 6), corners(3, 20, 1), [2, 1]), {"spatial_scale": 0.75}
        outside = torch.tensor([[0, -6.0, -4.0, 9.5, 12.0], [0, 8.0, 8.0, 9.0, 9.0], [0, 3.0, 3.0, 3.0, 3.0]])
        yield (leaf(1, 2, 6, 6), outside, [2, 2]), {"aligned": True}
        yield (leaf(1, 2, 6, 6), outside, [2, 2]), {}
    if name == "deform_conv2d":
        far = {"low": -2.5, "high": 2.5}
        yield (leaf(2, 2, 4, 5), leaf(2, 8, 3, 4, **far), leaf(3, 2, 2, 2)), {}
        mask = leaf(1, 18, 3, 2, low=0.0)
        yield (leaf(1, 4, 5, 4), leaf(1, 36, 3, 2, **far), leaf(2, 2, 3, 3), leaf(2)), {"stride": 2, "padding": 1, "mask": mask}
        yield (leaf(1, 2, 6, 5), leaf(1, 12, 6, 7, **far), leaf(2, 1, 3, 2)), {"padding": [1, 2], "dilation": [1, 2]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="../ops")
    options = parser.parse_args()
    opt = SimpleNamespace(max_numel=4096, out=options.out)
    torch.set_num_threads(1)
    path = os.path.join(opt.out, "index.json")
    with open(path) as file: index = json.load(file)
    for function in (nms, batched_nms, roi_align, deform_conv2d):
        name, store = function.__name__, Store()
        op = SimpleNamespace(op=function, name=name)
        doc = {"op": name, "variant": None, "category": "vision", "schemas": [], "aliases": [], "method": False, "inplace": None,
               "torch_tolerance_overrides": [], "autograd": "nms" not in name, "samples": [], "errors": []}
        seed_all(name)
        grads = seconds = 0
        for i, (args, kwargs) in enumerate(list(samples(name))):
            rec, (grad, ref) = one_sample(op, "sample", args, kwargs, None, torch.float32, store, opt, f"{name}/{i}", name)
            rec["id"] = i
            if grad and seconds < 2:
                second = gradgrad(op, args, kwargs, f"{name}/{i}", store)
                if second: rec["gradgrad"], seconds = second, seconds + 1
            doc["samples"].append(rec)
            grads += bool(grad)
        row = {"op": name, "variant": None, "category": "vision", "file": name, "samples": len(doc["samples"]), "with_grad": grads,
               "gradgrad": seconds, "errors": 0, "unstable": sum(bool(s.get("unstable")) for s in doc["samples"]), "gauge": 0, "skipped": {}}
        index["ops"] = [other for other in index["ops"] if other["op"] != name] + [row]
        store.save(os.path.join(opt.out, name + ".safetensors"), {"op": name, "variant": None})
        dump_json(doc, os.path.join(opt.out, name + ".json"))
        print(json.dumps(row))
    rows = index["ops"]
    total = lambda key: sum(row.get(key, 0) for row in rows)
    index["totals"] = {**index["totals"], "op_names": len({r["op"] for r in rows if r["samples"]}), "op_files": sum(1 for r in rows if r["samples"]),
                       **{key: total(key) for key in ("samples", "with_grad", "gradgrad", "errors", "unstable")}}
    dump_json(index, path)
    print(json.dumps(index["totals"]))


if __name__ == "__main__":
    fixed_hash()
    main()
