/** The numbers and the bytes of a block, by format. */
export const BLOCK_FORMATS = {
  q4_0: [32, 18],
  q4_1: [32, 20],
  q5_0: [32, 22],
  q5_1: [32, 24],
  q8_0: [32, 34],
  q2_k: [256, 84],
  q3_k: [256, 110],
  q4_k: [256, 144],
  q5_k: [256, 176],
  q6_k: [256, 210],
  q8_k: [256, 292],
  iq4_nl: [32, 18],
  iq4_xs: [256, 136],
  mxfp4: [32, 17],
  q4_1_128: [128, 68],
} as const;
