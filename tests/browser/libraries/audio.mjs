/** `lanthorn/audio`, in a page and in Node. The functions and transforms are printed from Rust. */
import { close, equal, ok, refuses } from '../lib/expect.mjs';
import { settled } from '../lib/memory.mjs';

const camel = (name) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());

/** The arguments of a case: names of inputs are tensors. */
function argumentsOf({ lanthorn, golden }, args) {
  return args.map((value) => {
    if (typeof value !== 'string' || !value.startsWith('$')) return value === 'TPDF' ? 'tpdf' : value;
    const { data, shape, integer } = golden.audio.inputs[value.slice(1)];
    return lanthorn.tensor((integer ? Int32Array : Float32Array).from(data), { shape });
  });
}

/** Checks the shape and the numbers, relative to the largest one. */
async function checkAnswer(found, { shape, data }, message) {
  equal([...found.shape], shape, message);
  const largest = data.reduce((largest, number) => Math.max(largest, Math.abs(number)), 1e-3);
  close(Array.from(await found.data()), data, { absolute: 3e-4 * largest, relative: 0 }, message);
}

export const cases = {
  'functions have torchaudio\'s answers': async (given) => {
    const { audio, golden } = given;
    for (const { name, args, result, tail } of golden.audio.cases.filter(({ name }) => name)) {
      const found = await audio.functional[camel(name)](...argumentsOf(given, args));
      const message = `${name} ${JSON.stringify(args)}`;
      if (tail === undefined) await checkAnswer(Array.isArray(found) ? found[0] : found, result, message);
      else equal(found.shape.at(-1), tail, message);
    }
  },

  'transforms have torchaudio\'s answers': async (given) => {
    const { audio, golden } = given;
    for (const { transform: name, init, args, result } of golden.audio.cases.filter(({ transform }) => transform)) {
      // Null is torchaudio's default.
      const made = new audio.transforms[name](...argumentsOf(given, init));
      await checkAnswer(await made.forward(...argumentsOf(given, args)), result, `${name} ${JSON.stringify(init)}`);
    }
  },

  'arguments have names, defaults and checks': async ({ audio, lanthorn }) => {
    const { functional, transforms } = audio;
    const waveform = lanthorn.rand([2, 1600]);
    equal([...new transforms.MFCC({ nMfcc: 13 }).forward(waveform).shape], [2, 13, 9]);
    const complex = new transforms.Spectrogram({ nFft: 64, power: null, windowFn: (count) => lanthorn.hammingWindow(count) });
    equal([...complex.forward(waveform).shape], [2, 33, 51, 2]);
    equal([...functional.resample(waveform, 16000, 8000).shape], [2, 800]);
    equal([...functional.whisperLogMel(waveform.select(0, 0)).shape], [80, 10]);
    equal(functional.editDistance('kitten', 'sitting'), 3);
    equal(functional.editDistance(['a', 'b'], []), 2);
    await refuses(() => functional.computeDeltas(waveform, 2), 'argument', /computeDeltas: winLength must be at least 3/);
    await refuses(() => functional.computeDeltas(waveform, { mode: 'mirror' }), 'argument', /mode/, /'replicate'/, /"mirror"/);
    await refuses(() => functional.melscaleFbanks(201, 0, 8000, 80, 16000, null, 'bark'), 'argument', /melScale/, /'slaney'/);
    await refuses(() => functional.editDistance(1, []), 'argument', /seq1/);
    await refuses(() => new transforms.MelSpectrogram({ nMel: 3 }), 'argument', /nMel/);
  },

  'a spectrogram keeps no tensors, and is differentiated': async ({ audio, lanthorn }) => {
    const transform = new audio.transforms.MelSpectrogram({ sampleRate: 8000, nFft: 128, nMels: 16 });
    const waveform = lanthorn.rand([1000]).requiresGrad_();
    const before = await settled(lanthorn.memory);
    const loss = transform.forward(waveform).sum();
    loss.backward();
    ok((await waveform.grad.abs().sum().item()) > 0);
    waveform.grad = null;
    loss.dispose();
    close(await settled(lanthorn.memory), before, { absolute: 8, relative: 0 });
  },

  'WAV files keep the samples up to their step': async ({ audio, lanthorn }) => {
    const samples = Float32Array.from({ length: 36 }, (_, index) => Math.sin(index * 0.37));
    for (const [encoding, bitsPerSample] of [['pcm_u', 8], ['pcm_s', 16], ['pcm_s', 24], ['pcm_s', 32], ['pcm_f', 32], ['pcm_f', 64]]) {
      for (const channels of [1, 3]) {
        const waveform = lanthorn.tensor(samples, { shape: [channels, 36 / channels] });
        const bytes = await audio.encode(waveform, 8000, { encoding, bitsPerSample });
        const { sampleRate, numFrames, numChannels, ...about } = await audio.info(bytes);
        equal([sampleRate, numFrames, numChannels, about.bitsPerSample, about.encoding], [8000, 36 / channels, channels, bitsPerSample, encoding]);
        const [read, rate] = await audio.load(new Blob([bytes]));
        equal([rate, ...read.shape], [8000, channels, 36 / channels]);
        close(Array.from(await read.data()), Array.from(samples), { absolute: encoding === 'pcm_f' ? 0 : 2 ** (1 - bitsPerSample), relative: 0 }, encoding);
      }
    }
    const bytes = await audio.encode(lanthorn.tensor([[0, 0.25, 0.5], [0.75, -0.25, -0.5]]), 16000);
    const [part] = await audio.decode(bytes, { frameOffset: 1, numFrames: 2, channelsFirst: false });
    equal(await part.tolist(), [[0.25, -0.25], [0.5, -0.5]]);
  },

  'sound files that are wrong are errors of their kind': async ({ audio, lanthorn }) => {
    const waveform = lanthorn.zeros([2, 4]);
    const bytes = await audio.encode(waveform, 8000, { bitsPerSample: 16 });
    for (let length = 12; length < bytes.length; length++) {
      await refuses(() => audio.decode(bytes.slice(0, length)), 'file', /ends/);
    }
    for (let at = 12; at < 44; at++) {
      const hostile = bytes.slice();
      hostile[at] = 0xff;
      await audio.decode(hostile).catch((error) => equal(error.kind, 'file', `${at}: ${error}`));
    }
    const hasDecoder = typeof OfflineAudioContext !== 'undefined';
    await refuses(() => audio.decode(new Uint8Array(64)), 'file', hasDecoder ? /cannot decode/ : /no WAV file/);
    await refuses(() => audio.encode(waveform, 8000, { encoding: 'pcm_u', bitsPerSample: 16 }), 'argument', /bitsPerSample/);
    await refuses(() => audio.encode(waveform, 8000, { encoding: 'mp3' }), 'argument', /encoding/);
    await refuses(() => audio.encode(lanthorn.zeros([4]), 8000), 'shape', /src has shape \[4\]/);
    await refuses(() => audio.load(new Blob([bytes]), { frameOffset: -1 }), 'argument', /frameOffset/);
  },

  'a beam search finds texts, and lengths limit them': async ({ audio, lanthorn }) => {
    const { ctcDecoder, ctcGreedyDecoder } = audio.decoder;
    const rows = [[0, 0, 9, 0], [0, 0, 9, 0], [9, 0, 0, 0], [0, 9, 0, 0], [0, 0, 0, 9]];
    const emissions = lanthorn.tensor([rows]).logSoftmax(-1);
    equal(await ctcGreedyDecoder(emissions), [[2, 1, 3]]);
    equal(await ctcGreedyDecoder(emissions, lanthorn.tensor(Int32Array.of(2))), [[2]]);
    const decoder = ctcDecoder(['-', 'a', 'b', '|'], { nbest: 2, logAdd: true });
    const [[best, second]] = await decoder.decode(emissions);
    equal([...best.tokens], [2, 1, 3]);
    equal([...best.timesteps], [0, 3, 4]);
    ok(best.score > second.score);
    equal([...decoder.idxsToTokens(best.tokens)], ['b', 'a', '|']);
    await refuses(() => ctcDecoder(['a', 'b']), 'argument', /blankToken/);
  },

  'a microphone that is not there is an error': async ({ audio }) => {
    await refuses(() => audio.microphone({ frameLength: 0 }), 'argument', /frameLength/);
    // Other browsers ask the user, who is not there.
    const isAsked = typeof document !== 'undefined' && !navigator.userAgent.includes('Chrome');
    if (!isAsked) await refuses(() => audio.microphone(), 'device', /microphone: /);
  },
};
