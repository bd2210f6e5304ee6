/** Fourier transforms and windows. A complex number is a pair of numbers in a last dimension. */
export const FOURIER: Readonly<Record<string, string>> = {
  fft_fft: `// 1, 2, 3 and 4, without imaginary parts.
const x = tensor([[1, 0], [2, 0], [3, 0], [4, 0]]);

console.log(fft.fft(x));
`,
  fft_fft2: `const x = tensor([[[1, 0], [2, 0]], [[3, 0], [4, 0]]]);

console.log(fft.fft2(x));
`,
  fft_fftfreq: `console.log(fft.fftfreq(6, 0.5));
`,
  fft_fftn: `const x = tensor([[[1, 0], [2, 0]], [[3, 0], [4, 0]]]);

console.log(fft.fftn(x));
`,
  fft_fftshift: `console.log(fft.fftshift(fft.fftfreq(6)));
`,
  fft_hfft: `const half = fft.ihfft(tensor([1, 2, 3, 4]));

console.log(fft.hfft(half, 4));
`,
  fft_ifft: `const spectrum = fft.fft(tensor([[1, 0], [2, 0], [3, 0], [4, 0]]));

console.log(fft.ifft(spectrum));
`,
  fft_ifft2: `const spectrum = fft.fft2(tensor([[[1, 0], [2, 0]], [[3, 0], [4, 0]]]));

console.log(fft.ifft2(spectrum));
`,
  fft_ifftn: `const spectrum = fft.fftn(tensor([[[1, 0], [2, 0]], [[3, 0], [4, 0]]]));

console.log(fft.ifftn(spectrum));
`,
  fft_ifftshift: `const shifted = fft.fftshift(tensor([0, 1, 2, 3, 4]));

console.log(shifted);
console.log(fft.ifftshift(shifted));
`,
  fft_ihfft: `console.log(fft.ihfft(tensor([1, 2, 3, 4])));
`,
  fft_irfft: `const spectrum = fft.rfft(tensor([1, 2, 3, 4]));

console.log(fft.irfft(spectrum, 4));
`,
  fft_irfft2: `const spectrum = fft.rfft2(tensor([[1, 2], [3, 4]]));

console.log(fft.irfft2(spectrum, [2, 2]));
`,
  fft_irfftn: `const spectrum = fft.rfftn(tensor([[1, 2], [3, 4]]));

console.log(fft.irfftn(spectrum, [2, 2]));
`,
  fft_rfft: `// Two waves: their indices in the spectrum are 1 and 3.
const time = arange(8).mul(2 * Math.PI / 8);
const x = time.sin().add(time.mul(3).cos());

console.log(fft.rfft(x));
`,
  fft_rfft2: `const x = tensor([[1, 2], [3, 4]]);

console.log(fft.rfft2(x));
`,
  fft_rfftfreq: `console.log(fft.rfftfreq(6, 0.5));
`,
  fft_rfftn: `const x = tensor([[1, 2], [3, 4]]);

console.log(fft.rfftn(x));
`,
  bartlett_window: `console.log(bartlettWindow(6));
`,
  blackman_window: `console.log(blackmanWindow(6));
`,
  hamming_window: `console.log(hammingWindow(6));
`,
  hann_window: `console.log(hannWindow(6));
plot(hannWindow(64));
`,
  kaiser_window: `console.log(kaiserWindow(6));
`,
  signal_windows_bartlett: `console.log(signal.windows.bartlett(7));
`,
  signal_windows_blackman: `console.log(signal.windows.blackman(7));
`,
  signal_windows_cosine: `console.log(signal.windows.cosine(7));
`,
  signal_windows_exponential: `console.log(signal.windows.exponential(7, { tau: 2 }));
`,
  signal_windows_gaussian: `console.log(signal.windows.gaussian(7, { std: 2 }));
plot(signal.windows.gaussian(64, { std: 10 }));
`,
  signal_windows_general_cosine: `console.log(signal.windows.generalCosine(7, [0.46, 0.23, 0.31]));
`,
  signal_windows_general_hamming: `console.log(signal.windows.generalHamming(7, { alpha: 0.6 }));
`,
  signal_windows_hamming: `console.log(signal.windows.hamming(7));
`,
  signal_windows_hann: `console.log(signal.windows.hann(7));
`,
  signal_windows_kaiser: `console.log(signal.windows.kaiser(7, { beta: 8 }));
`,
  signal_windows_nuttall: `console.log(signal.windows.nuttall(7));
`,
};
