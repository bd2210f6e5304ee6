// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * The policies of `AutoAugment`: pairs of changes, each with a probability and a magnitude from 0
 * to 9.
 *
 * Source: Cubuk et al., "AutoAugment: Learning Augmentation Policies from Data" (2018), as
 * torchvision has them.
 */
import { make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Augmentation } from '../transforms/augmentations.js';

/** A change with its probability and its magnitude. */
export class Step {
  /** @internal */
  readonly change!: Augmentation;
  /** @internal */
  readonly p!: number;
  /** @internal */
  readonly magnitude!: number;
}

function step(change: Augmentation, p: number, magnitude: number): Step {
  return make(Step, { change, p, magnitude });
}

/** The pairs that were found on ImageNet. */
export function imagenetPolicy(): readonly [Step, Step][] {
  return scope(() => [
    [step('posterize', 0.4, 8), step('rotate', 0.6, 9)],
    [step('solarize', 0.6, 5), step('auto_contrast', 0.6, 0)],
    [step('equalize', 0.8, 0), step('equalize', 0.6, 0)],
    [step('posterize', 0.6, 7), step('posterize', 0.6, 6)],
    [step('equalize', 0.4, 0), step('solarize', 0.2, 4)],
    [step('equalize', 0.4, 0), step('rotate', 0.8, 8)],
    [step('solarize', 0.6, 3), step('equalize', 0.6, 0)],
    [step('posterize', 0.8, 5), step('equalize', 1, 0)],
    [step('rotate', 0.2, 3), step('solarize', 0.6, 8)],
    [step('equalize', 0.6, 0), step('posterize', 0.4, 6)],
    [step('rotate', 0.8, 8), step('color', 0.4, 0)],
    [step('rotate', 0.4, 9), step('equalize', 0.6, 0)],
    [step('equalize', 0, 0), step('equalize', 0.8, 0)],
    [step('invert', 0.6, 0), step('equalize', 1, 0)],
    [step('color', 0.6, 4), step('contrast', 1, 8)],
    [step('rotate', 0.8, 8), step('color', 1, 2)],
    [step('color', 0.8, 8), step('solarize', 0.8, 7)],
    [step('sharpness', 0.4, 7), step('invert', 0.6, 0)],
    [step('shear_x', 0.6, 5), step('equalize', 1, 0)],
    [step('color', 0.4, 0), step('equalize', 0.6, 0)],
    [step('equalize', 0.4, 0), step('solarize', 0.2, 4)],
    [step('solarize', 0.6, 5), step('auto_contrast', 0.6, 0)],
    [step('invert', 0.6, 0), step('equalize', 1, 0)],
    [step('color', 0.6, 4), step('contrast', 1, 8)],
    [step('equalize', 0.8, 0), step('equalize', 0.6, 0)],
  ]);
}

/** The pairs that were found on CIFAR-10. */
export function cifar10Policy(): readonly [Step, Step][] {
  return scope(() => [
    [step('invert', 0.1, 0), step('contrast', 0.2, 6)],
    [step('rotate', 0.7, 2), step('translate_x', 0.3, 9)],
    [step('sharpness', 0.8, 1), step('sharpness', 0.9, 3)],
    [step('shear_y', 0.5, 8), step('translate_y', 0.7, 9)],
    [step('auto_contrast', 0.5, 0), step('equalize', 0.9, 0)],
    [step('shear_y', 0.2, 7), step('posterize', 0.3, 7)],
    [step('color', 0.4, 3), step('brightness', 0.6, 7)],
    [step('sharpness', 0.3, 9), step('brightness', 0.7, 9)],
    [step('equalize', 0.6, 0), step('equalize', 0.5, 0)],
    [step('contrast', 0.6, 7), step('sharpness', 0.6, 5)],
    [step('color', 0.7, 7), step('translate_x', 0.5, 8)],
    [step('equalize', 0.3, 0), step('auto_contrast', 0.4, 0)],
    [step('translate_y', 0.4, 3), step('sharpness', 0.2, 6)],
    [step('brightness', 0.9, 6), step('color', 0.2, 8)],
    [step('solarize', 0.5, 2), step('invert', 0, 0)],
    [step('equalize', 0.2, 0), step('auto_contrast', 0.6, 0)],
    [step('equalize', 0.2, 0), step('equalize', 0.6, 0)],
    [step('color', 0.9, 9), step('equalize', 0.6, 0)],
    [step('auto_contrast', 0.8, 0), step('solarize', 0.2, 8)],
    [step('brightness', 0.1, 3), step('color', 0.7, 0)],
    [step('solarize', 0.4, 5), step('auto_contrast', 0.9, 0)],
    [step('translate_y', 0.9, 9), step('translate_y', 0.7, 9)],
    [step('auto_contrast', 0.9, 0), step('solarize', 0.8, 3)],
    [step('equalize', 0.8, 0), step('invert', 0.1, 0)],
    [step('translate_y', 0.7, 9), step('auto_contrast', 0.9, 0)],
  ]);
}

/** The pairs that were found on SVHN. */
export function svhnPolicy(): readonly [Step, Step][] {
  return scope(() => [
    [step('shear_x', 0.9, 4), step('invert', 0.2, 0)],
    [step('shear_y', 0.9, 8), step('invert', 0.7, 0)],
    [step('equalize', 0.6, 0), step('solarize', 0.6, 6)],
    [step('invert', 0.9, 0), step('equalize', 0.6, 0)],
    [step('equalize', 0.6, 0), step('rotate', 0.9, 3)],
    [step('shear_x', 0.9, 4), step('auto_contrast', 0.8, 0)],
    [step('shear_y', 0.9, 8), step('invert', 0.4, 0)],
    [step('shear_y', 0.9, 5), step('solarize', 0.2, 6)],
    [step('invert', 0.9, 0), step('auto_contrast', 0.8, 0)],
    [step('equalize', 0.6, 0), step('rotate', 0.9, 3)],
    [step('shear_x', 0.9, 4), step('solarize', 0.3, 3)],
    [step('shear_y', 0.8, 8), step('invert', 0.7, 0)],
    [step('equalize', 0.9, 0), step('translate_y', 0.6, 6)],
    [step('invert', 0.9, 0), step('equalize', 0.6, 0)],
    [step('contrast', 0.3, 3), step('rotate', 0.8, 4)],
    [step('invert', 0.8, 0), step('translate_y', 0, 2)],
    [step('shear_y', 0.7, 6), step('solarize', 0.4, 8)],
    [step('invert', 0.6, 0), step('rotate', 0.8, 4)],
    [step('shear_y', 0.3, 7), step('translate_x', 0.9, 3)],
    [step('shear_x', 0.1, 6), step('invert', 0.6, 0)],
    [step('solarize', 0.7, 2), step('translate_y', 0.6, 7)],
    [step('shear_y', 0.8, 4), step('invert', 0.8, 0)],
    [step('shear_x', 0.7, 9), step('translate_y', 0.8, 3)],
    [step('shear_y', 0.8, 5), step('auto_contrast', 0.7, 0)],
    [step('shear_x', 0.7, 2), step('invert', 0.1, 0)],
  ]);
}
