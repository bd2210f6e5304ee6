/** Runs the checks in the page, on the device named in the URL. */
import { init } from 'lanthorn';

const lines = document.getElementById('lines');
try {
  const { device } = await init({ device: new URL(location.href).searchParams.get('device') ?? 'auto' });
  const { checkAll } = await import('./checks.js');
  await checkAll((line) => lines.append(`OK ${device} ${line}\n`));
  document.documentElement.dataset.state = 'done';
} catch (error) {
  lines.append(`${error.stack ?? error}\n`);
  document.documentElement.dataset.state = 'error';
}
