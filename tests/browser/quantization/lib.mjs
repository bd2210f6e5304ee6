/** Layers and answers of `tests/golden/quantization.json`. */

/** A linear layer with given weights. */
export function linear({ lanthorn: { nn, tensor } }, weight, bias) {
  const layer = new nn.Linear(weight[0].length, weight.length);
  layer.loadStateDict({ weight: tensor(weight), bias: tensor(bias) });
  return layer;
}

/** The linear layer of the golden file in a sequence. */
export function goldenModel(given) {
  const { weight, bias } = given.golden.linear;
  return new given.lanthorn.nn.Sequential(linear(given, weight, bias));
}

/** A small net of several kinds of layers. */
export function net({ lanthorn: { nn, manualSeed } }) {
  manualSeed(3);
  return new nn.Sequential(
    new nn.Conv2d(3, 8, 3, { padding: 1 }), new nn.ReLU(), new nn.Flatten(), new nn.Linear(128, 64), new nn.Tanh(), new nn.Linear(64, 4),
  );
}

/** The norm of a difference divided by the norm of the second tensor. */
export async function distance(found, wanted) {
  const [error, norm] = await Promise.all([found.sub(wanted), wanted].map((x) => x.square().sum().sqrt().item()));
  return error / norm;
}
