import type { Tensor } from 'lanthorn';
import { Int4WeightOnly, Int8DynamicActivationInt8Weight, Int8WeightOnly, quantize_ } from 'lanthorn/quantization';
import type { Mlp } from './train';

export const FORMATS = ['float32', 'float16', 'int8', 'int8 dynamic', 'int4', '2 bits'] as const;
export type Format = (typeof FORMATS)[number];

// Changes the weights of a model in place.
export async function convert(model: Mlp, format: Format): Promise<void> {
  switch (format) {
    case 'float32':
      return;
    case 'float16':
      model.to('float16');
      return;
    case 'int8': // a scale for each row
      await quantize_(model, Int8WeightOnly());
      return;
    case 'int8 dynamic': // and the inputs of each layer are rounded to 8 bits
      await quantize_(model, Int8DynamicActivationInt8Weight());
      return;
    case 'int4': // a scale and a zero point for each 32 neighbours
      await quantize_(model, Int4WeightOnly({ groupSize: 32 }));
      return;
    case '2 bits': // rounded in every call, by train.ts
      model.bits = 2;
  }
}

// The input in the type of a model of this format.
export function inputFor(images: Tensor, format: Format): Tensor {
  return format === 'float16' ? images.to('float16') : images;
}
