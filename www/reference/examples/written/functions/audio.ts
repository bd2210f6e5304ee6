/** Sound: files, and distances of texts. */
const from = (...names: string[]) => `import { ${names.join(', ')} } from 'lanthorn/audio';

`;

const chirp = `const chirp = tensor(Float32Array.from({ length: 8000 }, (_, t) => Math.sin((t * t) / 20000))).unsqueeze(0);
`;

export const AUDIO: Readonly<Record<string, string>> = {
  'audio.AudioMetaData': `${from('AudioMetaData', 'encode', 'info')}${chirp}
const about = await info(await encode(chirp, 8000));
console.log(about instanceof AudioMetaData, about.sampleRate, about.numFrames, about.encoding);
`,
  'audio.decode': `${from('decode', 'encode')}${chirp}
const [waveform, sampleRate] = await decode(await encode(chirp, 8000, { bitsPerSample: 16 }));
console.log(waveform.shape, sampleRate);
`,
  'audio.decoder.CTCDecoder': `${from('decoder')}const search = decoder.ctcDecoder(['-', 'a', 'b'], 1, 50, undefined, 50, 0, false, '-', '|');
const emissions = eye(3).logSoftmax(-1).unsqueeze(0);
const [found] = await search.decode(emissions);

console.log(search instanceof decoder.CTCDecoder, search.idxsToTokens(found[0].tokens));
`,
  'audio.decoder.CTCHypothesis': `${from('decoder')}const search = decoder.ctcDecoder(['-', 'a', 'b'], 1, 50, undefined, 50, 0, false, '-', '|');
const [found] = await search.decode(eye(3).logSoftmax(-1).unsqueeze(0));
const [best] = found;

console.log(best instanceof decoder.CTCHypothesis, best.tokens, best.score);
`,
  'audio.encode': `${from('encode')}${chirp}
console.log((await encode(chirp, 8000, { bitsPerSample: 24 })).length);
`,
  'audio.functional.editDistance': `${from('functional')}console.log(functional.editDistance('kitten', 'sitting'));
console.log(functional.editDistance(['to', 'be'], ['or', 'not', 'to', 'be']));
`,
  'audio.info': `${from('encode', 'info')}${chirp}
const { sampleRate, numFrames, numChannels, bitsPerSample } = await info(await encode(chirp, 8000));
console.log(sampleRate, numFrames, numChannels, bitsPerSample);
`,
  'audio.load': `${from('encode', 'load')}${chirp}
const file = new Blob([await encode(chirp, 8000)]);
const [waveform, sampleRate] = await load(file, { frameOffset: 1000, numFrames: 4000 });
console.log(waveform.shape, sampleRate);
`,
};
