/** The networks that the visitor can choose. */
import type { nn } from 'lanthorn';
import { AttentionBlock } from './attention';
import { ConvNet } from './conv';
import { Mlp } from './mlp';
import type { NetworkName } from './names';

export interface Network {
  make: () => nn.Module;
  /** The shape of an example of the batch. */
  example: readonly number[];
}

export const networks: Readonly<Record<NetworkName, Network>> = {
  mlp: { make: () => new Mlp(), example: [64] },
  conv: { make: () => new ConvNet(), example: [1, 8, 8] },
  attention: { make: () => new AttentionBlock(), example: [16, 64] },
};
