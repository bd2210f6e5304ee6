/** Files of tensors, messages between threads, and numbers in blocks. */
const storeProgram = (program: string) => `import { opfs } from 'lanthorn/io';

await opfs.save('example.safetensors', { weight: ones([2, 3]) });
${program}await opfs.remove('example.safetensors');
`;

export const FILES: Readonly<Record<string, string>> = {
  'io.formatOf': `import { formatOf } from 'lanthorn/io';

console.log(formatOf('model.safetensors'), formatOf('model.pth'), formatOf('x.npy'));
`,
  'io.initIo': `import { initIo, save } from 'lanthorn/io';

// Without it the module is loaded at the first use.
await initIo();
console.log((await save(ones([2]))).size > 0);
`,
  'io.load': `import { load, save } from 'lanthorn/io';

const file = await save({ weight: ones([2, 3]), bias: zeros([2]) });
console.log(await load(file));
console.log(await load(file, { names: ['bias'], onProgress: ({ loaded, total }) => console.log(loaded, 'of', total) }));
`,
  'io.opfs.list': storeProgram('console.log(await opfs.list());\n'),
  'io.opfs.load': storeProgram("console.log(await opfs.load('example.safetensors'));\n"),
  'io.opfs.remove': `${storeProgram('console.log((await opfs.list()).map(({ name }) => name));\n')}console.log((await opfs.list()).map(({ name }) => name));
`,
  'io.opfs.save': `import { opfs } from 'lanthorn/io';

const net = new nn.Linear(2, 1);
await opfs.save('example.pt', { model: net.stateDict(), epoch: 3 });
console.log(await opfs.load('example.pt'));
await opfs.remove('example.pt');
`,
  'io.QuantizedTensor': `import { QuantizedTensor } from 'lanthorn/io';

const x = linspace(-1, 1, 64).reshape(2, 32);
const quantized = await QuantizedTensor.fromFloat(x, 'q4_0');

console.log(quantized.shape, quantized.nbytes, 'bytes of', 4 * x.numel);
console.log(quantized.dequantize().sub(x).abs().max());
`,
  'io.save': `import { load, save } from 'lanthorn/io';

const net = new nn.Linear(2, 1);
const file = await save({ net: net.stateDict(), epoch: 3, words: ['any', 'tree'] });

console.log(file.size, 'bytes');
console.log(await load(file));
console.log(await load(await save(eye(2), { format: 'npy' })));
`,
  'workers.receive': `import { receive, transfer } from 'lanthorn/workers';

// In one thread; the message and the list are the arguments of postMessage.
const [message, list] = await transfer(tensor([1, 2, 3]));

// In the other thread, with the message that arrives.
console.log(receive(message));
`,
  'workers.transfer': `import { receive, transfer } from 'lanthorn/workers';

const [message, list] = await transfer(tensor([1, 2, 3]));
console.log(message.lanthorn, message.shape, list.length);

// What another thread does with the message.
console.log(receive(message));
`,
};
