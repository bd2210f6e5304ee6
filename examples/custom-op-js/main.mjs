/** Runs the checks in Node, on the CPU. */
import { init } from 'lanthorn';

// Operations are registered in the core of a device, so a device is opened first.
const { device } = await init({ device: 'cpu' });
const { checkAll } = await import('./checks.js');
await checkAll((line) => console.log(`OK ${device} ${line}`));
