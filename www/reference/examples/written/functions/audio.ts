/** Sound: files, and distances of texts. */
const from = (...names: string[]) => `import { ${names.join(', ')} } from 'lanthorn/audio';

`;

const chirp = `const chirp = tensor([Float32Array.from({ length: 8000 }, (_, t) => Math.sin((t * t) / 20000))]);
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
