/** The names of the networks. */
export const titles = { mlp: 'MLP', conv: 'Conv net', attention: 'Attention block' };

export type NetworkName = keyof typeof titles;
