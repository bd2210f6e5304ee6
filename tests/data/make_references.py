"""Records what other programs answer, for the tests of crates/data and of lanthorn/data in JavaScript: `references.json`.

Pillow resizes images (bilinear with its triangle filter, float32), and Hugging Face's tokenizers trains, saves and applies byte-pair encodings.

    pip install pillow==13.0.0 numpy==2.4.6 tokenizers==0.23.3
    python make_references.py > references.json
"""
import json

import numpy as np
from PIL import Image
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

TEXT = """The lantern was lit before the storm; nobody knew who'd carried it there.
It's said that they're still looking: 1,024 steps down, 2048 up, and a door that won't open.
"Wait," she said.  "We'll follow the light -- the naïve way, through the café and past the Straße."
数学と光。Ελληνικά, русский язык, ½ x² ≠ y³ 🙂🙂
\tTabs\tand   spaces \n\n\nand the end of the light, the end of the night
"""
OTHERS = [
    "the light won't open the door",
    "  leading spaces, trailing spaces  ",
    "unseen: 漢字 🙃 ZZZ\u00a0nbsp 007's",
    "",
    "\n\n",
]


def resize_cases():
    generator = np.random.default_rng(1)
    cases = []
    for height, width, rows, columns in [(5, 7, 3, 4), (4, 4, 8, 9), (9, 3, 4, 6), (1, 10, 1, 3), (6, 6, 6, 2)]:
        image = generator.integers(0, 256, (height, width)).astype(np.float32)
        resized = np.asarray(Image.fromarray(image, mode="F").resize((columns, rows), Image.Resampling.BILINEAR))
        cases.append({
            "from": [1, height, width], "to": [1, rows, columns],
            "image": image.ravel().astype(int).tolist(), "resized": [float(value) for value in resized.ravel()],
        })
    return cases


def bpe_cases(vocab_size):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, min_frequency=1, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator([TEXT], trainer)
    model = json.loads(tokenizer.to_str())["model"]
    return {
        "text": TEXT,
        "vocabSize": tokenizer.get_vocab_size(),
        "vocab": json.dumps(model["vocab"], ensure_ascii=False),
        "merges": "#version: 0.2\n" + "".join(" ".join(pair) + "\n" for pair in model["merges"]),
        "encoded": [{"text": text, "tokens": tokenizer.encode(text).ids} for text in [TEXT, *OTHERS]],
        "words": [[word for word, _ in pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str(text)] for text in OTHERS],
    }


print(json.dumps({"resize": resize_cases(), "bpe": bpe_cases(360)}, ensure_ascii=True, indent=None))
