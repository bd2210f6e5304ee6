// Fits a network to noisy points of a curve, and draws it as it learns.
import { init, linspace, manualSeed, nn, noGrad, optim, randn } from 'lanthorn';

const status = document.querySelector('#status');
const canvas = document.querySelector('canvas');
const context = canvas.getContext('2d');

/** Draws points, of which the first numbers are across and the second ones up. */
function draw(across, up, colour, isLine) {
  context.strokeStyle = context.fillStyle = colour;
  context.beginPath();
  across.forEach((x, index) => {
    const at = [(x + 1) * canvas.width / 2, (1.5 - up[index]) * canvas.height / 3];
    if (isLine) context.lineTo(...at);
    else context.fillRect(at[0] - 2, at[1] - 2, 4, 4);
  });
  if (isLine) context.stroke();
}

try {
  const { device } = await init({ device: new URLSearchParams(location.search).get('device') ?? 'auto' });
  manualSeed(0);
  const x = linspace(-1, 1, 200).unsqueeze(1);
  const y = x.mul(6).sin().add(randn(200, 1).mul(0.1));
  const [across, points] = [await x.data(), await y.data()];
  const net = new nn.Sequential(new nn.Linear(1, 64), new nn.Tanh(), new nn.Linear(64, 64), new nn.Tanh(), new nn.Linear(64, 1));
  const optimizer = new optim.Adam(net.parameters(), { lr: 0.01 });
  for (let step = 1; step <= 200; step += 1) {
    const loss = net.call(x).mseLoss(y);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    if (step % 10 > 0) continue;
    const curve = await noGrad(() => net.call(x)).data();
    status.textContent = `Step ${step} on ${device}: loss ${(await loss.item()).toFixed(4)}`;
    context.clearRect(0, 0, canvas.width, canvas.height);
    draw(across, points, '#999', false);
    draw(across, curve, '#c30', true);
  }
  document.documentElement.dataset.state = 'done';
} catch (error) {
  status.textContent = error.message;
  document.documentElement.dataset.state = 'error';
}
